"""The bare decode loop that the service is measured against, as a process of its own (`python -m bench.bare`)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from bench.children import answer_lines
from bench.raw import RawContext
from inference.contracts import PoolName
from inference.engine.llama import ContextSpec, Model
from inference.service.__main__ import options_parser
from inference.service.planning import plan_for


def main() -> None:
    """Load the model as the service would under the same command line, then measure what the parent asks for."""
    options = options_parser().parse_args()
    spec = plan_for(options.model, options).context(PoolName.CONVERSATION)
    model = Model(options.model)
    loop = cache(lambda: RawContext(model, spec))  # not made for a child that is asked for streams alone

    def handle(question: dict[str, Any]) -> dict[str, Any]:
        match question["what"]:
            case "ids":
                return {"ids": [_ids(model, text) for text in question["prompts"]]}
            case "run":
                return {"seconds": run(loop(), question["prompts"], question["predict"])}
            case _:
                return streams(model, spec, question)

    answer_lines({"spec": asdict(spec)}, handle)


def run(loop: RawContext, prompts: Sequence[Sequence[int]], predict: int) -> float:
    """Read the prompts and add `predict` tokens to each, all of them in one batch; return the seconds it took."""
    loop.clear()
    began = time.perf_counter()
    first = loop.read(dict(enumerate(prompts)))
    loop.generate(dict(enumerate(map(len, prompts))), first, predict - 1)
    return time.perf_counter() - began


def streams(model: Model, spec: ContextSpec, question: Mapping[str, Any]) -> dict[str, Any]:
    """Measure one busy conversation beside idle ones, with unified and with separate streams.

    Returns tokens/s of prefill and of generation for each repetition of both, which alternate.
    """
    ids = _ids(model, question["text"])[: question["idle"]]
    contexts = {kind: RawContext(model, spec, unified=kind == "unified") for kind in ("separate", "unified")}
    for context in contexts.values():
        context.read({1: ids})
        context.copy_state(1, range(2, spec.sequences))
    speeds: dict[str, list[float]] = {}
    for repetition in range(question["repetitions"]):
        for kind in sorted(contexts, reverse=bool(repetition % 2)):
            read, generated = _busy(contexts[kind], ids[: question["busy"]], question["predict"])
            speeds.setdefault(f"{kind} prefill", []).append(read)
            speeds.setdefault(f"{kind} generation", []).append(generated)
    for context in contexts.values():
        context.free()
    return {"speeds": speeds}


def _busy(context: RawContext, prompt: list[int], predict: int) -> tuple[float, float]:
    context.cut(0, 0)
    began = time.perf_counter()
    first = context.read({0: prompt})
    answering = time.perf_counter()
    context.generate({0: len(prompt)}, first, predict)
    ended = time.perf_counter()
    return len(prompt) / (answering - began), predict / (ended - answering)


def _ids(model: Model, text: str) -> list[int]:
    """Return the tokens of a raw prompt exactly as the service makes them."""
    start = [] if model.bos is None else [model.bos]
    return start + model.tokenize(text, special=False)


if __name__ == "__main__":
    main()
