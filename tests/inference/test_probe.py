"""The probe: which flags are chosen by what was measured, how that is kept, and one real measurement."""

from __future__ import annotations

import json
import stat
from pathlib import Path

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
from inference.probe.measure import probe
from inference.probe.rows import ROWS, Row, choose
from inference.probe.run import run_probe
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
    assert chosen.flags == EXACT or chosen.seconds == min(one.seconds for one in rows)


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
    monkeypatch.setattr(store, "version", lambda _: "another")
    keys.add(store.probe_key("a", 2))
    monkeypatch.undo()
    monkeypatch.setattr(store, "FORMAT", 99)
    keys.add(store.probe_key("a", 2))
    assert len(keys) == 6


def test_flags_that_a_model_does_not_take_become_a_row_with_the_reason(tmp_path: Path) -> None:
    """Its heads are 16 wide, half a block of q8_0."""
    path = write_gguf(tmp_path / "tiny.gguf")
    exact, small = probe(path, (EXACT, SMALL), ContextSpec(window=2048, threads=1), _ignore)
    assert exact.error == ""
    assert exact.prefill_tps > 0
    assert exact.decode_tps > 0
    assert "q8_0" in small.error


def test_a_file_that_cannot_be_loaded_ends_the_probe_with_the_reason(tmp_path: Path) -> None:
    said: list[str] = []
    with pytest.raises(ModelFailed, match=r"could not be measured: .*unknown model architecture"):
        run_probe(write_gguf(tmp_path / "new.gguf", "brandnew"), said.append)


@pytest.mark.engine
def test_a_real_probe_measures_every_row_and_leads_to_a_choice() -> None:
    said: list[str] = []
    rows = run_probe(model_file("smollm2-135m"), said.append, ["--threads", "1", "--rounds", "1"])
    assert said[-1] == "measured 4 of 4"
    assert [one.flags for one in rows] == list(ROWS)
    assert all(one.error == "" and one.prefill_tps > 0 and one.decode_tps > 0 for one in rows)
    per_token = [one.costs.cache.per_token for one in rows if one.costs]
    assert per_token[0] == per_token[1] == 23_040
    assert per_token[2] == pytest.approx(23_040 * 34 / 64, rel=0.001)  # 34 bytes for 32 values instead of 64
    assert choose(rows, LARGE, Wish()).chosen.share
    assert json.dumps([one.to_json() for one in rows])
    assert rows == [Row.from_json(json.loads(json.dumps(one.to_json()))) for one in rows]
