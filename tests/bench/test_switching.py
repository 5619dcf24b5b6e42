"""What the benchmark of changing the model makes of what it has seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.options import BadOption
from bench.switching.altered import altered_copy
from bench.switching.asking import Asked
from bench.switching.measure import Change, Seen, figures_of
from bench.switching.options import MODELS, from_environment
from bench.switching.watching import Sample, lives, most_at_once, shortest_gap
from inference.engine.budget import GIB
from inference.fetch import stamp
from tests.inference.gguf_files import write_gguf

OLD, NEW = (10, 1.0), (11, 2.0)


def test_one_process_after_the_other_is_told_from_two_at_once() -> None:
    apart = [Sample(0.0, {OLD: GIB}), Sample(0.1, {OLD: 2 * GIB}), Sample(0.2, {}), Sample(0.3, {NEW: GIB})]
    assert most_at_once(apart) == 1
    assert shortest_gap(apart) == pytest.approx(0.2)
    assert lives(apart) == [(0.0, 0.1, 2 * GIB), (0.3, 0.3, GIB)]
    together = [*apart[:2], Sample(0.2, {OLD: GIB, NEW: GIB}), Sample(0.3, {NEW: GIB})]
    assert most_at_once(together) == 2
    assert shortest_gap(together) == pytest.approx(0.0)


def seen(*asked: Asked, samples: tuple[Sample, ...] = (Sample(0.0, {OLD: GIB}), Sample(0.3, {NEW: GIB}))) -> Seen:
    return Seen([Change("B", 0.3, "http://127.0.0.1:1")], list(asked), list(samples), "http://127.0.0.1:1")


def failed(seen: Seen) -> list[str]:
    return [figure.name for figure in figures_of(seen) if figure.passed is False]


ANSWERED = Asked(0, 0.0, 1.0, answered=True)


def test_a_change_without_a_flaw_misses_no_target() -> None:
    told = Asked(1, 1.0, 3.0, told=2, plainly=2, answered=True)
    assert failed(seen(ANSWERED, told)) == []


def test_each_flaw_misses_its_target() -> None:
    assert failed(seen(ANSWERED, Asked(1, 1.0, told=50, plainly=50))) == ["questions without an answer"]
    assert failed(seen(Asked(0, 0.0, 1.0, told=1, answered=True))) == ["failures that did not say so"]
    both = Sample(0.1, {OLD: GIB, NEW: GIB})
    flawed = seen(ANSWERED, samples=(Sample(0.0, {OLD: GIB}), both, Sample(0.2, {OLD: GIB, NEW: GIB})))
    assert failed(flawed) == ["model processes at once, most", "memory of old and new apart by, least"]
    drifted = seen(ANSWERED)
    drifted.first_address, drifted.left = "http://127.0.0.1:2", 1
    assert failed(drifted) == ["addresses of the model service", "processes left when all was stopped"]


def test_an_altered_copy_is_another_model_of_the_same_size(tmp_path: Path) -> None:
    source = write_gguf(tmp_path / "one.gguf", general__name="Small")
    copy = altered_copy(source, tmp_path / "two.gguf")
    assert copy.stat().st_size == source.stat().st_size
    assert stamp.compute(copy) != stamp.compute(source)


def test_the_options_name_models_and_changes() -> None:
    options = from_environment({"SWITCHES": "4"})
    assert [entry.id for entry in options.models] == list(MODELS)
    assert (options.switches, options.quick) == (4, False)
    assert [entry.id for entry in from_environment({"QUICK": "1"}).models] == ["smollm2-135m"]


@pytest.mark.parametrize("environment", [{"SWITCHES": "0"}, {"MODELS": "smollm2-135m"}, {"MODELS": "none,other"}])
def test_what_cannot_be_done_is_refused(environment: dict[str, str]) -> None:
    with pytest.raises(BadOption):
        from_environment(environment)
