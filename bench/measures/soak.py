"""Soak: everything at once for a long while, with flat memory and without a single error."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from contextlib import aclosing
from dataclasses import dataclass, field
from statistics import median

from bench.client import Client, turns
from bench.report import Figure
from bench.run import Bench
from bench.service import MIB, Service
from bench.stats import slope
from bench.texts import prose
from inference.contracts import ChatRequest, Delta, Part, PoolName, Sampling
from inference.errors import InferenceError

SLOPE_MIB = 0.5
"""MiB a minute; half a gigabyte in a working day would be noticed."""

LONG_ENOUGH_S = 600.0
"""A slope over less than this says nothing."""

GROWTH_MIB = 64.0
WARM_UP = 0.2
"""Share of the time that is left out of the memory figures: pages are touched for the first time in it."""

PAUSES = 4.0
"""How long a person is silent after a conversation, in lengths of that conversation: the time that readings get."""

QUOTA = 256 * MIB
"""Small, so that snapshots are thrown out as well as written."""

SCHEMA = {"type": "object", "properties": {"title": {"type": "string", "maxLength": 40}}, "required": ["title"]}


@dataclass
class Load:
    """What has happened so far; `memory` holds (minutes, MiB)."""

    until: float
    done: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[float, float]] = field(default_factory=list)

    def is_over(self) -> bool:
        """The time is up."""
        return time.monotonic() >= self.until

    async def pause(self, seconds: float) -> None:
        """Do nothing for a while, and not beyond the end."""
        await asyncio.sleep(max(0.0, min(seconds, self.until - time.monotonic())))


def run(bench: Bench) -> list[Figure]:
    """Run conversations, service calls, readings and departures side by side."""
    seconds = bench.options.sizes.soak_s
    with bench.service("soak", 4096, quota=QUOTA) as service:
        load = Load(time.monotonic() + seconds)
        asyncio.run(_all(service, load))
        evicted = service.metrics()["snapshots_evicted_total"]
    warm = load.memory[int(WARM_UP * len(load.memory)) :]
    growth = _ends_differ(warm)
    shown = ", ".join(f"{number:,} {kind}" for kind, number in sorted(load.done.items()))
    wrong = ", ".join(f"{number} {kind}" for kind, number in sorted(load.errors.items()))
    detail = f"{seconds / 60:.1f} minutes: {shown}, {evicted:,.0f} snapshots thrown out"
    return [
        Figure("soak", "errors", load.errors.total(), "", 0, "at most", f"{detail}; {wrong}" if wrong else detail),
        Figure(
            "soak",
            "slope of the memory",
            slope(warm),
            "MiB/min",
            SLOPE_MIB if seconds >= LONG_ENOUGH_S else None,
            "at most",
            f"from {warm[0][1]:,.0f} to {warm[-1][1]:,.0f} MiB, highest {max(mib for _, mib in warm):,.0f}",
            {"minute": [minute for minute, _ in warm], "MiB": [mib for _, mib in warm]},
        ),
        Figure("soak", "memory gained after the warm-up", growth, "MiB", GROWTH_MIB, "at most"),
    ]


def _ends_differ(points: list[tuple[float, float]]) -> float:
    """Return how much higher the last fifth lies than the first, each by its median."""
    fifth = max(1, len(points) // 5)
    return median(mib for _, mib in points[-fifth:]) - median(mib for _, mib in points[:fifth])


async def _all(service: Service, load: Load) -> None:
    async with Client(service.where) as client, asyncio.TaskGroup() as tasks:
        for number in range(service.flags.conversations + 1):  # one more than there are slots, so that some wait
            tasks.create_task(_talk(client, load, number))
        tasks.create_task(_study(client, load))
        tasks.create_task(_call(client, load))
        tasks.create_task(_leave(client, load))
        tasks.create_task(_watch(service, load))


async def _talk(client: Client, load: Load, number: int) -> None:
    """Hold conversations of three turns, warm ones, each about a report of its own."""
    draw = random.Random(number)
    while not load.is_over():
        began, key = time.monotonic(), f"{number}-{draw.randint(0, 10**9)}"
        said = [prose(draw.randint(0, 10**6), draw.randint(5, 30))]
        for _ in range(3):
            sampling = Sampling(temperature=0.7, top_k=40, top_p=0.95, seed=draw.randint(0, 999))
            request = ChatRequest(messages=turns(*said), sampling=sampling, max_tokens=48, conversation=key)
            said += [await _ask(client, load, "turns", request) or "…", "Go on."]
            if load.is_over():
                return
        await load.pause(PAUSES * (time.monotonic() - began))


async def _study(client: Client, load: Load) -> None:
    draw = random.Random(101)
    while not load.is_over():
        seed = draw.randint(0, 10**6)
        document = (Part(prose(seed, draw.randint(20, 60)), boundary=f"document {seed}"), Part("\n\nSummarise it."))
        request = ChatRequest(messages=turns(document), pool=PoolName.STUDY, max_tokens=32, save=(f"document {seed}",))
        await _ask(client, load, "readings", request)


async def _call(client: Client, load: Load) -> None:
    draw = random.Random(102)
    while not load.is_over():
        words = turns(f"Give this a title, as JSON. {prose(draw.randint(0, 10**6), 6)}")
        sampling = Sampling(grammar_schema=SCHEMA)
        request = ChatRequest(messages=words, pool=PoolName.SERVICE, sampling=sampling, max_tokens=48)
        await _ask(client, load, "service calls", request)
        await load.pause(draw.uniform(0, 1))


async def _leave(client: Client, load: Load) -> None:
    """Ask and go away after a few words."""
    draw = random.Random(103)
    while not load.is_over():
        pool, words = draw.choice(list(PoolName)), draw.randint(0, 5)
        request = ChatRequest(messages=turns(prose(draw.randint(0, 10**6), 15)), pool=pool, max_tokens=200)
        try:
            async with aclosing(client.stream(request)) as events:
                async for event in events:
                    words -= isinstance(event, Delta)
                    if words < 0:
                        break
            load.done["departures"] += 1
        except InferenceError as error:
            load.errors[error.code] += 1
        await load.pause(draw.uniform(0, 1))


async def _ask(client: Client, load: Load, kind: str, request: ChatRequest) -> str:
    try:
        answer = await client.ask(request)
    except InferenceError as error:
        load.errors[error.code] += 1
        return ""
    load.done[kind] += 1
    return answer.text


async def _watch(service: Service, load: Load) -> None:
    began = time.monotonic()
    while not load.is_over():
        load.memory.append(((time.monotonic() - began) / 60, service.memory_mib()))
        await asyncio.sleep(min(5.0, (load.until - began) / 50))
