"""What every test shares: a data folder of its own, set before Django reads its settings."""

from __future__ import annotations

import os
import tempfile

# Each xdist worker imports this file in its own process, so each has its own folder.
os.environ["READAHEAD_HOME"] = tempfile.mkdtemp(prefix="readahead-test-")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ragsite.settings")
