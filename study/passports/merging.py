"""The one rule by which a person's corrections lie over what was found, also when the document was read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from study.passports.values import SINGLE, Field, Source


def merged(found: Sequence[Field], words: Sequence[Field]) -> tuple[Field, ...]:
    """Return the fields that hold, most telling first; `found` is in that order, `words` are a person's.

    A person's word stands for the found value of the same kind and label. Where several found values share kind and
    label, or have no label, it stands for the one that also reads as it did then (`Field.replaces`). A corrected field
    takes the found one's place and page; one that replaces nothing found any more comes at the end, and so does what a
    person added. A removed field hides what it stands for and is not shown.
    """
    hidden: dict[int, Field] = {}
    for word in words:
        for index in _meant(word, found):
            hidden.setdefault(index, word)
    fields = []
    placed: set[int] = set()
    for index, known in enumerate(found):
        word_here = hidden.get(index)
        if word_here is None:
            fields.append(known)
        elif word_here.source == Source.CORRECTED and id(word_here) not in placed:
            fields.append(replace(word_here, page=known.page))
            placed.add(id(word_here))
    rest = [word for word in words if word.source == Source.CORRECTED and id(word) not in placed]
    return tuple(fields + rest)


def _meant(word: Field, found: Sequence[Field]) -> list[int]:
    """Return the places of the found values that a person's word stands for."""
    alike = [index for index, known in enumerate(found) if _slot(known) == _slot(word)]
    if word.kind in SINGLE:
        return alike
    # What a person added is shown once, also when the rules learn to find it.
    then = word.replaces or word.identity
    same = [index for index in alike if found[index].identity == then]
    if same or not word.replaces:
        return same
    return alike if word.label and len(alike) == 1 else []


def _slot(field: Field) -> tuple[str, str]:
    return field.kind, " ".join(field.label.split()).casefold()
