"""What an answer is worth: right or not, by an allowed way, with its page, and without figures of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.answers import scoring
from bench.answers.inventions import Findings, Known
from bench.answers.questions import Question
from bench.answers.records import Record

ONE_DOCUMENT = ("specific", "followup", "deep")
"""Kinds whose answer stands on certain pages, unless they ask for all documents."""


@dataclass(frozen=True)
class Judged:
    """An answer to a question of the set with the verdicts on it.

    `by_length`: right only because a figure stands within a longer one. `avoided` are words of documents that it should
    have left out. `has_page` tells whether a citation leads to a page that holds the answer, None where no page does.
    """

    question: Question
    record: Record
    right: bool
    missing: Sequence[Sequence[str]]
    by_length: bool
    named: Sequence[str]
    findings: Findings
    has_page: bool | None

    @property
    def kind(self) -> str:
        """Kind of the question."""
        return self.question.kind

    @property
    def lane_ok(self) -> bool:
        """Whether the way that it took is one of those that may answer it."""
        return self.record.lane in self.question.lane_ok

    def to_json(self) -> dict[str, Any]:
        """Return the answer with its verdicts."""
        verdicts = {
            "kind": self.kind,
            "right": self.right,
            "missing": [list(group) for group in self.missing],
            "right_only_within_a_number": self.by_length,
            "should_leave_out": list(self.named),
            "lane_ok": self.lane_ok if self.question.lane_ok else None,
            "has_page": self.has_page,
            "invented": list(self.findings.invented),
            "counts": list(self.findings.counts),
        }
        return asdict(self.record) | verdicts


def judge(questions: Iterable[Question], records: Iterable[Record], texts: Mapping[str, str]) -> list[Judged]:
    """Judge all answers; one to a question that is not in the set has no kind and nothing that it must say."""
    known = Known(texts)
    asked = {question.id: question for question in questions}
    return [
        _judged(asked.get(record.id) or Question(record.id, record.question, ""), record, known) for record in records
    ]


def _judged(question: Question, record: Record, known: Known) -> Judged:
    right = scoring.is_right(question.expect, record.answer)
    return Judged(
        question,
        record,
        right,
        scoring.missing(question.expect, record.answer),
        scoring.inside_a_number(question.expect, record.answer),
        scoring.named(question.avoid, record.answer) if right else [],
        known.look(record.answer, question.said),
        has_page(question, record),
    )


def has_page(question: Question, record: Record) -> bool | None:
    """Tell whether a citation leads to a page with the answer; None for questions about all and about nothing."""
    if question.kind not in ONE_DOCUMENT or len(question.pages) != 1:
        return None
    return any(
        cited.document in question.pages
        and (cited.page in question.pages[cited.document] or not question.pages[cited.document])
        for cited in record.citations
    )
