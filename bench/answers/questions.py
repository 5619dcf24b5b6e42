"""The questions of a set: what is asked, what a right answer says, and which ways may lead to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.options import BadOption

FILE_NAME = "questions.jsonl"
OWN = Path(__file__).with_name(FILE_NAME)
"""Questions about the reports of our own making, for a run without a corpus."""


@dataclass(frozen=True)
class Said:
    """A question that was asked before, and its answer."""

    question: str
    answer: str


@dataclass(frozen=True)
class Question:
    """One question.

    An answer is right when it has an alternative of every group of `expect`. `lane_ok` are the lanes that may answer
    it, `docs` the documents concerned, `pages` those of each document that hold the answer. `avoid` are words of
    documents that the answer should leave out, `history` what was said before.
    """

    id: str
    text: str
    kind: str
    lane_ok: tuple[str, ...] = ()
    docs: tuple[str, ...] = ()
    pages: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    expect: tuple[tuple[str, ...], ...] = ()
    avoid: tuple[str, ...] = ()
    history: tuple[Said, ...] = ()

    @property
    def said(self) -> str:
        """All words of the question and of what came before it."""
        return "\n".join([*(f"{said.question}\n{said.answer}" for said in self.history), self.text])


def load(path: Path) -> list[Question]:
    """Read a set, one JSON object a line. Raises BadOption, which names the line that is none."""
    questions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                questions.append(_question(json.loads(line)))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise BadOption(f"{path}, line {number}: this is no question ({error!r}).") from error
    return questions


def select(questions: Sequence[Question], wanted: str) -> list[Question]:
    """Return the questions that QUESTIONS= names: all without it, by their ids, or so many with the kinds in turns.

    Raises BadOption.
    """
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    if not names:
        return list(questions)
    if len(names) == 1 and names[0].isdigit():
        drawn = set(_in_turns(questions)[: int(names[0])])
        return [question for question in questions if question.id in drawn]
    unknown = sorted(set(names) - {question.id for question in questions})
    if unknown:
        raise BadOption(f"QUESTIONS={wanted}: there is no question {unknown[0]}.")
    return [question for question in questions if question.id in names]


def _in_turns(questions: Iterable[Question]) -> list[str]:
    """Return the ids of all questions: the first of each kind, then the second of each."""
    place: dict[str, int] = {}
    ranked = []
    for question in questions:
        place[question.kind] = place.get(question.kind, 0) + 1
        ranked.append((place[question.kind], question.id))
    return [question_id for _, question_id in sorted(ranked, key=lambda pair: pair[0])]


def _question(data: dict[str, Any]) -> Question:
    return Question(
        id=data["id"],
        text=data["text"],
        kind=data["kind"],
        lane_ok=tuple(data["lane_ok"]),
        docs=tuple(data.get("docs") or ()),
        pages={name: tuple(pages) for name, pages in (data.get("pages") or {}).items()},
        expect=tuple(tuple(group) for group in data["expect"]),
        avoid=tuple(data.get("avoid") or ()),
        history=tuple(_pairs(data.get("history") or ())),
    )


def _pairs(messages: Iterable[Mapping[str, str]]) -> Iterable[Said]:
    asked = ""
    for message in messages:
        if message["role"] == "user":
            asked = message["text"]
        else:
            yield Said(asked, message["text"])
