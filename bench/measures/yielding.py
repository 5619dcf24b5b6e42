"""Yield: how soon a live question is worked on while a document is being read, and what that does to the reading."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import aclosing
from itertools import count
from statistics import median

from bench.client import Answer, Client, turns
from bench.report import Figure
from bench.run import Bench
from bench.stats import percentile
from bench.texts import fitted, opener
from inference.contracts import ChatRequest, Delta, PoolName, Progress

TARGET_MS = 50.0
PAUSE_S = 0.4
"""Longest pause between two questions; each is drawn from 0 to this."""

TASK = "\n\nSummarise this report in one sentence."


class Reader:
    """Reads documents in the study pool, one after the other, until it is told that it is enough."""

    def __init__(self, client: Client, texts: Sequence[str]) -> None:
        """Two texts or more: asked for the same one again, the slot would still hold it."""
        self._client = client
        self._texts = texts
        self.at_work = asyncio.Event()
        """Set while a prompt is being read."""
        self.enough = False
        self.answers: list[tuple[int, str]] = []
        """Which text, and the answer about it."""

    async def read_on(self) -> None:
        """Read until `enough`; what has been begun is read to its end."""
        for number in count():
            if self.enough:
                return
            which = number % len(self._texts)
            self.answers.append((which, await self._read(self._texts[which])))

    async def _read(self, text: str) -> str:
        pieces: list[str] = []
        async with aclosing(self._client.stream(study(text))) as events:
            async for event in events:
                if isinstance(event, Progress) and event.read < event.total:
                    self.at_work.set()
                else:
                    self.at_work.clear()
                if isinstance(event, Delta):
                    pieces.append(event.text)
        return "".join(pieces)


def run(bench: Bench) -> list[Figure]:
    """Ask at random moments of a reading that is repeated for as long as there are questions."""
    sizes = bench.options.sizes
    with bench.service("yield", sizes.study + 512) as service:
        texts = [fitted(seed, sizes.study, service.count_tokens) for seed in (1, 2)]
        return asyncio.run(_measure(Client(service.where), texts, sizes.questions))


async def _measure(client: Client, texts: Sequence[str], questions: int) -> list[Figure]:
    async with client:
        expected = [(await client.ask(study(text))).text for text in texts]
        reader = Reader(client, texts)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(reader.read_on())
            live = await _ask_live(client, reader, questions)
            reader.enough = True
    unlike = sum(text != expected[which] for which, text in reader.answers)
    return [
        _delay("until its decode starts, as the service says", [answer.timings.wait_ms for answer in live]),
        _delay("until the client hears that it has started", [1000 * answer.first_progress for answer in live]),
        Figure("yield", "readings that end unlike undisturbed ones", unlike, f"of {len(reader.answers)}", 0, "at most"),
    ]


async def _ask_live(client: Client, reader: Reader, questions: int) -> list[Answer]:
    draw = random.Random(1)
    live = []
    for number in range(questions):
        await asyncio.sleep(draw.uniform(0, PAUSE_S))
        await reader.at_work.wait()
        question = turns(f"{opener(number)} In one word: is {draw.randint(1, 999)} even or odd?")
        live.append(await client.ask(ChatRequest(messages=question, max_tokens=4, conversation=f"live {number % 4}")))
    return live


def study(text: str) -> ChatRequest:
    """Return the request that reads a document in the background."""
    return ChatRequest(messages=turns(text + TASK), pool=PoolName.STUDY, max_tokens=24)


def _delay(name: str, values: Sequence[float]) -> Figure:
    shown = f"{len(values)} questions; median {median(values):.1f}, longest {max(values):.1f}"
    worst = percentile(values, 0.95)
    return Figure("yield", f"{name}, 95th percentile", worst, "ms", TARGET_MS, "at most", shown, {"ms": values})
