"""The product's settings over a data folder of the test process's own, so that no test sees a person's documents."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

# Each xdist worker is a process and has its own folder.
home = os.environ["READAHEAD_HOME"] = tempfile.mkdtemp(prefix="readahead-test-")
atexit.register(shutil.rmtree, home, ignore_errors=True)
for name in list(os.environ):
    if name in ("READAHEAD_HOST", "READAHEAD_MODEL", "PORT") or name.startswith("READAHEAD_SERVER_"):
        os.environ.pop(name)
# A database with data in it is never touched; the tests of PostgreSQL bring one of their own.
os.environ["READAHEAD_DATABASE"] = os.environ.pop("READAHEAD_TEST_DATABASE", "")
# No test loads torch unasked: those of search by meaning bring a model, a fake one or the real one.
os.environ["READAHEAD_EMBEDDINGS"] = "off"
# No test finds a question of the product's own among those that it scripts answers for, but for those of titles.
os.environ["READAHEAD_PLAIN_TITLES"] = "1"

from ragsite.settings import *  # noqa: E402, F403
