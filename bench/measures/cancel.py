"""Cancel: requests that end at random moments leave every slot whole and no memory behind."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from bench.client import Client, turns
from bench.report import Figure
from bench.run import Bench
from bench.service import Service
from bench.texts import prose
from inference.contracts import ChatRequest, Delta, PoolName, Progress

GROWTH_MIB = 32.0
"""More than this is a leak; the allocator keeps a little."""

PHASES = ("in line", "reading", "answering")
IDLE_S = 5.0
CHECK = 3
"""Sentences of the prompts that check a slot."""

SENTENCE = 30
"""Tokens of one, about."""


@dataclass(frozen=True)
class Seat:
    """A slot as a client can address it: a pool, and the conversation that the slot served last."""

    pool: PoolName
    conversation: str = ""

    def request(self, text: str, tokens: int) -> ChatRequest:
        return ChatRequest(messages=turns(text), pool=self.pool, conversation=self.conversation, max_tokens=tokens)


def run(bench: Bench) -> list[Figure]:
    """Cancel in waves that are larger than the pools, and compare each slot's next answer with its clean one."""
    sizes = bench.options.sizes
    with bench.service("cancel", 4 * sizes.turn) as service:
        return asyncio.run(_measure(service, sizes.cancels, sizes.turn // SENTENCE))


async def _measure(service: Service, cancels: int, sentences: int) -> list[Figure]:
    seats = [Seat(PoolName.CONVERSATION, f"seat {number}") for number in range(service.flags.conversations)]
    seats += [Seat(PoolName.SERVICE), Seat(PoolName.STUDY)]
    draw = random.Random(2)
    phases: Counter[str] = Counter()
    unlike = checked = waves = 0
    async with Client(service.where) as client:
        await _wave(client, seats, draw, sentences)  # what is allocated once is allocated now
        clean = await _check(client, seats)
        before = service.memory_mib()
        while phases.total() < cancels:
            phases.update(await _wave(client, seats, draw, sentences))
            waves += 1
            answers = await _check(client, seats)
            checked += len(answers)
            unlike += sum(got != expected for got, expected in zip(answers, clean, strict=True))
        busy = await _still_busy(service)
    after = service.memory_mib()
    shown = ", ".join(f"{number} {phase}" for phase, number in sorted(phases.items()))
    detail = f"{phases.total()} requests ended early in {waves} waves: {shown}"
    return [
        Figure("cancel", "next answers unlike the clean one", unlike, f"of {checked}", 0, "at most", detail),
        Figure("cancel", "requests left in a slot or in line", busy, "", 0, "at most"),
        Figure(
            "cancel",
            "memory gained",
            after - before,
            "MiB",
            GROWTH_MIB,
            "at most",
            f"{before:,.0f} MiB before, {after:,.0f} after",
        ),
    ]


async def _wave(client: Client, seats: Sequence[Seat], draw: random.Random, sentences: int) -> list[str]:
    """Start twice as many requests as there are slots and leave each at a moment of its own; return the phases."""
    requests = [seat.request(prose(draw.randint(0, 10**6), sentences), 2 * SENTENCE) for seat in [*seats, *seats]]
    draw.shuffle(requests)
    plans = [(request, draw.choice(PHASES), draw.uniform(0, 0.25)) for request in requests]
    return await asyncio.gather(*(_abandon(client, *plan) for plan in plans))


async def _abandon(client: Client, request: ChatRequest, planned: str, delay: float) -> str:
    """Leave a request `delay` seconds after it has come to a phase, and return the phase that it was in by then."""
    phase = "in line"
    ready = asyncio.Event()
    if planned == phase:
        ready.set()

    async def follow() -> None:
        nonlocal phase
        async with aclosing(client.stream(request)) as events:
            async for event in events:
                if isinstance(event, Progress) and event.total and phase == "in line":
                    phase = "reading"
                elif isinstance(event, Delta):
                    phase = "answering"
                if phase in (planned, "answering"):
                    ready.set()

    task = asyncio.ensure_future(follow())
    waiting = asyncio.ensure_future(ready.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.wait({task}, timeout=delay)
    left = "done already" if task.done() else phase
    for pending in (task, waiting):
        pending.cancel()
    outcome, _ = await asyncio.gather(task, waiting, return_exceptions=True)
    if isinstance(outcome, Exception):
        raise outcome
    return left


async def _check(client: Client, seats: Sequence[Seat]) -> list[str]:
    """Return each slot's answer to its own question; one after the other, so that none depends on its neighbours."""
    return [(await client.ask(seat.request(prose(number, CHECK), 16))).text for number, seat in enumerate(seats)]


async def _still_busy(service: Service) -> float:
    """Return how many requests are in slots or in line once the service has had its time to let go."""
    for _ in range(int(IDLE_S / 0.1)):
        metrics = service.metrics()
        busy = sum(value for name, value in metrics.items() if name.endswith(("_active", "_waiting")))
        if busy == 0:
            break
        await asyncio.sleep(0.1)
    return busy
