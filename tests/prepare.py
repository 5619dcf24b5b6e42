"""Bringing what the tests need beyond Python packages: small models and a browser (`python -m tests.prepare`)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from inference.catalogue import TEST_FILES, find
from inference.fetch import FetchError, ensure_installed
from inference.fetch.console import ConsoleReport
from ragsite.home import models_folder
from tests.chromium import find_chromium

MODELS = (find("smollm2-135m"), *TEST_FILES)
PACKAGES = ("chromium", "fonts-liberation")


class NotReady(Exception):
    """Something is missing that cannot be brought from here; the text says what to do."""


def main() -> int:
    """Return 0 when everything is there, else say on stderr what is missing."""
    try:
        install_models()
        install_chromium()
    except (FetchError, NotReady) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def install_models() -> None:
    """Put the models of the tests into the cache that all clones share."""
    for entry in MODELS:
        report = ConsoleReport(sys.stderr, entry.id)
        try:
            ensure_installed(entry, models_folder(), report)
        finally:
            report.close()


def install_chromium() -> None:
    """Install Chromium where that is ours to do: as root on a system with apt-get."""
    if find_chromium():
        return
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise NotReady(
            "The browser tests need Chromium. Install it (on Debian: sudo apt-get install chromium), or name a Chrome "
            "with READAHEAD_CHROMIUM."
        )
    sys.stderr.write("Installing Chromium for the browser tests\n")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", *PACKAGES]):
        done = subprocess.run(
            ["apt-get", "--quiet", *command], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            cause = (done.stderr.strip() or "no reason given").splitlines()[-1]
            raise NotReady(f"Chromium could not be installed: {cause}")


if __name__ == "__main__":
    sys.exit(main())
