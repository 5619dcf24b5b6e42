"""Pools: a service call between two turns of a conversation takes nothing away from the second turn."""

from __future__ import annotations

import asyncio

from bench.client import Answer, Client, turns
from bench.report import Figure
from bench.run import Bench
from bench.texts import fitted, prose
from inference.contracts import ChatRequest, PoolName

FOLLOW_UP = "And which of them came last?"
CALLS = 3
HIT_TARGET = 0.9


def run(bench: Bench) -> list[Figure]:
    """Hold each conversation twice, once with service calls between its turns, and compare what is reused."""
    sizes = bench.options.sizes
    with bench.service("pools", 2 * sizes.turn) as service:
        texts = [fitted(seed, sizes.turn, service.count_tokens) for seed in range(1, sizes.rounds + 1)]
        pairs = asyncio.run(_measure(Client(service.where), texts))
    disturbed = [after.timings for _, after in pairs]
    lost = sum(max(0, plain.timings.reused - after.timings.reused) for plain, after in pairs)
    hit = sum(timings.reused for timings in disturbed) / sum(timings.prompt for timings in disturbed)
    unlike = sum(plain.text != after.text for plain, after in pairs)
    detail = f"{len(pairs)} conversations, {CALLS} service calls before each second turn, nothing on disk"
    return [
        Figure("pools", "tokens of a second turn lost to service calls", lost, "", 0, "at most", detail),
        Figure("pools", "answers of a second turn changed by them", unlike, f"of {len(pairs)}", 0, "at most"),
        Figure("pools", "share of a second turn's prompt that was still there", hit, target=HIT_TARGET),
    ]


async def _measure(client: Client, texts: list[str]) -> list[tuple[Answer, Answer]]:
    async with client:
        return [
            (await _second_turn(client, number, text, calls=0), await _second_turn(client, number, text, calls=CALLS))
            for number, text in enumerate(texts)
        ]


async def _second_turn(client: Client, number: int, text: str, *, calls: int) -> Answer:
    conversation = f"conversation {number}"
    first = await client.ask(ChatRequest(messages=turns(text), max_tokens=24, conversation=conversation))
    for call in range(calls):
        words = turns(f"Give this a title. {prose(1000 + 10 * number + call, 12)}")
        await client.ask(ChatRequest(messages=words, pool=PoolName.SERVICE, max_tokens=8))
    messages = turns(text, first.text, FOLLOW_UP)
    return await client.ask(ChatRequest(messages=messages, max_tokens=24, conversation=conversation))
