"""Testing the connection to a server, with a sentence of our own: nothing of any document is sent."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace

from inference.contracts import ChatMessage, ChatRequest, Delta, Finished
from inference.errors import InferenceError
from inference.external.choice import Server
from inference.external.connection import forget_learned
from inference.external.report import MOST_MODELS, Report
from inference.external.server import ExternalServer
from inference.external.wire import Reader

FIRST_S = 60.0
"""For the first word: a server that loads its model only now takes that long."""
QUESTION = "Is water wet? Answer with Yes or No."
ANSWER_TOKENS = 16
ALTERNATIVES = 5
SILENT = "The server took the question and answered without a word."


def tried(server: Server) -> Report:
    """Return what is found out about a server; takes as long as it does to answer, a minute at most."""
    # What this process has learned before must not stand in for what is there now.
    forget_learned()
    return asyncio.run(_tried(server))


async def _tried(server: Server) -> Report:
    access, report = ExternalServer(server), Report()
    try:
        listed = await access.about.models()
        report = replace(report, models=tuple(str(entry["id"]) for entry in listed[:MOST_MODELS]))
        health = await access.health()
        if health.message:
            return replace(report, error=health.message)
        entry = next(entry for entry in listed if entry["id"] == health.model)
        report = replace(report, model=health.model, window=await access.about.window(entry))
        report = await _answered(access, report)
        return replace(report, counts=await access.counts())
    except InferenceError as error:
        return replace(report, error=error.message)
    finally:
        await access.close()


async def _answered(access: ExternalServer, report: Report) -> Report:
    request = ChatRequest(
        (ChatMessage("user", QUESTION),), model=report.model, max_tokens=ANSWER_TOKENS, logprobs=ALTERNATIVES
    )
    reader, words, first_ms = Reader(access.server), "", 0.0
    async with aclosing(access.events(request, reader, FIRST_S)) as events:
        async for event in events:
            if isinstance(event, Delta):
                words += event.text
            elif isinstance(event, Finished):
                first_ms = event.timings.wait_ms + event.timings.read_ms
    usage = reader.usage or {}
    return replace(
        report,
        error="" if words.strip() or reader.thinks else SILENT,
        streams=reader.streams,
        chances=reader.chances,
        usage=bool(usage.get("prompt_tokens")),
        stream_options=access.takes("stream_options"),
        cached="cached_tokens" in (usage.get("prompt_tokens_details") or {}),
        thinks=reader.thinks,
        first_ms=first_ms,
    )
