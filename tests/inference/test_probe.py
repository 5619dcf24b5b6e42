"""The probe: which flags are chosen by what was measured, how that is kept, and one real measurement."""

from __future__ import annotations

import json
import stat
import time
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.engine.budget import GIB, Costs, Wish
from inference.engine.llama import ContextSpec
from inference.engine.machine import Machine
from inference.engine.plan import EXACT, Flags
from inference.errors import ModelFailed
from inference.fitting import estimated_costs
from inference.probe import store
from inference.probe.measure import Way, probe
from inference.probe.rows import COARSE, ROWS, Asked, Row, choose
from inference.probe.run import PROGRESS, run_probe
from inference.probe.table import lines, report
from tests.inference.engine.conftest import model_file
from tests.inference.gguf_files import write_gguf

FLASH = Flags("f16", "f16", True)
SMALL = Flags("q8_0", "q8_0", True)
LARGE = Machine(total=64 * GIB, available=64 * GIB, cores=2)


def costs(kv: int = 28_672) -> Costs:
    return estimated_costs(1_111_370_240, kv, 32_768)


def row(flags: Flags, prefill: float, decode: float, kv: int = 28_672) -> Row:
    return Row(flags, costs(kv), prefill, decode)


def _ignore(_done: int, _all: int) -> None:
    pass


def test_what_is_exact_is_chosen_where_it_reaches_the_window_and_its_price_is_said() -> None:
    choice = choose([row(FLASH, 150, 25), row(EXACT, 100, 20)], LARGE, Wish())
    assert choice.chosen.row.flags == EXACT
    assert "would take 15 s" in choice.reason  # 1000 / 150 + 200 / 25
    assert "to the last bit" in choice.reason


def test_reading_and_writing_both_count() -> None:
    reads, writes = row(FLASH, 200, 10), row(SMALL, 100, 40)
    assert choose([reads, writes], LARGE, Wish()).chosen.row == writes  # 25 s against 15 s


def test_the_larger_window_beats_speed_when_memory_is_short() -> None:
    short = Machine(total=int(5.4 * GIB), available=4 * GIB, cores=2)
    choice = choose([row(EXACT, 100, 28), row(SMALL, 85, 17, kv=15_232)], short, Wish())
    assert choice.chosen.row.flags == SMALL
    assert "largest window, 16,384 tokens" in choice.reason


def test_what_cannot_be_had_is_shown_and_not_chosen() -> None:
    failed = Row(SMALL, error="quantized V cache requires flash_attn")
    choice = choose([failed, row(EXACT, 100, 28)], LARGE, Wish())
    assert choice.chosen.row.flags == EXACT
    assert choice.candidates[0].refusal == failed.error


def test_a_machine_that_is_too_small_for_every_row_is_told_what_is_needed() -> None:
    with pytest.raises(ModelFailed, match="needs at least"):
        choose([row(EXACT, 100, 28)], Machine(GIB, GIB, 2), Wish())


speeds = st.floats(0.1, 10_000)


@given(st.lists(st.tuples(st.sampled_from(ROWS), speeds, speeds), min_size=1, max_size=4))
def test_nothing_inexact_is_chosen_that_is_slower_than_another_of_the_same_window(
    measured: list[tuple[Flags, float, float]],
) -> None:
    rows = [row(flags, prefill, decode) for flags, prefill, decode in measured]
    chosen = choose(rows, LARGE, Wish()).chosen.row
    finer = [one for one in rows if one.flags != COARSE] or rows
    assert chosen.flags == EXACT or chosen.seconds == min(one.seconds for one in finer)


def test_four_bits_are_chosen_for_nobody_who_has_another_choice() -> None:
    short = Machine(total=int(4.9 * GIB), available=4 * GIB, cores=2)
    small, coarse = row(SMALL, 85, 17, kv=15_232), row(COARSE, 200, 40, kv=8_064)
    choice = choose([small, coarse], short, Wish())
    windows = [candidate.share.window if candidate.share else 0 for candidate in choice.candidates]
    assert windows[0] < windows[1]
    assert choice.chosen.row == small
    assert choose([coarse], short, Wish()).chosen.row == coarse


@pytest.mark.parametrize(
    ("asked", "flags", "admitted"),
    [
        (Asked(), EXACT, list(ROWS)),
        (Asked("f16"), EXACT, [EXACT, FLASH]),
        (Asked("q8_0"), SMALL, [SMALL]),
        (Asked("q4_0"), COARSE, [COARSE]),
        (Asked(flash_attention=True), FLASH, [FLASH, SMALL, COARSE]),
        (Asked(flash_attention=False), EXACT, [EXACT, Flags("q8_0", "f16", False)]),
        (Asked("q8_0", flash_attention=False), Flags("q8_0", "f16", False), [Flags("q8_0", "f16", False)]),
        (Asked("q4_0", flash_attention=False), Flags("q4_0", "f16", False), []),
    ],
    ids=str,
)
def test_what_is_asked_for_is_kept_to(asked: Asked, flags: Flags, admitted: list[Flags]) -> None:
    assert asked.flags == flags
    assert [one for one in ROWS if asked.admits(one)] == admitted


kinds = st.sampled_from(["f16", "q8_0", "q4_0", None])


