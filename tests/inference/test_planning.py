"""How the service decides what to run a model under: the command line, then the probe, then what is exact."""

from __future__ import annotations

from pathlib import Path

import pytest

from inference.contracts import PoolName
from inference.engine.budget import GIB
from inference.engine.machine import Machine
from inference.engine.plan import EXACT, Flags, Plan
from inference.errors import ModelFailed
from inference.fetch import stamp
from inference.fitting import estimated_costs
from inference.probe import store
from inference.probe.rows import Row
from inference.service import planning
from inference.service.__main__ import options_parser
from tests.inference.gguf_files import write_gguf


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(total=16 * GIB, available=16 * GIB, cores=3)
    monkeypatch.setattr(planning, "this_machine", lambda: made)
    return made


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "tiny.gguf")


def plan(model: Path, *words: str) -> Plan:
    options = options_parser().parse_args(["--model", str(model), "--run-dir", str(model.parent), *words])
    return planning.plan_for(model, options)


def flags(plan: Plan) -> Flags:
    return Flags(plan.type_k, plan.type_v, plan.flash_attention)


def keep_probe(model: Path, folder: Path, *, trained_window: int = 8192) -> None:
    costs = estimated_costs(10**9, 20_000, trained_window)
    rows = [Row(EXACT, error="cannot be had"), Row(Flags("f16", "f16", True), costs, 100, 20)]
    store.save(folder, store.probe_key(stamp.checksum(model), 3), rows)


def test_a_first_start_is_exact_and_waits_for_no_probe(model: Path, tmp_path: Path) -> None:
    made = plan(model, "--probes", str(tmp_path / "probes"))
    assert flags(made) == EXACT
    assert made.threads == 3
    assert not (tmp_path / "probes").exists()


def test_the_window_ends_where_the_model_does(model: Path) -> None:
    made = plan(model)
    assert {pool.window for pool in made.pools.values()} == {512}
    assert made.notes == ("The window holds 512 tokens: the model was made for no more.",)


def test_what_a_probe_found_decides_the_next_start(model: Path, tmp_path: Path) -> None:
    keep_probe(model, tmp_path / "probes")
    made = plan(model, "--probes", str(tmp_path / "probes"))
    assert flags(made) == Flags("f16", "f16", True)
    assert made.pools[PoolName.CONVERSATION].window == 8192
    assert made.pools[PoolName.SERVICE].window == 4096


def test_a_probe_with_other_threads_says_nothing(model: Path, tmp_path: Path) -> None:
    keep_probe(model, tmp_path / "probes")
    assert flags(plan(model, "--probes", str(tmp_path / "probes"), "--threads", "1")) == EXACT


def test_the_command_line_beats_the_probe(model: Path, tmp_path: Path) -> None:
    keep_probe(model, tmp_path / "probes")
    made = plan(model, "--probes", str(tmp_path / "probes"), "--flash-attention", "off", "--conversations", "3")
    assert flags(made) == EXACT
    assert made.pools[PoolName.CONVERSATION].sequences == 3


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), EXACT),
        (("--type-k", "q8_0"), Flags("q8_0", "q8_0", True)),
        (("--type-v", "q8_0"), Flags("q8_0", "q8_0", True)),
        (("--type-k", "q8_0", "--type-v", "f16"), Flags("q8_0", "f16", False)),
        (("--flash-attention", "auto"), Flags("f16", "f16", None)),
    ],
)
def test_keys_and_values_are_alike_unless_both_are_named(words: tuple[str, ...], expected: Flags) -> None:
    options = options_parser().parse_args(["--model", "m", "--run-dir", "r", *words])
    assert planning.named_flags(options) == expected


def test_what_the_command_line_leaves_open_is_as_the_probe_found_it(model: Path, tmp_path: Path) -> None:
    keep_probe(model, tmp_path / "probes")
    probes = ("--probes", str(tmp_path / "probes"))
    made = plan(model, *probes, "--type-k", "f16", "--window", "4096")
    assert flags(made) == Flags("f16", "f16", True)
    assert made.pools[PoolName.CONVERSATION].window == 4096


def test_a_window_beyond_the_memory_is_cut_and_said(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_probe(model, tmp_path / "probes", trained_window=1 << 20)
    monkeypatch.setattr(planning, "this_machine", lambda: Machine(6 * GIB, 6 * GIB, 3))
    made = plan(model, "--probes", str(tmp_path / "probes"), "--window", "1000000")
    assert 16_384 < made.pools[PoolName.CONVERSATION].window < 1_000_000
    assert "instead of 999,936: the 6.0 GB of this machine hold no more." in made.notes[0]


def test_quantized_values_without_flash_attention_become_quantized_keys_and_it_is_said(
    model: Path, tmp_path: Path
) -> None:
    costs = estimated_costs(10**9, 15_000, 8192)
    rows = [Row(Flags("q8_0", "f16", False), costs, 100, 20)]
    store.save(tmp_path / "probes", store.probe_key(stamp.checksum(model), 3), rows)
    words = ("--type-k", "q8_0", "--flash-attention", "off")
    made = plan(model, "--probes", str(tmp_path / "probes"), *words)
    assert flags(made) == Flags("q8_0", "f16", False)
    assert made.notes == (
        "Quantized values need flash attention, which is off: the keys alone are q8_0.",
        *made.notes[1:],
    )


def test_layers_on_a_graphics_card_are_handed_on(model: Path) -> None:
    assert plan(model).gpu_layers == -1
    assert plan(model, "--gpu-layers", "7").gpu_layers == 7


def test_flags_that_the_model_does_not_take_are_replaced_with_a_sentence_and_it_starts(model: Path) -> None:
    """Its heads are 16 wide, half a block of q8_0: with the keys alone quantized llama.cpp ends its process."""
    made = plan(model, "--type-k", "q8_0")
    assert flags(made) == EXACT
    assert made.notes[0] == (
        "This model does not run with q8_0 keys and q8_0 values, flash attention on; "
        "it runs with f16 keys and f16 values, flash attention off."
    )


def test_quantized_values_without_flash_attention_leave_the_keys_quantized() -> None:
    assert Flags("q8_0", "q8_0", False).instead == (Flags("q8_0", "f16", False), EXACT)


def test_a_model_beyond_the_machine_is_refused_before_it_is_loaded(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "this_machine", lambda: Machine(2 * GIB, 2 * GIB, 1))
    with pytest.raises(ModelFailed, match=r"needs at least [\d.]+ GB of memory; this machine has 2"):
        plan(model)


def test_memory_that_is_taken_right_now_is_a_warning(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "this_machine", lambda: Machine(16 * GIB, 1, 1))
    assert "close some programs" in plan(model).notes[-1]


def test_a_file_that_llama_cpp_refuses_is_refused_in_its_words(tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match="unknown model architecture"):
        plan(write_gguf(tmp_path / "new.gguf", "brandnew"))
