"""Plain prompting over the same engine: what is needed is put before the question and read while a person waits."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from bench.answers.asking import Asking
from bench.answers.questions import Question
from bench.answers.records import Record
from bench.client import Client
from inference.contracts import ChatMessage, ChatRequest, PoolName
from inference.endpoint import Endpoint
from inference.errors import InferenceError

PHASE = "classic"
MAX_ANSWER_TOKENS = 512
"""As many as an answer of the product may have."""
PASSAGES = 5
SPARE = 300
"""Tokens for what stands around the documents: template, instructions, question."""
WHOLE = ("broad", "count")
INSTRUCTIONS = """\
You answer questions about the user's documents, only from the texts that the user gives you. Name the document that an
answer rests on. If the texts do not hold the answer, say that the documents do not say. Answer in the language of the
question."""


class Classic:
    """Plain prompting over one installation's service and search.

    A question about all documents gets as many of them as fit, whole; one that asks to read a single document gets
    that of the best passage, whole; any other gets the best passages. Which of these a question is, it is told. Every
    prompt begins with a word of its own, so nothing of it is remembered from an earlier one.
    """

    def __init__(self, where: Endpoint, texts: Mapping[str, str], asking: Asking) -> None:
        self._where = where
        self._texts = texts
        self._asking = asking
        self._window = int(_call(where, "GET", "/health")["window"])

    async def answer(self, question: Question) -> Record:
        """Ask one question."""
        request = ChatRequest(
            messages=self.messages(question), pool=PoolName.CONVERSATION, max_tokens=MAX_ANSWER_TOKENS
        )
        record = Record(PHASE, question.id, question.text, lane=_way(question))
        try:
            async with Client(self._where) as client:
                answer = await client.ask(request)
        except InferenceError as error:
            return Record.of(vars(record), error=error.message)
        timings = answer.timings
        return Record.of(
            vars(record),
            answer=answer.text.strip(),
            seconds=answer.ended,
            ttft_s=answer.first_text or answer.ended,
            total_s=answer.ended,
            prompt_tokens=timings.prompt,
            restored_tokens=timings.restored,
            reused_tokens=timings.reused,
            read_tokens=timings.read,
            answer_tokens=timings.generated,
        )

    def messages(self, question: Question) -> tuple[ChatMessage, ...]:
        """Return the prompt."""
        earlier = [
            message
            for said in question.history
            for message in (ChatMessage("user", said.question), ChatMessage("assistant", said.answer))
        ]
        content = f"{self._content(question)}\n\nQuestion: {question.text}"
        return (ChatMessage("system", instructions(question.id)), *earlier, ChatMessage("user", content))

    def _content(self, question: Question) -> str:
        if _way(question) == "whole documents":
            return self._fitting(self._texts)
        query = " ".join([*(said.question for said in question.history), question.text])
        found = self._asking.passages(query, PASSAGES)
        if found and question.kind == "deep":
            name = found[0]["document"]
            return self._fitting({name: self._texts[name]})
        return "\n\n".join(_passage(number, one) for number, one in enumerate(found, start=1))

    def _fitting(self, texts: Mapping[str, str]) -> str:
        """Return the documents one after the other, as many as fit, the last of them cut."""
        counts = count_tokens(self._where, list(texts.values()))
        left = self._window - MAX_ANSWER_TOKENS - SPARE
        pieces = []
        for (name, text), tokens in zip(texts.items(), counts, strict=True):
            if left <= 0:
                break
            pieces.append(f"Document {name}:\n\n{text if tokens <= left else text[: len(text) * left // tokens]}")
            left -= tokens + len(name)
        return "\n\n".join(pieces)


def instructions(question_id: str) -> str:
    """Return the system text, which no two questions begin alike."""
    return f"{hashlib.sha256(question_id.encode()).hexdigest()[:16]}\n{INSTRUCTIONS}"


def count_tokens(where: Endpoint, texts: Sequence[str]) -> list[int]:
    """Return each text's tokens under the loaded model."""
    return [int(count) for count in _call(where, "POST", "/tokenize", {"texts": list(texts)})["counts"]]


def _way(question: Question) -> str:
    if question.kind in WHOLE or (question.kind == "deep" and len(question.docs) > 1):
        return "whole documents"
    return "one document" if question.kind == "deep" else "passages"


def _passage(number: int, passage: Mapping[str, Any]) -> str:
    page = "" if passage["page"] is None else f", page {passage['page']}"
    return f"[{number}] {passage['document']}{page}:\n{passage['text']}"


def _call(where: Endpoint, method: str, path: str, body: object = None) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {where.key}"}
    reply = httpx.request(method, where.url + path, json=body, headers=headers, timeout=60, trust_env=False)
    answer: dict[str, Any] = reply.raise_for_status().json()
    return answer
