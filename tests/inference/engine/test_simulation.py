"""What llama.cpp says a context takes: read from its log, and the same whether it is simulated or real."""

from __future__ import annotations

from pathlib import Path

import pytest

from inference.contracts import PoolName
from inference.engine.budget import Wish, needed, share
from inference.engine.llama import Context, ContextSpec, Model
from inference.engine.machine import Machine
from inference.engine.plan import EXACT, Flags, plan_of
from inference.engine.simulation import MIB, Footprint, Simulation, measured, read_footprint
from inference.errors import ModelFailed
from tests.inference.engine.conftest import model_file
from tests.inference.gguf_files import write_gguf

FULL = """
llama_context: constructing llama_context
llama_context:        CPU  output buffer size =     0.19 MiB
llama_kv_cache:        CPU KV buffer size =    90.00 MiB
llama_kv_cache: size =   90.00 MiB (  4096 cells,  30 layers,  1/1 seqs), K (f16):   45.00 MiB, V (f16):   45.00 MiB
sched_reserve:        CPU compute buffer size =    49.69 MiB
sched_reserve: graph: nodes = 1086, splits = 1, input objects = 4, input tensors = 6
""".splitlines()

SLIDING = """
llama_kv_cache_iswa: using full-size SWA cache (ref: https://github.com/ggml-org/llama.cpp/pull/13194)
llama_kv_cache_iswa: creating non-SWA KV cache, size = 2048 cells
llama_kv_cache:        CPU KV buffer size =     0.00 MiB
llama_kv_cache: size =    6.00 MiB (  2048 cells,   3 layers,  1/1 seqs), K (f16):    3.00 MiB, V (f16):    3.00 MiB
llama_kv_cache_iswa: creating     SWA KV cache, size = 2048 cells
llama_kv_cache:        CPU KV buffer size =     0.00 MiB
llama_kv_cache: size =   30.00 MiB (  2048 cells,  15 layers,  1/1 seqs), K (f16):   15.00 MiB, V (f16):   15.00 MiB
sched_reserve:        CPU compute buffer size =   257.25 MiB
""".splitlines()


def cache_line(size: str, cells: int, streams: str) -> str:
    return f"llama_kv_cache: size = {size} MiB ( {cells} cells,  30 layers,  {streams} seqs), K (f16):  1.00 MiB"


def test_cells_and_buffers_are_read_from_the_log() -> None:
    footprint = read_footprint(FULL)
    assert (footprint.cache, footprint.cells, footprint.per_token) == (90 * MIB, 4096, 23_040)
    assert footprint.compute == pytest.approx((49.69 + 0.19) * MIB, abs=2)


def test_both_caches_of_a_sliding_window_are_summed_and_its_cells_counted_once() -> None:
    footprint = read_footprint(SLIDING)
    assert (footprint.cache, footprint.cells, footprint.per_token) == (36 * MIB, 2048, 18_432)


def test_streams_of_their_own_have_the_cells_each() -> None:
    """'2/2' are two sequences with cells of their own, '4/1' four that share them."""
    assert read_footprint([cache_line("720.00", 16384, "2/2")]).per_token == 23_040
    assert read_footprint([cache_line("90.00", 4096, "4/1")]).per_token == 23_040


def test_an_empty_log_is_no_cost() -> None:
    assert read_footprint([]) == Footprint(0, 0, 0)
    assert read_footprint([]).per_token == 0.0


@pytest.mark.engine
@pytest.mark.parametrize("model_id", ["smollm2-135m", "gemma3-270m"])
@pytest.mark.parametrize("swa_full", [True, False])
def test_the_simulation_is_what_the_real_context_takes(model_id: str, swa_full: bool) -> None:
    path = model_file(model_id)
    spec = ContextSpec(window=4096, sequences=2, swa_full=swa_full)
    simulation = Simulation(path)
    foreseen = simulation.footprint(spec)
    simulation.free()
    model = Model(path)
    context, taken = measured(model, spec)
    context.free()
    model.free()
    assert taken == foreseen
    assert taken.cache > 0
    assert taken.compute > 0


@pytest.mark.engine
@pytest.mark.parametrize("flags", [EXACT, Flags("q8_0", "q8_0", True)])
def test_the_planned_cost_of_a_token_is_that_of_the_log(flags: Flags) -> None:
    path = model_file("smollm2-135m")
    simulation = Simulation(path)
    costs = simulation.costs(flags.applied(ContextSpec(window=8192)))
    simulation.free()
    model = Model(path)
    context, taken = measured(model, flags.applied(ContextSpec(window=6144)))
    context.free()
    model.free()
    assert costs.cache.per_token == pytest.approx(taken.per_token, rel=0.03)
    assert costs.cache.at(6144) == pytest.approx(taken.cache, rel=0.03)


@pytest.mark.engine
@pytest.mark.parametrize("model_id", ["smollm2-135m", "gemma3-270m"])
def test_the_pools_of_a_plan_start_within_its_memory(model_id: str) -> None:
    path = model_file(model_id)
    simulation = Simulation(path)
    costs = simulation.costs(ContextSpec(window=4096))
    simulation.free()
    part = share(costs, Machine(total=4 << 30, available=4 << 30, cores=2), Wish(window=3072))
    plan = plan_of(part, EXACT, threads=2)
    model = Model(path)
    made = [measured(model, plan.context(name)) for name in PoolName]
    for context, _ in made:
        context.free()
    taken = model.size + sum(footprint.cache + footprint.compute for _, footprint in made)
    model.free()
    assert taken <= part.bytes == needed(costs, 3072, 2)


@pytest.mark.engine
def test_quantized_values_without_flash_attention_are_an_error_here_too() -> None:
    simulation = Simulation(model_file("smollm2-135m"))
    with pytest.raises(ModelFailed, match="flash_attn"):
        simulation.footprint(ContextSpec(window=2048, type_k="q8_0", type_v="q8_0", flash_attention=False))
    simulation.free()


def test_a_simulated_model_tells_what_it_is(tmp_path: Path) -> None:
    simulation = Simulation(write_gguf(tmp_path / "tiny.gguf"))
    assert simulation.model.trained_window == 512
    assert simulation.model.size > 0
    Context(simulation.model, ContextSpec(window=256)).free()
    simulation.free()
