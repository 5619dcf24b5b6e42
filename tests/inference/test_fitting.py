"""What a person is told about a model before running it: whether it fits, and with which window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inference.catalogue import CATALOGUE, TEST_FILES, ModelEntry, find
from inference.engine.budget import GIB
from inference.engine.machine import Machine
from inference.engine.plan import EXACT, Flags
from inference.fetch import stamp
from inference.fitting import Fit, estimated_costs, fit_of, kv_bytes
from inference.gguf_header import Header, read_header
from inference.installed import of_entry, of_file
from inference.probe import store
from inference.probe.rows import Row
from tests.inference.engine.conftest import model_file
from tests.inference.gguf_files import write_gguf

REFERENCE = find("qwen2.5-coder-1.5b")
HUGE = replace(REFERENCE, id="huge", file="huge.gguf", bytes=26 * 10**9)


def machine(total: int = 24, available: int | None = None) -> Machine:
    return Machine(total * GIB, (total if available is None else available) * GIB, cores=2)


@pytest.mark.parametrize(
    ("entry", "on", "expected"),
    [
        (REFERENCE, machine(), Fit(True, 16_384, "f16", "fits, window 16,384 tokens")),
        (REFERENCE, machine(available=1), Fit(True, 16_384, "f16", "tight: close some programs", tight=True)),
        (HUGE, machine(), Fit(False, None, None, "This model needs at least 30 GB of memory; this machine has 24.")),
    ],
)
def test_a_model_that_is_not_there_yet_is_judged_by_the_catalogue(
    tmp_path: Path, entry: ModelEntry, on: Machine, expected: Fit
) -> None:
    assert fit_of(of_entry(entry, tmp_path), on, tmp_path / "probes") == expected


def test_the_active_model_is_not_called_tight_for_the_memory_it_holds_itself(tmp_path: Path) -> None:
    fit = fit_of(of_entry(REFERENCE, tmp_path), machine(available=1), tmp_path / "probes", active=True)
    assert fit.message == "fits, window 16,384 tokens"


def test_what_was_measured_beats_the_estimate(tmp_path: Path) -> None:
    model = of_file(write_gguf(tmp_path / "tiny.gguf"))
    on = machine(total=8)
    rows = [Row(EXACT, estimated_costs(10**9, 10**6, 32_768), 100, 20), Row(Flags("q8_0", "q8_0", True))]
    rows[1] = replace(rows[0], flags=Flags("q8_0", "q8_0", True), costs=estimated_costs(10**9, 5 * 10**5, 32_768))
    store.save(tmp_path / "probes", store.probe_key(stamp.checksum(model.path), on.cores), rows)
    fit = fit_of(model, on, tmp_path / "probes")
    assert (fit.kv, fit.fits) == ("q8_0", True)
    assert fit.window is not None
    assert 2048 < fit.window < 16_384


def test_a_file_of_ones_own_is_judged_by_its_header(tmp_path: Path) -> None:
    fit = fit_of(of_file(write_gguf(tmp_path / "tiny.gguf")), machine(), tmp_path / "probes")
    assert fit == Fit(True, 512, "f16", "fits, window 512 tokens")


def test_a_damaged_file_says_so_in_the_list(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "tiny.gguf")
    path.write_bytes(path.read_bytes()[:-1])
    fit = fit_of(of_file(path), machine(), tmp_path / "probes")
    assert fit.fits is False
    assert "is incomplete" in fit.message


def test_of_a_file_that_is_gone_nothing_is_known(tmp_path: Path) -> None:
    assert fit_of(of_file(tmp_path / "gone.gguf"), machine(), tmp_path / "probes") == Fit()


def test_heads_that_differ_from_layer_to_layer_are_summed() -> None:
    header = Header(
        {
            "general.architecture": "x",
            "x.block_count": 3,
            "x.embedding_length": 64,
            "x.attention.head_count": 4,
            "x.attention.head_count_kv": [1, 2, 4],
            "x.attention.value_length": 8,
        },
        end=0,
    )
    assert kv_bytes(header) == 7 * (16 + 8) * 2


def test_the_catalogue_knows_the_cost_of_a_token_of_every_model() -> None:
    assert all(entry.kv_bytes > 0 for entry in (*CATALOGUE, *TEST_FILES))


@pytest.mark.engine
@pytest.mark.parametrize("entry", [find("smollm2-135m"), *TEST_FILES], ids=lambda entry: entry.id)
def test_the_cost_in_the_catalogue_is_that_of_the_file(entry: ModelEntry) -> None:
    assert entry.kv_bytes == kv_bytes(read_header(model_file(entry.id)))
