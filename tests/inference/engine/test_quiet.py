"""Whether somebody is being answered, as the real service tells it to who wants to measure."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from inference.contracts import PoolName, Progress
from inference.tuning.quiet import look_around
from tests.inference.engine.conftest import ask, load, model_file
from tests.serving import serve_engine

pytestmark = pytest.mark.engine


def test_a_question_and_a_reading_are_seen_while_they_last(tmp_path: Path) -> None:
    engine = load(model_file("smollm2-135m"))
    with serve_engine(engine, tmp_path):
        quiet = look_around(tmp_path)
        assert (quiet.answering, quiet.busy) == (False, False)
        assert quiet.available > 0

        asked = ask(engine, "Count to a thousand.", max_tokens=1500)
        asked.until(Progress)
        assert look_around(tmp_path).answering
        asked.ticket.cancel()

        read = ask(engine, "word " * 1500, pool=PoolName.STUDY, max_tokens=100)
        read.until(Progress)
        seen = look_around(tmp_path)
        assert (seen.answering, seen.busy) == (False, True)
        read.ticket.cancel()

        deadline = time.monotonic() + 30
        while look_around(tmp_path).busy:
            assert time.monotonic() < deadline


def test_where_no_service_runs_nobody_is_answered(tmp_path: Path) -> None:
    seen = look_around(tmp_path)
    assert (seen.answering, seen.busy) == (False, False)
