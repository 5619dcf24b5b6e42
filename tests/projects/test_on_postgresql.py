"""The tests of searching and of vectors hold on PostgreSQL as they do on SQLite, by the settings alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.postgres import server
from tests.stack import ROOT

pytestmark = [pytest.mark.postgres, pytest.mark.slow, pytest.mark.timeout(400)]

SAME = ("test_lexical.py", "test_search.py", "test_vectors.py", "test_vectors_stored.py")


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with server() as address:
        yield address


def test_the_same_tests_pass_there(database: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    files = [str(ROOT / "tests/projects" / name) for name in SAME]
    environment = {**os.environ, "READAHEAD_TEST_DATABASE": database}
    done = subprocess.run([*command, *files], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


def test_all_migrations_go_there_and_back(database: str) -> None:
    environment = {**os.environ, "READAHEAD_DATABASE": database, "DJANGO_SETTINGS_MODULE": "ragsite.settings"}
    for words in ("migrate", "migrate projects 0005", "migrate", "makemigrations --check --dry-run"):
        command = [sys.executable, "manage.py", *words.split()]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
