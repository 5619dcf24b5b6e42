"""A stored answer as one JSON object, for people who script."""

from __future__ import annotations

from typing import Any, TypedDict

from projects.models import Turn


class CitationReport(TypedDict):
    """Where a mark of the answer leads."""

    document: str
    page: int | None
    quote: str


class AnswerReport(TypedDict):
    """The keys of `ask --json`; `prompt_tokens = restored_tokens + reused_tokens + read_tokens`."""

    answer: str
    lane: str
    lane_reason: str
    predicted_s: float | None
    ttft_s: float | None
    total_s: float | None
    prompt_tokens: int
    restored_tokens: int
    reused_tokens: int
    read_tokens: int
    answer_tokens: int
    from_cache: bool
    citations: list[CitationReport]
    coverage: dict[str, Any]
    model: str
    conversation: int


def report(turn: Turn) -> AnswerReport:
    """Return a finished turn as the object that `ask --json` prints."""
    return {
        "answer": turn.answer,
        "lane": turn.lane,
        "lane_reason": turn.lane_reason,
        "predicted_s": turn.predicted_s,
        "ttft_s": _rounded(turn.ttft_s),
        "total_s": _rounded(turn.total_s),
        "prompt_tokens": turn.prompt_tokens,
        "restored_tokens": turn.restored_tokens,
        "reused_tokens": turn.reused_tokens,
        "read_tokens": turn.read_tokens,
        "answer_tokens": turn.answer_tokens,
        "from_cache": turn.from_cache,
        "citations": [
            {"document": citation.document.name, "page": citation.page, "quote": citation.quote}
            for citation in turn.citations.select_related("document")
        ],
        "coverage": turn.coverage,
        "model": turn.model,
        "conversation": turn.conversation_id,
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
