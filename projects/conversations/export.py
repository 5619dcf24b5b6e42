"""Writes a conversation down as a file to keep or to hand on: Markdown for people, JSON for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from projects.answering.report import AnswerReport, report
from projects.intake.names import clean_name
from projects.models import Citation, Conversation, Turn
from projects.presentation.words import cut_off_line, lane_label, timing_line

MAX_NAME = 100
"""Characters of a file's name before its ending."""

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")
_IN_NO_NAME = re.compile(r'[\\/:*?"<>|]+')


class TurnExport(AnswerReport):
    """A question with its answer; `earlier` are those that it took the place of, oldest first."""

    question: str
    asked: str
    state: str
    error: str
    earlier: list[TurnExport]


def file_name(conversation: Conversation, ending: str) -> str:
    """Return the conversation's title as a file name that every system takes."""
    name = clean_name(" ".join(_IN_NO_NAME.sub(" ", str(conversation)).split()))[:MAX_NAME].strip(" .")
    return f"{name or f'Conversation {conversation.pk}'}.{ending}"


def as_json(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Return the conversation as one JSON object; `turns` are all of it, those set aside too, oldest first."""
    thread = [_turn(turn, turns) for turn in turns if turn.replaced_by_id is None]
    whole = {
        "title": str(conversation),
        "project": conversation.project.name,
        "begun": conversation.created.isoformat(),
        "turns": thread,
    }
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def _turn(turn: Turn, turns: Sequence[Turn]) -> TurnExport:
    return {
        "question": turn.question,
        "asked": turn.created.isoformat(),
        "state": turn.state,
        "error": turn.error,
        **report(turn),
        "earlier": [_turn(before, turns) for before in turns if before.replaced_by_id == turn.pk],
    }


def as_markdown(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Return the conversation as it stands, as a page to read; what was set aside is in the JSON alone."""
    thread = [turn for turn in turns if turn.replaced_by_id is None]
    begun = f"{conversation.created:%Y-%m-%d %H:%M} UTC"
    parts = [f"# {_escaped(str(conversation))}", f"{_escaped(conversation.project.name)} · {begun}"]
    for number, turn in enumerate(thread, start=1):
        parts += [f"## Question {number}", _quoted(turn.question), *_answer(turn)]
    return "\n\n".join(parts) + "\n"


def _answer(turn: Turn) -> Iterator[str]:
    if turn.answer:
        yield turn.answer
    if turn.is_open:
        yield "*Still being answered.*"
    elif turn.state == Turn.State.STOPPED:
        yield "*Stopped before its end.*"
    elif turn.error:
        yield f"*There is no whole answer: {_escaped(turn.error)}*"
    if cut_off := cut_off_line(turn):
        yield f"*{_escaped(cut_off)}*"
    if citations := list(turn.citations.all()):
        yield "\n".join(map(_source, citations))
    figures = " · ".join(filter(None, (lane_label(turn.lane), timing_line(turn), turn.model)))
    if figures:
        yield f"*{_escaped(figures)}*"


def _source(citation: Citation) -> str:
    page = f", page {citation.page}" if citation.page is not None else ""
    return f"- \\[{citation.number}\\] {_escaped(citation.document.name)}{page}: “{_escaped(citation.quote)}”"


def _quoted(question: str) -> str:
    return "\n".join(f"> {_escaped(line)}".rstrip() for line in question.splitlines())


def _escaped(text: str) -> str:
    """Return text on one line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
