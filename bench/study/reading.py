"""The measure of what reading ahead costs and leaves: tokens and time, right figures, and the first broad question."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

import httpx

from bench.client import Client, turns
from bench.report import Figure
from bench.study.desk import Desk, has_ended, has_words
from bench.study.installation import Installation, Metrics
from bench.study.run import Run
from bench.study.summaries import look_up
from inference.contracts import ChatRequest, PoolName
from inference.endpoint import Endpoint

PREPARED = "What are these documents about?"
BROAD = "Give me an overview of all of these files."
BROADER = "Give me an outline of what is in all of these documents."
AT_ONCE = "other words, at once"
FIRST = (("prepared", PREPARED, False), (AT_ONCE, BROAD, False), ("other words", BROADER, True))
READ = "study_read_tokens_total"


def reading(run: Run) -> list[Figure]:
    """Read the corpus once plainly, then ahead; look at every figure; restart everything and ask broad questions."""
    with run.installation("reading") as here:
        here.add(run.files, paused=True)
        here.until(here.is_quiet, "everything else is done")
        texts = here.texts()
        corpus = _tokens(here.service, texts)
        metrics = Metrics(here.service)
        plain_s = asyncio.run(_plain(here.service, texts))
        before, began = metrics.now()[READ], time.monotonic()
        here.manage("study", "resume")
        here.until(here.is_read, "all is read")
        study_s, read = time.monotonic() - began, metrics.now()[READ] - before
        figures = [*_cost(here, corpus, int(read)), *_time(plain_s, study_s), *_figures_in_summaries(run, here, texts)]
        return [*figures, *_first_questions(here)]


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


def _cost(here: Installation, corpus: int, read: int) -> list[Figure]:
    """Compare by what the engine has counted; the study's own accounts stand beside it, by kind."""
    by_kind = here.rows("SELECT kind, SUM(tokens), SUM(seconds) FROM study_studytask GROUP BY kind")
    parts = "; ".join(f"{kind}: {tokens} tokens, {seconds:.0f} s" for kind, tokens, seconds in by_kind)
    detail = f"{read} of {corpus} tokens; by the study's accounts {parts}"
    return [Figure("reading", "tokens read over those of the corpus", read / corpus, "", 1.3, "at most", detail)]


def _time(plain_s: float, study_s: float) -> list[Figure]:
    return [
        Figure("reading", "one plain read of the corpus", plain_s, "s"),
        Figure("reading", "the whole study", study_s, "s", detail=f"{study_s / plain_s:.2f} plain reads"),
    ]


def _figures_in_summaries(run: Run, here: Installation, texts: Mapping[str, str]) -> list[Figure]:
    """Count the figures of the summaries that are in their documents; name those that are not."""
    query = (
        "SELECT d.name, s.text, s.dropped FROM study_documentsummary s JOIN projects_document d ON d.id = s.document_id"
    )
    rows = here.rows(query)
    found = {name: look_up(summary, texts[name]) for name, summary, _ in rows}
    offenders = [f"{name}: {value}" for name, one in found.items() for value in one.missing]
    run.notes += [f"Not in the document: {offender}" for offender in offenders]
    figures = sum(one.figures for one in found.values())
    share = 1 - len(offenders) / figures if figures else 0.0
    words = sum(len(summary.split()) for _, summary, _ in rows)
    detail = (
        f"{len(offenders)} of {figures} not in their document; {len(rows)} summaries of {words} words; "
        f"{sum(dropped for *_, dropped in rows)} sentences had been dropped for such a figure"
    )
    return [Figure("reading", "figures of the summaries that are right", share, "", 0.98, "at least", detail)]


def _first_questions(here: Installation) -> list[Figure]:
    """Restart everything before each question: one that was prepared, and two in other words.

    Of these one comes as soon as the page is there and meets the loading of the search by meaning, which has no target;
    the other comes when that is over, after the time that a person takes to read the page and to type.
    """
    figures = []
    for name, question, settled in FIRST:
        here.stop()
        here.start()
        opened = time.monotonic()
        here.open_desk()
        if settled:
            here.until(here.is_settled, "the search by meaning is loaded")
        loaded_s = time.monotonic() - opened
        first_s, total_s = asyncio.run(_asked(here, question))
        turn = "SELECT lane, prompt_tokens, read_tokens, ttft_s, state FROM projects_turn ORDER BY id DESC LIMIT 1"
        lane, prompt, read, ttft_s, state = here.rows(turn)[0]
        label = f"first question after a restart ({name})"
        detail = f"lane {lane}, {prompt} tokens in the prompt, {total_s:.1f} s in all, {state}"
        served = f"{loaded_s:.1f} s after the page was opened; {ttft_s or 0:.2f} s by the server's clock"
        target = None if name == AT_ONCE else 1.0
        figures.append(Figure("restart", f"{label}: tokens read", read, "", 64, "at most", detail))
        figures.append(Figure("restart", f"{label}: first word", first_s, "s", target, "at most", served))
    return figures


async def _asked(here: Installation, question: str) -> tuple[float, float]:
    """Ask through the websocket; return the seconds to the first words and to the end."""
    async with Desk(here.port, here.project_id) as desk:
        _, sent = await desk.ask(question)
        frame, first = await desk.until(has_words)
        _, ended = (frame, first) if has_ended(frame) else await desk.until(has_ended)
        return first - sent, ended - sent
