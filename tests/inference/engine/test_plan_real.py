"""A plan against reality: its contexts start within its memory, and a token costs what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.measures.plan import CLOSE, taken
from bench.taking import Taking
from tests.inference.engine.conftest import model_file

pytestmark = pytest.mark.engine

WINDOW = 8192
WORDS = ("--window", str(WINDOW), "--threads", "1", "--fill", "256")


@pytest.fixture(scope="module", params=["smollm2-135m", "gemma3-270m"])
def taking(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Taking:
    """The plan of a model, carried out in a process of its own."""
    return taken(model_file(request.param), tmp_path_factory.mktemp("plan"), WORDS)


def test_contexts_of_the_planned_size_start_within_the_planned_memory(taking: Taking) -> None:
    assert taking.window == WINDOW
    assert taking.conversations == 2
    # The cells of the three pools are in it, so the figure cannot be of something else.
    assert taking.per_token * 3.5 * WINDOW < taking.taken < taking.planned


def test_a_token_costs_what_the_plan_says_by_the_log_and_by_resident_memory(taking: Taking) -> None:
    assert taking.per_token == pytest.approx(taking.per_token_log, rel=CLOSE)
    assert taking.per_token == pytest.approx(taking.per_token_resident, rel=CLOSE)
    assert taking.worst <= CLOSE


def test_a_plan_with_other_flags_holds_as_well(tmp_path: Path) -> None:
    small = taken(model_file("smollm2-135m"), tmp_path, [*WORDS, "--type-k", "q8_0"])
    assert small.per_token == pytest.approx(23_040 * 34 / 64, rel=0.001)
    assert small.worst <= CLOSE
    assert small.taken < small.planned
