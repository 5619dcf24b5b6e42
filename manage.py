#!/usr/bin/env python
"""Command line entry point of Readahead."""

import os
import sys


def main() -> None:
    """Run the management command given on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ragsite.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
