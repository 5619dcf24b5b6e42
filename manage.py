#!/usr/bin/env python
"""Command line entry point of Readahead."""

import os
import sys


def main() -> None:
    """Run the management command given on the command line."""
    # Databases, uploads, logs and keys of one person: whatever this process creates, only its owner may read it.
    os.umask(0o077)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ragsite.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Readahead cannot start: {error}")


if __name__ == "__main__":
    main()