@given(kinds, st.sampled_from([True, False, None]))
def test_no_flags_that_llama_cpp_refuses_are_ever_asked_for(kv: str | None, attention: bool | None) -> None:
    asked = Asked(kv, attention)
    assert asked.flags.type_v == "f16" or asked.flags.flash_attention
    assert asked.flags.type_k == (kv or "f16")
    assert bool(asked.note) == (asked.flags.type_k != asked.flags.type_v)


def test_the_table_marks_the_chosen_row_and_gives_the_reason() -> None:
    failed = Row(SMALL, error="cannot be had")
    shown = report(choose([row(EXACT, 100, 28), failed], LARGE, Wish()))
    assert [one["chosen"] for one in shown["rows"]] == [True, False]
    assert shown["rows"][0]["bytes_per_token"] == 28_672
    text = lines(shown)
    assert [line[0] for line in text[1:3]] == ["*", " "]
    assert "28,672" in text[1]
    assert "16,384" in text[1]
    assert text[2].endswith("cannot be had")
    assert text[-1].startswith("Chosen: f16 keys and f16 values, flash attention off")


def test_rows_come_back_as_they_were_kept_and_nobody_else_reads_them(tmp_path: Path) -> None:
    rows = [row(EXACT, 100.5, 28.25), Row(SMALL, error="no")]
    store.save(tmp_path / "probes", "a" * 64, rows)
    assert store.load(tmp_path / "probes", "a" * 64) == rows
    (kept,) = (tmp_path / "probes").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"rows": [{}]}', '{"rows": [{"flags": {"type_z": 1}}]}', "\x00"])
def test_a_damaged_measurement_counts_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / f"{'a' * 32}.json").write_text(content)
    assert store.load(tmp_path, "a" * 64) is None


def test_there_is_nothing_before_the_first_probe(tmp_path: Path) -> None:
    assert store.load(tmp_path / "absent", "a" * 64) is None


def test_another_model_machine_or_library_is_measured_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {store.probe_key("a", 2), store.probe_key("b", 2), store.probe_key("a", 4)}
    keys.add(store.probe_key("a", 2, swa_full=False))
    keys.add(store.probe_key("a", 2, gpu_layers=7))
    monkeypatch.setattr(store, "version", lambda _: "another")
    keys.add(store.probe_key("a", 2))
    monkeypatch.undo()
    monkeypatch.setattr(store, "FORMAT", 99)
    keys.add(store.probe_key("a", 2))
    assert len(keys) == 7


def test_flags_that_a_model_does_not_take_become_a_row_with_the_reason(tmp_path: Path) -> None:
    """Its heads are 16 wide, half a block of q8_0."""
    path = write_gguf(tmp_path / "tiny.gguf")
    exact, small = probe(path, (EXACT, SMALL), Way(ContextSpec(window=2048, threads=1)), _ignore)
    assert exact.error == ""
    assert exact.prefill_tps > 0
    assert exact.decode_tps > 0
    assert "q8_0" in small.error


def test_a_file_that_cannot_be_loaded_ends_the_probe_with_the_reason(tmp_path: Path) -> None:
    said: list[str] = []
    with pytest.raises(ModelFailed, match=r"could not be measured: .*unknown model architecture"):
        run_probe(write_gguf(tmp_path / "new.gguf", "brandnew"), said.append)


def test_when_it_was_measured_is_known(tmp_path: Path) -> None:
    assert store.measured_at(tmp_path, "a" * 64) is None
    store.save(tmp_path, "a" * 64, [row(EXACT, 100, 28)])
    assert abs((store.measured_at(tmp_path, "a" * 64) or 0) - time.time()) < 60


class Enough(Exception):
    """What a caller raises who wants no more."""


def test_a_probe_can_be_ended_at_any_moment_and_leaves_no_process(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "tiny.gguf")

    def look() -> None:
        raise Enough

    with pytest.raises(Enough):
        run_probe(path, lambda _line: None, look=look)
    left = [process for process in psutil.Process().children() if "inference.probe" in " ".join(process.cmdline())]
    assert left == []


@pytest.mark.engine
@pytest.mark.slow
def test_a_real_probe_measures_every_row_and_leads_to_a_choice() -> None:
    said: list[str] = []
    rows = run_probe(model_file("smollm2-135m"), said.append, ["--threads", "1", "--rounds", "1"])
    assert [PROGRESS.fullmatch(line) is not None for line in said] == [True] * 6
    assert (said[0], said[-1]) == ("measured 0 of 5", "measured 5 of 5")
    assert [one.flags for one in rows] == list(ROWS)
    assert all(one.error == "" and one.prefill_tps > 0 and one.decode_tps > 0 for one in rows)
    per_token = [one.costs.cache.per_token for one in rows if one.costs]
    assert per_token[0] == per_token[1] == 23_040
    assert per_token[2] == pytest.approx(23_040 * 34 / 64, rel=0.001)  # 34 bytes for 32 values instead of 64
    assert per_token[4] == pytest.approx(23_040 * 18 / 64, rel=0.001)
    assert choose(rows, LARGE, Wish()).chosen.share
    assert json.dumps([one.to_json() for one in rows])
    assert rows == [Row.from_json(json.loads(json.dumps(one.to_json()))) for one in rows]
