"""The measure of live questions: asked through the web process's websocket while the study reads, and while not."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from bench.client import Client, turns
from bench.report import Figure
from bench.stats import percentile
from bench.study.desk import Desk, has_begun
from bench.study.installation import Installation, Metrics
from bench.study.run import Run
from inference.contracts import ChatRequest

TARGET_MS = 50.0
FEW = 40
"""Questions below which a 95th percentile says little."""
WARM_UP = 3
"""Questions that are not counted: the first ones load what the web process has not used yet."""
DIRECTLY = 5
"""Of so many questions one more is put to the model service itself."""
IDLE_IN_A_ROW = 3
"""Questions between two steps. The reader begins no step within 4 s of one, so they meet a model without work."""
LOOK_S = 0.05
WORDS = 4


@dataclass(frozen=True)
class Heard:
    """A question through the websocket: milliseconds from sending it to the first sign that the model works on it, and
    of these in the engine, from arrival to the start of its decode; whether a prompt of the study was put aside for it.
    """

    begun_ms: float
    wait_ms: float
    interrupted: bool


@dataclass
class Sample:
    """What was measured; `direct` are the waits of questions to the model service itself."""

    busy: list[Heard] = field(default_factory=list)
    idle: list[Heard] = field(default_factory=list)
    direct: list[float] = field(default_factory=list)


@dataclass
class Asker:
    """Asks questions about the documents' own words, each another one, at random moments."""

    desk: Desk
    client: Client
    metrics: Metrics
    texts: Sequence[str]
    pause_s: float
    draw: random.Random = field(default_factory=lambda: random.Random(3))

    async def pause(self) -> None:
        """Let a random time pass."""
        await asyncio.sleep(self.draw.uniform(0, self.pause_s))

    async def ask(self) -> Heard | None:
        """Ask, and stop the answer as soon as the model works on it; None where it was not needed.

        While it does, nothing of the study is computed: what is being read then was being read when the question came.
        """
        before = self.metrics.now()
        turn, sent = await self.desk.ask(self._question())
        frame, begun = await self.desk.until(has_begun)
        after = self.metrics.now()
        if frame["type"] == "ended":
            return None
        await self.desk.stop(turn)
        waits = _difference(before, after, "conversation_wait_seconds_count")
        if waits != 1:
            return None
        wait_s = _difference(before, after, "conversation_wait_seconds_sum")
        return Heard(1000 * (begun - sent), 1000 * wait_s, after["study_reading"] > 0)

    async def ask_directly(self) -> float:
        """Put a short question to the model service; return the milliseconds until its decode started."""
        question = turns(f"Question {self.draw.randint(1, 999)}: is this number even? Say yes or no.")
        answer = await self.client.ask(ChatRequest(messages=question, max_tokens=4, conversation="live"))
        return answer.timings.wait_ms

    def _question(self) -> str:
        words = self.draw.choice(self.texts).split()
        start = self.draw.randrange(max(1, len(words) - WORDS))
        return f"What does it say about {' '.join(words[start : start + WORDS])}?"


def live(run: Run) -> list[Figure]:
    """Ask at random moments of the study's reading, and between its steps, of the same installation."""
    with run.installation("live") as here:
        here.add(run.files, paused=True)
        here.until(here.is_quiet, "everything else is done")
        sample = asyncio.run(_sample(run, here))
    if not sample.busy:
        run.notes.append("The study was over before a live question met it.")
        return []
    if len(sample.busy) < FEW:
        run.notes.append(f"Only {len(sample.busy)} live questions met the study: too few for a 95th percentile.")
    return figures_of(sample)


async def _sample(run: Run, here: Installation) -> Sample:
    texts = list(here.texts().values())
    async with Desk(here.port, here.project_id) as desk, Client(here.service) as client:
        asker = Asker(desk, client, Metrics(here.service), texts, run.options.pause_s)
        for _ in range(WARM_UP):
            await asker.ask()
        await asyncio.to_thread(here.manage, "study", "resume")
        return await ask_on(asker, run.options.questions, here.is_read)


async def ask_on(asker: Asker, questions: int, is_over: Callable[[], bool]) -> Sample:
    """Ask until so many questions have met the study's reading, or the study is over."""
    sample, left = Sample(), 0
    while len(sample.busy) < questions and not is_over():
        now = asker.metrics.now()
        if now["study_reading"]:
            left = IDLE_IN_A_ROW
            await asker.pause()
            if not asker.metrics.now()["study_reading"]:
                continue
            if len(sample.direct) * DIRECTLY < len(sample.busy):
                sample.direct.append(await asker.ask_directly())
            elif (heard := await asker.ask()) and heard.interrupted:
                sample.busy.append(heard)
        elif not now["study_active"] and left and len(sample.idle) < len(sample.busy):
            left -= 1
            await asker.pause()
            if (heard := await asker.ask()) and not asker.metrics.now()["study_active"]:
                sample.idle.append(heard)
        else:
            await asyncio.sleep(LOOK_S)
    return sample


def figures_of(sample: Sample) -> list[Figure]:
    """Return the figures: the two waits that have a target, and what a person waits beside a study and without."""
    waits = [heard.wait_ms for heard in sample.busy]
    figures = [_wait("through the websocket", waits)]
    if sample.direct:
        figures.append(_wait("asked at the model service", sample.direct))
    busy, idle = ([heard.begun_ms for heard in some] for some in (sample.busy, sample.idle))
    figures.append(_begun("while the study reads", busy))
    if idle:
        figures.append(_begun("between its steps", idle))
    return figures


def _wait(how: str, waits: Sequence[float]) -> Figure:
    worst, data = percentile(waits, 0.95), {"ms": waits}
    name = f"{how}: until the decode starts, 95th percentile"
    return Figure("live", name, worst, "ms", TARGET_MS, "at most", _spread(waits), data)


def _begun(when: str, waits: Sequence[float]) -> Figure:
    name = f"{when}: from sending to the first sign of the model, median"
    detail = f"{_spread(waits)}, 95th percentile {percentile(waits, 0.95):.0f}"
    return Figure("live", name, median(waits), "ms", detail=detail, data={"ms": waits})


def _spread(waits: Sequence[float]) -> str:
    return f"{len(waits)} questions; median {median(waits):.1f}, longest {max(waits):.1f}"


def _difference(before: Mapping[str, float], after: Mapping[str, float], name: str) -> float:
    return after[name] - before[name]
