"""Finding the Chromium that the browser tests drive."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


def find_chromium() -> str | None:
    """Return the program's path, or None; READAHEAD_CHROMIUM names one that lies elsewhere."""
    if named := os.environ.get("READAHEAD_CHROMIUM"):
        return shutil.which(named)
    found = next(filter(None, map(shutil.which, NAMES)), None)
    return found or (str(MAC) if MAC.exists() else None)
