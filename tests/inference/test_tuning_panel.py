"""What the panel says: the automatic value with its reason, what each choice costs, and what cannot be had."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.engine.budget import GIB
from inference.engine.machine import Machine
from inference.engine.plan import EXACT, Flags
from inference.errors import ModelFailed
from inference.fitting import estimated_costs
from inference.probe.rows import COARSE, ROWS, Row
from inference.tuning.outlook import Ground, outcome, scaled
from inference.tuning.overrides import KV_CHOICES, Limits, Overrides
from inference.tuning.panel import Panel, panel_of, summary
from inference.tuning.points import NOT_MEASURED, Known, Point, consequence

BYTES = {"f16": 64, "q8_0": 34, "q4_0": 18}
SIZE, KV, TRAINED = 1_111_370_240, 28_672, 32_768


def costs_under(flags: Flags) -> Row:
    """A row of the reference model: exact ones read 100 and write 20 tokens a second, quantized ones are slower."""
    kv = KV * (BYTES[flags.type_k] + BYTES[flags.type_v]) // 128
    speed = 100 if flags.type_k == "f16" else 80
    return Row(flags, estimated_costs(SIZE, kv, TRAINED), speed, speed / 5)


MEASURED = [costs_under(flags) for flags in ROWS]
ESTIMATE = estimated_costs(SIZE, KV, TRAINED)


def machine(gigabytes: float = 24, cores: int = 2) -> Machine:
    return Machine(int(gigabytes * GIB), int(gigabytes * GIB), cores)


def panel(overrides: Overrides, ground: Ground, *, gpu: bool = False, threads: int = 4) -> Panel:
    by_threads = {ground.machine.cores: ground.rows}
    return panel_of(Known("m", ground, overrides, Limits(threads, gpu), by_threads, TRAINED))


def point(made: Panel, name: str) -> Point:
    return next(one for one in made.points if one.name == name)


def said(one: Point, value: str) -> str:
    return next(choice.consequence for choice in one.choices if choice.value == value)


def test_before_a_measurement_everything_is_automatic_with_its_reason() -> None:
    made = panel(Overrides(), Ground(machine(), (), ESTIMATE))
    assert [one.name for one in made.points] == ["window", "kv", "flash_attention", "threads", "conversations"]
    assert [one.automatic for one in made.points] == ["16,384 tokens", "f16", "off", "2", "2"]
    assert all(one.reason.endswith(".") and one.value == "" for one in made.points)
    assert (made.lines, made.is_set) == ((), False)
    assert {choice.consequence for choice in point(made, "kv").choices} == {NOT_MEASURED}
    assert said(point(made, "threads"), "2") == NOT_MEASURED


def test_after_a_measurement_each_type_has_its_bytes_window_and_speeds() -> None:
    made = panel(Overrides(), Ground(machine(), MEASURED, ESTIMATE))
    kv = point(made, "kv")
    assert said(kv, "f16") == "28,672 bytes a token · window 16,384 · reads 100 and writes 20 tokens a second"
    assert said(kv, "q8_0") == "15,232 bytes a token · window 16,384 · reads 80 and writes 16 tokens a second"
    assert said(kv, "q4_0").startswith("8,064 bytes a token")
    assert kv.reason.endswith("the fastest, 20 s for 1,000 tokens read and 200 written.")
    assert said(point(made, "threads"), "2") == "reads 100 and writes 20 tokens a second"
    assert said(point(made, "threads"), "1") == NOT_MEASURED
    assert [line.automatic for line in made.lines] == [True, False, False, False, False]
    assert made.lines[0].figures == ("28,672", "100.0/s", "20.0/s", "16,384")


def test_windows_have_their_memory_and_the_time_to_fill_them() -> None:
    one = point(panel(Overrides(), Ground(machine(), MEASURED, ESTIMATE)), "window")
    assert [choice.value for choice in one.choices] == ["4096", "8192", "16384", "32768"]
    assert said(one, "16384").endswith("2 min 44 s to fill")
    assert " GB in all" in said(one, "16384")


def test_a_window_beyond_the_memory_says_how_much_fits() -> None:
    made = panel(Overrides(window=32_768), Ground(machine(5), MEASURED[:1], ESTIMATE))
    assert "more than this machine gives: " in said(point(made, "window"), "32768")
    assert any("the 5.0 GB of this machine hold no more" in note for note in made.notes)
    assert point(made, "window").value == "32768"


def test_short_memory_is_the_reason_for_a_smaller_window_and_one_conversation() -> None:
    made = panel(Overrides(), Ground(machine(4.6), MEASURED[:1], ESTIMATE))
    assert "hold no more" in point(made, "window").reason
    assert (point(made, "conversations").automatic, point(made, "conversations").reason) == (
        "1",
        "More would take memory that the window needs.",
    )


def test_quantized_values_without_flash_attention_are_said_not_to_be_had() -> None:
    ground = Ground(machine(), MEASURED, ESTIMATE)
    made = panel(Overrides(kv="q8_0", flash_attention=False), ground)
    assert made.notes == ("Quantized values need flash attention, which is off: the keys alone are q8_0.",)
    assert "q8_0 keys and f16 values, flash attention off" in made.result
    assert "the keys alone are q4_0" in said(point(made, "kv"), "q4_0")
    assert said(point(made, "kv"), "q4_0").startswith(NOT_MEASURED)


def test_flags_that_failed_when_they_were_measured_are_replaced_as_the_service_does() -> None:
    rows = [MEASURED[0], Row(Flags("q8_0", "q8_0", True), error="no"), Row(Flags("q8_0", "f16", False), error="no")]
    made = outcome(Ground(machine(), rows, ESTIMATE), Overrides(kv="q8_0"))
    assert made.flags == EXACT
    assert made.note.startswith("This model does not run with q8_0 keys and q8_0 values")
    assert made.row == MEASURED[0]


def test_layers_are_offered_where_there_is_a_card_alone() -> None:
    made = panel(Overrides(gpu_layers=7), Ground(machine(), (), ESTIMATE), gpu=True)
    assert (point(made, "gpu_layers").automatic, point(made, "gpu_layers").value) == ("all", "7")
    assert said(point(made, "gpu_layers"), "7") == NOT_MEASURED


def test_a_model_of_which_nothing_is_known_has_a_panel_too() -> None:
    made = panel(Overrides(), Ground(machine()))
    assert point(made, "window").automatic == "unknown"
    assert made.result == "It runs with f16 keys and f16 values, flash attention off."


def test_a_model_beyond_the_machine_says_what_it_needs_instead() -> None:
    ground = Ground(machine(2), MEASURED, ESTIMATE)
    assert "needs at least" in summary(ground, Overrides())[0]
    assert "needs at least" in consequence(ground, Overrides())
    made = panel(Overrides(), ground)
    assert "needs at least" in made.result
    assert all("needs at least" in line.error for line in made.lines)


settings = st.builds(
    Overrides,
    window=st.none() | st.integers(8, 1024).map(lambda steps: steps * 256),
    kv=st.none() | st.sampled_from(KV_CHOICES),
    flash_attention=st.none() | st.booleans(),
    conversations=st.none() | st.integers(1, 8),
)
grounds = st.builds(
    Ground,
    st.floats(1, 64).map(machine),
    st.lists(st.sampled_from(MEASURED), unique_by=lambda row: str(row.flags), max_size=5).map(tuple),
    st.just(ESTIMATE),
)


@given(grounds, settings)
def test_what_is_set_is_kept_to_as_far_as_llama_cpp_and_the_memory_allow(ground: Ground, set_: Overrides) -> None:
    try:
        made = outcome(ground, set_)
    except ModelFailed:
        return  # too little memory for any window
    assert made.share is not None
    assert made.flags.type_k == (set_.kv or made.flags.type_k)
    assert made.flags.type_v == "f16" or made.flags.flash_attention
    assert set_.flash_attention in (None, made.flags.flash_attention)
    assert made.share.window <= min(set_.window or 16_384, TRAINED)
    assert made.share.conversations <= (set_.conversations or 2)
    if set_.window and made.share.window < min(set_.window, TRAINED):
        assert made.share.notes
    assert made.flags != COARSE or set_.kv == "q4_0" or {row.flags for row in ground.rows} <= {COARSE}


@given(grounds, settings, st.booleans())
def test_there_is_a_panel_for_everything(ground: Ground, set_: Overrides, gpu: bool) -> None:
    made = panel(set_, ground, gpu=gpu)
    assert made.result
    assert all(one.automatic and one.reason for one in made.points)
    chosen = [choice for choice in point(made, "kv").choices if choice.chosen]
    assert [choice.value for choice in chosen] == ([set_.kv] if set_.kv else [])


def test_costs_shrink_with_the_type_of_the_cache() -> None:
    whole = scaled(ESTIMATE, EXACT)
    half = scaled(ESTIMATE, Flags("q8_0", "q8_0", True))
    assert whole == ESTIMATE
    assert half is not None
    assert half.cache.per_token == pytest.approx(KV * 34 / 64)
    assert scaled(None, EXACT) is None
