"""How the service ends while it is asked: people get their answers, the background hears at once that it must wait."""

from __future__ import annotations

import signal
from pathlib import Path

import httpx
import pytest

from inference import endpoint
from tests.inference.test_service_process import QUESTION, auth, client_of, service

pytestmark = pytest.mark.engine


def test_an_answer_is_finished_and_background_work_is_given_back_at_once(tmp_path: Path) -> None:
    run_dir = tmp_path / "run"
    with service(run_dir) as process:
        client_of(run_dir)
        found = endpoint.read(run_dir)
        assert found is not None
        chat = {"url": f"{found.url}/v1/chat/completions", "headers": auth(found), "timeout": 60}
        asked = {"messages": QUESTION, "max_tokens": 40, "stream": True}
        study = {**asked, "max_tokens": 900, "pool": "study"}
        with httpx.stream("POST", json=asked, **chat) as answer, httpx.stream("POST", json=study, **chat) as background:  # type: ignore[arg-type]
            lines = answer.iter_lines()
            next(line for line in lines if '"content"' in line)
            process.send_signal(signal.SIGTERM)
            given_back, finished = list(background.iter_lines()), list(lines)
        assert any('"unavailable"' in line for line in given_back)
        assert not any('"error"' in line for line in finished)
        assert "data: [DONE]" in finished
        assert process.wait(timeout=30) == 0
        assert endpoint.read(run_dir) is None
