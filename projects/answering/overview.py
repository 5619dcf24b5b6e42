"""What the documents are about, told at once: the answer that was prepared, and a line on each of them."""

from __future__ import annotations

from collections.abc import Sequence

from projects.answering.listing import LINE
from study.digests import Entry
from study.sentences import first_sentence

SHOWN = 20
"""Documents that get a line; of a larger pile the prepared answer alone tells."""


def overview(about: str, entries: Sequence[Entry]) -> str:
    """Return the prepared answer with a line on each document, whose marks are the entries' numbers from 1."""
    if not 1 < len(entries) <= SHOWN:
        return about
    lines = [
        f"- {entry.name}: {first_sentence(entry.summary, LINE)} [{number}]"
        for number, entry in enumerate(entries, start=1)
        if entry.summary
    ]
    return "\n".join([about.strip(), *([""] if lines else []), *lines])
