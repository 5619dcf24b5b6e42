"""Tests that docs/operations.md says what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from inference.supervise import policy, processes, supervisor
from inference.switching.keeper import ModelKeeper
from ragsite.health import HealthReport
from ragsite.launch import children
from ragsite.network import LOCAL_NAMES

TEXT = (Path(__file__).resolve().parents[2] / "docs/operations.md").read_text()


def test_health_document_has_the_keys_that_are_shown() -> None:
    shown = json.loads(TEXT[TEXT.index('{"status"') : TEXT.index('"problems": []}') + len('"problems": []}')])
    assert list(shown) == list(HealthReport.__annotations__)


def test_processes_are_those_in_the_table() -> None:
    table = re.findall(r"^\| (\w+) \| .* \| `logs/(\w+)\.log` \|$", TEXT, flags=re.MULTILINE)
    names = [*(child.name for child in children()), ModelKeeper.name]
    assert table == [(name, name) for name in names]


def test_delays_between_restarts_are_those_of_the_policy() -> None:
    shown = re.search(r"started again after ([\d.]+) s, then ([\d, ]+) and at most (\d+) s", TEXT)
    assert shown
    delays = [float(text) for text in (shown[1], *shown[2].split(", "), shown[3])]
    assert delays == [policy.after_exit(streak, 0.0).delay_s for streak in range(len(delays))]


@pytest.mark.parametrize(
    "words",
    [
        f"Each has {supervisor.GRACE_S:g} seconds to finish",
        f"beyond {processes.LOG_LIMIT_BYTES // 1_000_000} MB",
        f"`{processes.MARK_VARIABLE}`",
        ", ".join(f"`{name}`" for name in LOCAL_NAMES),
    ],
)
def test_figures_and_names_are_those_of_the_code(words: str) -> None:
    assert words in TEXT
