"""Which live questions count, and what is said of them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

import pytest

from bench.study.live import IDLE_IN_A_ROW, Asker, Heard, Sample, ask_on, figures_of

READING = {"study_active": 1.0, "study_reading": 1.0}
TELLING = {"study_active": 1.0, "study_reading": 0.0}
IDLE = {"study_active": 0.0, "study_reading": 0.0}
MET, MISSED = Heard(200.0, 5.0, interrupted=True), Heard(200.0, 5.0, interrupted=False)


class Said:
    """Metrics that say one thing after the other, and the last one for ever."""

    def __init__(self, *states: dict[str, float]) -> None:
        self._states = list(states)

    def now(self) -> dict[str, float]:
        return self._states.pop(0) if len(self._states) > 1 else self._states[0]


class Told(Asker):
    """Hears what the test says instead of asking."""

    def __init__(self, metrics: Said, heard: Iterator[Heard | None]) -> None:
        self.metrics = metrics  # type: ignore[assignment]
        self.heard = heard
        self.pause_s = 0.0
        self.draw = random.Random(0)

    async def ask(self) -> Heard | None:
        return next(self.heard)

    async def ask_directly(self) -> float:
        return 1.0


def sampled(metrics: Said, heard: list[Heard | None], questions: int) -> Sample:
    """Ask until so many count, or nothing more is heard."""
    left = list(reversed(heard))
    asker = Told(metrics, iter(left.pop, object()))
    return asyncio.run(ask_on(asker, questions, lambda: not left))


def test_only_a_question_that_met_a_prompt_under_way_counts() -> None:
    sample = sampled(Said(READING), [MET, None, MISSED, MET], 10)
    assert (len(sample.busy), len(sample.direct)) == (2, 1)


def test_a_study_that_has_gone_on_to_its_answer_in_the_meantime_is_left_alone() -> None:
    metrics = Said(READING, TELLING, READING, READING)
    assert len(sampled(metrics, [MET, MET, MET], 1).busy) == 1


def test_between_two_steps_idle_questions_are_asked_but_not_for_ever() -> None:
    steps = [READING, READING] * (IDLE_IN_A_ROW + 3) + [IDLE] * 2 * IDLE_IN_A_ROW + [READING]
    sample = sampled(Said(*steps), [MET] * 20, 8)
    assert len(sample.idle) == IDLE_IN_A_ROW
    assert len(sample.busy) == 8


def test_the_figure_is_the_wait_in_the_engine_that_19_of_20_do_not_exceed() -> None:
    busy = [Heard(300.0, float(number), interrupted=True) for number in range(1, 21)]
    web, sent = figures_of(Sample(busy=busy))
    assert (web.value, web.target, web.passed) == (19.0, 50.0, True)
    assert (sent.value, sent.target) == (300.0, None)


@pytest.mark.parametrize("wait_ms", [50.1, 400.0])
def test_a_late_start_misses_its_target(wait_ms: float) -> None:
    assert figures_of(Sample(busy=[Heard(500.0, wait_ms, interrupted=True)]))[0].passed is False
