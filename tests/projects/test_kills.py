"""Kill -9 of the worker at random moments while it reads: every file ends as it must, none twice, none lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.killing import Worker, kill_at_random, mixed_files, revive_until
from tests.stack import manage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

FILES = 40
KILLS = 20

STATES = "SELECT name, state, error FROM projects_document ORDER BY name"
OPEN = "SELECT id, state, stage_began FROM projects_document WHERE state NOT IN ('ready', 'failed')"
PIECES = """
    SELECT document.name, count(chunk.id), count(DISTINCT chunk.ordinal), count(word.id)
    FROM projects_document document
    LEFT JOIN projects_chunk chunk ON chunk.document_id = document.id
    LEFT JOIN projects_chunk_fts_docsize word ON word.id = chunk.id
    GROUP BY document.id ORDER BY document.name"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    manage(home, "migrate")
    return home


def rows(home: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{home / 'db.sqlite3'}?mode=ro", uri=True)) as database:
        return database.execute(statement).fetchall()


def test_forty_files_survive_twenty_kills(home: Path, tmp_path: Path) -> None:
    files = mixed_files(FILES)
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, file in files.items():
        (folder / name).write_bytes(file.content)
    manage(home, "ingest", "Papers", str(folder))

    unpacked = home / "unpacked"
    worker = Worker(home)
    try:
        kill_at_random(worker, KILLS, seed=4)
        unfinished = "SELECT 1 FROM projects_document WHERE state IN ('queued', 'extracting', 'indexing')"
        # The last reading clears up behind itself only after its document is ready.
        revive_until(
            worker,
            lambda: not rows(home, unfinished) and not any(unpacked.iterdir()),
            patience_s=120,
            left=lambda: f"{rows(home, OPEN)}, {list(unpacked.iterdir())}, {(home / 'worker.log').read_text()[-2000:]}",
        )
    finally:
        worker.stop()

    assert {name: (state, error) for name, state, error in rows(home, STATES)} == {
        name: (file.state, error if file.state == "failed" else "")
        for (name, file), (_, _, error) in zip(sorted(files.items()), rows(home, STATES), strict=True)
    }
    for name, pieces, places, words in rows(home, PIECES):
        assert pieces == places == words, name
        assert (pieces > 0) == (files[name].state == "ready"), name
    orphans = "SELECT count(*) FROM projects_chunk_fts_docsize WHERE id NOT IN (SELECT id FROM projects_chunk)"
    assert rows(home, orphans) == [(0,)]
    assert not any("cut off" in error for _, _, error in rows(home, STATES))
    assert not any(unpacked.iterdir())
