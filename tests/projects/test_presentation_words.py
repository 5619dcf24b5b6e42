"""Tests of the lines under an answer."""

from __future__ import annotations

import pytest

from projects.models import Turn
from projects.presentation.words import coverage_line, roughly, seconds, timing_line


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.031, "0.03 s"),
        (0.74, "0.7 s"),
        (5.44, "5.4 s"),
        (9.96, "10 s"),
        (48.2, "48 s"),
        (59.7, "1 min"),
        (125, "2 min 5 s"),
    ],
)
def test_durations_read_as_people_say_them(value: float, said: str) -> None:
    assert seconds(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.02, "1 s"), (3.6, "4 s"), (11.9, "12 s"), (32.0, "30 s"), (48.2, "50 s"), (58.0, "1 min"), (190.0, "3 min")],
)
def test_what_is_foretold_is_said_roughly(value: float, said: str) -> None:
    assert roughly(value) == said


def test_an_answer_that_was_foretold_shows_both_figures() -> None:
    assert timing_line(Turn(state="done", total_s=3.61, predicted_s=4.2)) == "predicted 4 s, took 3.6 s"
    assert timing_line(Turn(state="stopped", total_s=3.61, predicted_s=4.2)) == "3.6 s in all"


def test_the_timing_line_tells_what_was_read_and_what_was_remembered() -> None:
    turn = Turn(ttft_s=1.2, total_s=5.4, prompt_tokens=5842, read_tokens=842, restored_tokens=4000, reused_tokens=1000)
    assert timing_line(turn) == "first word after 1.2 s · 5.4 s in all · 842 tokens read, 5,000 remembered"


def test_a_turn_that_failed_at_once_has_no_timing_line() -> None:
    assert timing_line(Turn()) == ""


@pytest.mark.parametrize(
    ("coverage", "said"),
    [
        ({}, ""),
        ({"ready": 1, "total": 1, "waiting": []}, "rests on the one document"),
        ({"ready": 9, "total": 9, "waiting": []}, "rests on all 9 documents"),
        ({"ready": 1, "total": 2, "waiting": ["b.pdf"]}, "rests on 1 of 2 documents; not in it: b.pdf"),
    ],
)
def test_the_coverage_line_names_what_is_missing(coverage: dict[str, object], said: str) -> None:
    assert coverage_line(coverage, "digest") == said


def test_an_answer_from_what_was_found_does_not_claim_to_rest_on_all_documents() -> None:
    assert coverage_line({"ready": 1, "total": 1}, "passages") == "searched the one document"
    assert coverage_line({"ready": 1, "total": 2}, "deep") == "searched 1 of 2 documents"
