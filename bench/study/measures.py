"""The measures of the study: what it costs and leaves, live questions beside it, and kills."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import httpx

from bench.client import Client, turns
from bench.report import Figure
from bench.stats import percentile
from bench.study.installation import PROJECT, Installation
from bench.study.options import Options
from inference.contracts import ChatRequest, PoolName
from inference.endpoint import Endpoint
from study.faithful import Values
from study.plan import STRETCH
from study.sentences import sentences, without_marks

PREPARED = "What are these documents about?"
BROAD = "Give me an overview of all of these files."
PAUSE_S = 4.0
"""Longest pause between two live questions."""
BETWEEN_KILLS_S = 30.0
"""Longest time between everything running and the next kill: some steps are cut off, others are not."""
TAIL = 200
"""Tokens of a step beside its stretch: system text, question, and what is computed again at a cut."""


@dataclass
class Run:
    """One run: options, the files that are read, a folder, and notes for whoever reads the figures."""

    options: Options
    files: Sequence[Path]
    folder: Path
    notes: list[str] = field(default_factory=list)

    def installation(self, name: str) -> Installation:
        """Return an installation without documents."""
        return Installation(self.folder / name, self.options.model.id)


def reading(run: Run) -> list[Figure]:
    """Read the corpus once plainly, then ahead; restart everything and ask a broad question; look at every figure."""
    here = run.installation("reading")
    here.start()
    try:
        here.add(run.files, paused=True)
        texts = here.texts()
        corpus = _tokens(here.service, texts)
        plain_s = asyncio.run(_plain(here.service, texts))
        began = time.monotonic()
        here.manage("study", "resume")
        here.until(here.is_read, "all is read")
        study_s = time.monotonic() - began
        figures = [*_cost(here, corpus, plain_s, study_s), *_figures_in_summaries(run, here, texts)]
        here.stop()
        here.start()
        return [*figures, *_first_questions(here)]
    finally:
        here.stop()


def live(run: Run) -> list[Figure]:
    """Ask at random moments while the corpus is read ahead."""
    here = run.installation("live")
    here.start()
    try:
        here.add(run.files, paused=False)
        waits = asyncio.run(_live(here.service, here, run.options.questions))
        here.until(here.is_read, "all is read")
    finally:
        here.stop()
    if not waits:
        run.notes.append("The study was over before a live question could be asked.")
        return []
    shown = f"{len(waits)} questions; median {median(waits):.1f}, longest {max(waits):.1f}"
    worst = percentile(waits, 0.95)
    return [
        Figure("live", "until its decode starts, 95th percentile", worst, "ms", 50, "at most", shown, {"ms": waits})
    ]


def kills(run: Run) -> list[Figure]:
    """Kill reader, model service or everything at random moments of the study, until it is over."""
    here = run.installation("kills")
    draw = random.Random(7)
    here.start()
    done = 0
    try:
        here.add(run.files, paused=False)
        while done < run.options.kills and not here.is_read():
            time.sleep(draw.uniform(0, BETWEEN_KILLS_S))
            here.kill(draw.choice(("reader", "inference", "")))
            done += 1
            here.until(here.is_up, "everything runs again")
        here.until(here.is_read, "all is read")
        if done < run.options.kills:
            run.notes.append(f"The study was over after {done} of {run.options.kills} kills.")
        return _after_kills(here, len(run.files), done)
    finally:
        here.stop()


def _tokens(where: Endpoint, texts: Mapping[str, str]) -> int:
    headers = {"Authorization": f"Bearer {where.key}"}
    body = {"texts": list(texts.values())}
    reply = httpx.post(f"{where.url}/tokenize", json=body, headers=headers, timeout=60, trust_env=False)
    return sum(reply.raise_for_status().json()["counts"])


async def _plain(where: Endpoint, texts: Mapping[str, str]) -> float:
    """Return the seconds that one plain read of each text takes."""
    seconds = 0.0
    async with Client(where) as client:
        for text in texts.values():
            answer = await client.ask(ChatRequest(messages=turns(text), pool=PoolName.STUDY, max_tokens=1))
            seconds += answer.timings.read_ms / 1000
    return seconds


def _cost(here: Installation, corpus: int, plain_s: float, study_s: float) -> list[Figure]:
    tokens = here.rows("SELECT SUM(tokens) FROM study_studytask")[0][0]
    by_kind = here.rows("SELECT kind, SUM(tokens), SUM(seconds) FROM study_studytask GROUP BY kind")
    parts = "; ".join(f"{kind}: {read} tokens, {seconds:.0f} s" for kind, read, seconds in by_kind)
    share = tokens / corpus
    return [
        Figure(
            "reading", "tokens read over those of the corpus", share, "", 1.3, "at most", f"{corpus} tokens; {parts}"
        ),
        Figure("reading", "one plain read of the corpus", plain_s, "s"),
        Figure("reading", "the whole study", study_s, "s", detail=f"{study_s / plain_s:.2f} plain reads"),
    ]


def _figures_in_summaries(run: Run, here: Installation, texts: Mapping[str, str]) -> list[Figure]:
    """Count the values of the summaries that are in their documents; print those that are not."""
    query = "SELECT d.name, s.text FROM study_documentsummary s JOIN projects_document d ON d.id = s.document_id"
    good, offenders = 0, []
    for name, summary in here.rows(query):
        values = Values.of(texts[name])
        for sentence in sentences(summary):
            missing = values.lacks(without_marks(sentence))
            offenders += [f"{name}: {value}" for value in missing]
            good += sum(char.isdigit() for char in sentence) > 0
    run.notes += [f"Not in the document: {offender}" for offender in offenders]
    share = good / (good + len(offenders)) if good or offenders else 1.0
    detail = f"{good} sentences with figures, {len(offenders)} figures that are not in their document"
    return [Figure("reading", "figures of the summaries that are right", share, "", 0.98, "at least", detail)]


def _first_questions(here: Installation) -> list[Figure]:
    """Ask the first questions after a restart: one that was prepared, and one in other words."""
    figures = []
    for name, question in (("prepared", PREPARED), ("other words", BROAD)):
        told = here.manage("ask", PROJECT, question, "--fresh")
        detail = f"lane {told['lane']}, {told['prompt_tokens']} tokens in the prompt, {told['total_s']} s in all"
        label = f"first broad question after a restart ({name})"
        figures.append(Figure("restart", f"{label}: tokens read", told["read_tokens"], "", 64, "at most", detail))
        figures.append(Figure("restart", f"{label}: first word", told["ttft_s"] or 0.0, "s", 1.0, "at most"))
    return figures


async def _live(where: Endpoint, here: Installation, questions: int) -> list[float]:
    draw = random.Random(3)
    waits: list[float] = []
    async with Client(where) as client:
        while len(waits) < questions and not here.is_read():
            await asyncio.sleep(draw.uniform(0, PAUSE_S))
            question = turns(f"Question {draw.randint(1, 999)}: is this number even? Say yes or no.")
            answer = await client.ask(ChatRequest(messages=question, max_tokens=4, conversation="live"))
            waits.append(answer.timings.wait_ms)
    return waits


def _after_kills(here: Installation, files: int, done: int) -> list[Figure]:
    """Say what the kills have left: nothing open, nothing twice, and no step that read more than its stretch."""
    read = here.rows("SELECT COUNT(*), COUNT(DISTINCT document_id) FROM study_documentsummary")[0]
    sections = "SELECT COUNT(*) - COUNT(DISTINCT document_id || ':' || step) FROM study_sectionsummary"
    twice = read[0] - read[1] + here.rows(sections)[0][0]
    left = here.rows("SELECT COUNT(*) FROM study_studytask WHERE state <> 'done'")[0][0]
    longest = here.rows(
        "SELECT MAX(tokens - checkpoint * tokens_total / MAX(steps, 1)) FROM study_studytask WHERE kind = 'document'"
    )[0][0]
    detail = f"{done} kills"
    return [
        Figure("kills", "documents without a summary", files - read[1], "", 0, "at most", detail),
        Figure("kills", "summaries that are there twice", twice, "", 0, "at most"),
        Figure("kills", "tasks that are not done", left, "", 0, "at most"),
        Figure("kills", "tokens beyond its text that a document read", longest or 0, "", STRETCH + TAIL, "at most"),
    ]


MEASURES = {"reading": reading, "live": live, "kills": kills}
