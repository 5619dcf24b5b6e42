"""The measure: the model is changed again and again while questions are asked, and everything is watched."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.report import Figure
from bench.study.desk import Desk
from bench.study.installation import Installation, Trouble
from bench.switching.asking import Asked, Stream
from bench.switching.watching import Sample, Watch, lives, most_at_once, shortest_gap
from inference.supervise import status
from inference.supervise.processes import Mark, find
from inference.switching.machine import Purpose, Step
from inference.switching.report import told

NAME = "switching"
LOOK_S = 0.05
MEGABYTE = 1024**2


@dataclass(frozen=True)
class Change:
    """One change: to which model, seconds from the choice to its being in use, and where it listens."""

    model: str
    seconds: float
    address: str


@dataclass
class Seen:
    """Everything that was seen."""

    changes: list[Change] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    first_address: str = ""
    left: int = 0


def measure(installation: Installation, models: Sequence[str], switches: int) -> Seen:
    """Switch through the models in turn, `switches` times; the first of them is in use at the beginning.

    Raises Trouble when a model does not come into use.
    """
    seen = Seen()
    with installation, Watch(installation.home / "run") as watch:
        seen.first_address = installation.service.url
        order = [models[n % len(models)] for n in range(1, switches + 1)]
        try:
            asyncio.run(_switch(installation, order, seen))
        except Trouble as error:
            raise Trouble(f"{error} The terminal said: {_last_words(installation)}") from error
    seen.samples = watch.samples
    seen.left = len(find(Mark(installation.home / "run")))
    return seen


def _last_words(installation: Installation) -> str:
    lines = (installation.home / "up.log").read_text(errors="replace").splitlines()
    return " / ".join(lines[-5:])


async def _switch(installation: Installation, order: Sequence[str], seen: Seen) -> None:
    async with Desk(installation.port, installation.project_id) as desk:
        stream = Stream(desk, lambda turn: _code_of(installation, turn), seen.asked)
        asking = asyncio.create_task(stream.run())
        try:
            await _one_more(stream, asking)
            for model in order:
                seen.changes.append(await _change(installation, model))
                # A question that was asked of the new model alone, beside the one that met the change.
                await _one_more(stream, asking)
                await _one_more(stream, asking)
            stream.stopped = True
            await asking
        finally:
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking


def _code_of(installation: Installation, turn: int) -> str:
    return str(dict(installation.rows("SELECT id, error_code FROM projects_turn"))[turn])


async def _change(installation: Installation, model: str) -> Change:
    await asyncio.to_thread(installation.manage, "models", "activate", model)
    began = time.monotonic()
    await asyncio.to_thread(_until_in_use, installation.home / "run", model)
    return Change(model, time.monotonic() - began, installation.service.url)


def _until_in_use(run_dir: Path, model: str) -> None:
    while not _is_in_use(run_dir, model):
        time.sleep(LOOK_S)


def _is_in_use(run_dir: Path, model: str) -> bool:
    running = status.read(run_dir)
    report = running.model if running else None
    if report is None or report.step is Step.FAILED or report.purpose is Purpose.ROLL_BACK:
        raise Trouble(f"{model} did not come into use. {told(report) if report else 'Nothing runs.'}")
    return report.step is Step.IN_USE and report.model == model


async def _one_more(stream: Stream, asking: asyncio.Task[None]) -> None:
    """Wait until one more question is answered. Raises what the stream ended with."""
    before = stream.answered
    while stream.answered == before:
        if asking.done():
            await asking
            raise Trouble("The questions have ended before the changes.")
        await asyncio.sleep(LOOK_S)


def figures_of(seen: Seen) -> list[Figure]:
    """Return what was seen as figures."""
    return [*_of_processes(seen), *_of_questions(seen), *_of_changes(seen)]


def _of_processes(seen: Seen) -> list[Figure]:
    found = lives(seen.samples)
    every = 1000 * (seen.samples[-1].moment - seen.samples[0].moment) / max(1, len(seen.samples) - 1)
    ports = {seen.first_address, *(change.address for change in seen.changes)}
    gap = 1000 * shortest_gap(seen.samples)
    watched = f"{len(seen.samples)} samples of /proc, one every {every:.0f} ms"
    peaks = [held / MEGABYTE for _, _, held in found]
    return [
        Figure(NAME, "model processes at once, most", most_at_once(seen.samples), "", 1, "at most", watched),
        Figure(
            NAME, "memory of old and new apart by, least", gap, "ms", 0, detail="from the last sample with the old one"
        ),
        Figure(NAME, "resident memory of one process, most", max(peaks), "MB", data={"peaks": peaks}),
        Figure(NAME, "processes that there were", len(found), "", len(seen.changes) + 1, "at most"),
        Figure(NAME, "addresses of the model service", len(ports), "", 1, "at most"),
        Figure(NAME, "processes left when all was stopped", seen.left, "", 0, "at most"),
    ]


def _of_questions(seen: Seen) -> list[Figure]:
    answered = [question.seconds for question in seen.asked if question.answered]
    told_ = sum(question.told for question in seen.asked)
    unclear = told_ - sum(question.plainly for question in seen.asked)
    lost = len(seen.asked) - len(answered)
    return [
        Figure(NAME, "questions asked", len(seen.asked)),
        Figure(NAME, "questions without an answer", lost, "", 0, "at most"),
        Figure(NAME, "told to try again, and then answered", told_),
        Figure(NAME, "failures that did not say so", unclear, "", 0, "at most"),
        Figure(
            NAME, "question to answer, longest", max(answered), "s",
            detail=f"{median(answered):.2f} s at the median, trying again included", data={"seconds": answered},
        ),
    ]  # fmt: skip


def _of_changes(seen: Seen) -> list[Figure]:
    figures = [Figure(NAME, "changes", len(seen.changes))]
    for model in dict.fromkeys(change.model for change in seen.changes):
        seconds = [change.seconds for change in seen.changes if change.model == model]
        detail = f"{len(seconds)} changes, {max(seconds):.2f} s the longest; answers under way may end first"
        figures.append(Figure(NAME, f"chosen to in use, {model}", median(seconds), "s", None, detail=detail))
    return figures
