"""Throughput: tokens/s of the service over HTTP against a bare decode loop on the same library, in pairs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from json import dumps
from statistics import median
from typing import TypeVar

import httpx

from bench import upstream
from bench.children import Child, ChildDied
from bench.client import Client
from bench.report import Figure
from bench.run import Bench
from bench.service import Service
from bench.stats import paired_ratio
from bench.texts import fitted
from inference.contracts import ChatRequest

TARGET = 0.97
SHORT = 64
"""Tokens of the prompts whose generation is measured."""

T = TypeVar("T")
OTHER = "llama.cpp's server"
PAUSE_S = 0.3
"""Between two runs, so that the worker threads of the one before have gone to sleep."""


@dataclass(frozen=True)
class Case:
    """`together` prompts of `prompt` tokens at once, each answered with `predict` tokens."""

    name: str
    together: int
    prompt: int
    predict: int

    @property
    def counted(self) -> str:
        return "read" if self.predict == 1 else "generated"


@dataclass(frozen=True)
class Rivals:
    """The three that are measured. `other` is the address of llama.cpp's own server, empty when there is none."""

    service: Service
    loop: Child
    other: str


def run(bench: Bench) -> list[Figure]:
    """Measure every case; the three processes live side by side and work one after the other."""
    sizes = bench.options.sizes
    cases = [
        *(Case(f"prefill of {sizes.prefill:,}, {_many(n)}", n, sizes.prefill, 1) for n in (1, 4)),
        *(Case(f"generation of {sizes.generate}, {_many(n)}", n, SHORT, sizes.generate) for n in (1, 4)),
    ]
    flags = bench.flags(2 * sizes.prefill)
    with bench.workplace("throughput") as folder, ExitStack() as stack:
        service = stack.enter_context(Service(flags, folder))
        loop = stack.enter_context(Child("bench.bare", flags.arguments(folder), folder / "bare.log"))
        try:
            arguments = [str(flags.model), dumps(loop.hello["spec"])]
            other = stack.enter_context(Child("bench.upstream", arguments, folder / "upstream.log")).hello["url"]
        except ChildDied as died:
            bench.notes.append(f"llama.cpp's own server did not start and is not in the figures: {died}")
            other = ""
        rivals = Rivals(service, loop, other)
        room: int = loop.hello["spec"]["sequences"]
        if room < max(case.together for case in cases):
            bench.notes.append(f"This machine's memory holds {room} conversations, so more at once are not measured.")
        cases = [case for case in cases if case.together <= room]
        _measure(cases[0], rivals, 0, reverse=False)  # the first run of each maps the weights and warms the caches
        return [figure for case in cases for figure in _figures(case, rivals, sizes.repetitions)]


def _figures(case: Case, rivals: Rivals, repetitions: int) -> Iterator[Figure]:
    runs = [_measure(case, rivals, number, reverse=bool(number % 2)) for number in range(1, repetitions + 1)]
    speeds = {name: [run[name] for run in runs] for name in runs[0]}
    bare = speeds["bare loop"]
    shown = ", ".join(f"{name} {median(values):,.1f}" for name, values in speeds.items())
    pairs = [ours / theirs for ours, theirs in zip(speeds["service"], bare, strict=True)]
    yield Figure(
        "throughput",
        f"{case.name}: service / bare loop",
        paired_ratio(speeds["service"], bare),
        target=TARGET,
        detail=f"tokens/s {case.counted}: {shown}; ratios from {min(pairs):.3f} to {max(pairs):.3f}",
        data=speeds,
    )
    if rivals.other:
        yield Figure("throughput", f"{case.name}: llama.cpp's server / bare loop", paired_ratio(speeds[OTHER], bare))


def _measure(case: Case, rivals: Rivals, number: int, *, reverse: bool) -> dict[str, float]:
    """Return tokens/s of each rival over the same prompts, which nobody has seen before."""
    seeds = [100 * number + index for index in range(case.together)]
    texts = [fitted(seed, case.prompt, rivals.service.count_tokens) for seed in seeds]
    prompts: list[list[int]] = rivals.loop.ask(what="ids", prompts=texts)["ids"]
    order: list[tuple[str, Callable[[], float]]] = [
        ("service", lambda: asyncio.run(_service(case, rivals.service, texts, prompts))),
        ("bare loop", lambda: _bare(case, rivals.loop, prompts)),
    ]
    if rivals.other:
        order.append((OTHER, lambda: asyncio.run(_other(case, rivals.other, prompts))))
    speeds = {}
    for name, measured in reversed(order) if reverse else order:
        time.sleep(PAUSE_S)
        speeds[name] = measured()
    return {name: speeds[name] for name, _ in order}


async def _service(case: Case, service: Service, texts: list[str], prompts: list[list[int]]) -> float:
    """Count what was really read, so that a prefix that two prompts share by chance is no gain."""
    async with Client(service.where) as client:
        requests = [
            ChatRequest(prompt=text, max_tokens=case.predict, conversation=f"slot {slot}")
            for slot, text in enumerate(texts)
        ]
        seconds, answers = await _timed([client.ask(request) for request in requests])
    timings = [answer.timings for answer in answers]
    if [timing.prompt for timing in timings] != list(map(len, prompts)):
        raise AssertionError("the service reads other tokens than its rivals")
    return sum(t.read if case.predict == 1 else t.generated for t in timings) / seconds


def _bare(case: Case, loop: Child, prompts: list[list[int]]) -> float:
    seconds: float = loop.ask(what="run", prompts=prompts, predict=case.predict)["seconds"]
    return (sum(map(len, prompts)) if case.predict == 1 else case.predict * case.together) / seconds


async def _other(case: Case, url: str, prompts: list[list[int]]) -> float:
    async with httpx.AsyncClient(base_url=url, timeout=600, trust_env=False) as client:
        seconds, generated = await _timed([upstream.complete(client, prompt, case.predict) for prompt in prompts])
    return sum(map(len, prompts)) / seconds if case.predict == 1 else sum(generated) / seconds


async def _timed(awaited: list[Awaitable[T]]) -> tuple[float, list[T]]:
    began = time.perf_counter()
    results = await asyncio.gather(*awaited)
    return time.perf_counter() - began, list(results)


def _many(together: int) -> str:
    return "alone" if together == 1 else f"{together} at once"
