"""Restore: a long prefix is read once, survives a restart, and answers at once as if it had just been read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.client import Answer, Client, turns
from bench.report import Figure
from bench.run import Bench
from bench.service import MIB, Flags, Service
from bench.texts import fitted
from inference.catalogue import DEFAULT_MODEL, ModelEntry
from inference.contracts import ChatRequest, Part

FIRST_TOKEN_S = 1.0
QUESTION = "\n\nWho carried out the first inspection, and what was found? Answer in one sentence."
ROOM = 256
"""Tokens for template, question and answer beside the prefix."""

MOST_READ = 64
"""Tokens: the question and what the template puts around it."""

ANSWER = 48
QUOTA = 20 * 1024**3


def run(bench: Bench) -> list[Figure]:
    """Measure each model that is there; one with a sliding window both with its whole past kept and without."""
    figures: list[Figure] = []
    for entry in bench.options.restored:
        if entry.id not in bench.paths:
            continue
        for swa_full in (True, False) if _slides(entry) else (True,):
            figures += _figures(bench, entry, swa_full=swa_full)
    return figures


def _slides(entry: ModelEntry) -> bool:
    return entry.id.startswith("gemma3")


def _figures(bench: Bench, entry: ModelEntry, *, swa_full: bool) -> Iterator[Figure]:
    prefix = min(bench.options.sizes.prefix, entry.context_length - ROOM)
    label = entry.id + (f" (window kept {'whole' if swa_full else 'as it slides'})" if _slides(entry) else "")
    flags = replace(bench.flags(prefix + ROOM, model=entry, swa_full=swa_full, quota=QUOTA), conversations=1)
    with bench.workplace("restore") as folder:
        text, read = _read_and_save(flags, folder, prefix)
        bytes_kept = sum(path.stat().st_size for path in folder.rglob("*.kv"))
        restored = [_ask_again(flags, folder, text) for _ in range(bench.options.sizes.restarts)]
        plain = _ask_again(replace(flags, quota=0), folder, text)
    slowest = max(restored, key=lambda answer: answer.first_text)
    yield Figure(
        "restore",
        f"{label}: first token after a restart",
        slowest.first_text,
        "s",
        FIRST_TOKEN_S if entry.id == DEFAULT_MODEL and not bench.options.quick else None,
        "at most",
        f"{_accounts(slowest)}; {bytes_kept / MIB:,.0f} MiB on disk; by prefill {plain.first_text:,.1f} s",
        {"first token": [answer.first_text for answer in restored]},
    )
    yield _difference(f"{label}: answers unlike the one when it was read", read, restored)
    yield _difference(f"{label}: answers unlike the one of a plain prefill", plain, restored)
    read_again = max(answer.timings.read for answer in restored)
    yield Figure("restore", f"{label}: tokens read after a restart", read_again, "", MOST_READ, "at most")


def _read_and_save(flags: Flags, folder: Path, prefix: int) -> tuple[str, Answer]:
    """Return the text of the prefix and the answer about it, after whose request the service has been stopped."""
    with Service(flags, folder) as service:
        text = fitted(1, prefix, service.count_tokens)
        return text, asyncio.run(_ask(service, text))


def _ask_again(flags: Flags, folder: Path, text: str) -> Answer:
    with Service(flags, folder) as service:
        return asyncio.run(_ask(service, text))


async def _ask(service: Service, text: str) -> Answer:
    question = (Part(text, boundary="document"), Part(QUESTION))
    async with Client(service.where) as client:
        return await client.ask(ChatRequest(messages=turns(question), max_tokens=ANSWER, save=("document",)))


def _accounts(answer: Answer) -> str:
    timings = answer.timings
    return f"{timings.restored:,} restored in {timings.restore_ms:,.0f} ms, {timings.read:,} read"


def _difference(name: str, expected: Answer, got: list[Answer]) -> Figure:
    unlike = sum(answer.text != expected.text for answer in got)
    return Figure(
        "restore", name, unlike, f"of {len(got)}", 0, "at most", f"{expected.timings.generated} tokens, greedy"
    )
