"""The conversations of a project as a list shows them: all of them, a page at a time, or those that have some words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from projects.conversations.searching import MOST, Found, search
from projects.models import Conversation, Project
from projects.presentation.highlights import Run, excerpt

ON_A_PAGE = 50
LONGEST_QUERY = 200
LONGEST_NUMBER = 6
"""Digits of a page's number that are believed."""
WIDTH = 160
"""Characters of a turn that a hit shows."""

_LINES = re.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Row:
    """One conversation; a hit has `runs` of the turn that was found and leads to it."""

    pk: int
    title: str
    url: str
    updated: datetime | None = None
    runs: tuple[Run, ...] = ()
    set_aside: bool = False

    @property
    def key(self) -> str:
        """The id as an address has it."""
        return str(self.pk)


@dataclass(frozen=True)
class History:
    """What a list shows; `before` and `after` are the numbers of the neighbouring pages, 0 where there is none."""

    rows: tuple[Row, ...] = ()
    query: str = ""
    before: int = 0
    after: int = 0

    @property
    def is_full(self) -> bool:
        """Tell whether a search may have found more than it shows."""
        return bool(self.query) and len(self.rows) == MOST


def history_of(project: Project, wanted: Mapping[str, str]) -> History:
    """Return the conversations for `q` (words to look for) and `page`, both as an address may have them or not."""
    query = " ".join(wanted.get("q", "").replace("\x00", "").split())[:LONGEST_QUERY]
    if query:
        return History(tuple(_hit(project, found) for found in search(project.pk, query)), query)
    page = _number(wanted.get("page", ""))
    first = (page - 1) * ON_A_PAGE
    # One more than is shown tells whether there is another page: Django's paginator would count them all.
    found = list(project.conversations.all()[first : first + ON_A_PAGE + 1])
    rows = tuple(_row(project, conversation) for conversation in found[:ON_A_PAGE])
    return History(rows, before=page - 1, after=page + 1 if len(found) > ON_A_PAGE else 0)


def _number(text: str) -> int:
    """Return the number of a page; the first where the address names none."""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER else 1


def _row(project: Project, conversation: Conversation) -> Row:
    url = reverse("projects:conversation", args=[project.pk, conversation.pk])
    return Row(conversation.pk, str(conversation), url, conversation.updated)


def _hit(project: Project, found: Found) -> Row:
    said = found.said
    if said.replaced_by_id is None:
        url = reverse("projects:conversation", args=[project.pk, said.conversation_id])
    else:
        url = reverse("projects:earlier", args=[said.replaced_by_id])
    return Row(
        said.conversation_id,
        said.title or f"Conversation {said.conversation_id}",
        f"{url}#turn-{said.turn_id}",
        runs=tuple(Run(_LINES.sub(" · ", run.text), run.marked) for run in excerpt(said.text, found.marks, WIDTH)),
        set_aside=said.replaced_by_id is not None,
    )
