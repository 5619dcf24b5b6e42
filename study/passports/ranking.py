"""Brings what was found into order, the most telling first, each value once."""

from __future__ import annotations

from collections.abc import Iterable

from study.passports.candidates import Candidate
from study.passports.values import MAX_LABEL, MAX_VALUE, Field, Kind

MOST = {Kind.PARTY: 10, Kind.SUBJECT: 3, Kind.PLACE: 3, Kind.DATE: 10, Kind.AMOUNT: 10, Kind.IDENTIFIER: 10}
MOST_UNNAMED = 4
"""Dates or amounts of which the document does not say what they are."""
MOST_ALIKE = 3
"""Values of one concept, people in a list apart: twenty due dates are a table."""


def ranked(candidates: Iterable[Candidate]) -> tuple[Field, ...]:
    """Return the fields worth keeping, best first; what is named comes before what is not, early before late."""
    best = sorted(_once(candidates), key=lambda candidate: (-candidate.weight, candidate.place))
    kept: list[Candidate] = []
    for candidate in best:
        if _has_room(candidate, kept):
            kept.append(candidate)
    return tuple(
        Field(
            candidate.kind,
            candidate.label[:MAX_LABEL],
            candidate.value[:MAX_VALUE],
            candidate.normalised[:MAX_VALUE],
            candidate.page,
        )
        for candidate in kept
    )


def _once(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return each value once: as what tells most, on the page where it was first said to be that.

    A date or an amount may be several things (a lease is signed on the day that it begins), so those are kept once for
    each concept; without a name they are dropped where they have one elsewhere.
    """
    best: dict[tuple[Kind, str, str], Candidate] = {}
    for candidate in candidates:
        apart = candidate.concept if candidate.kind in (Kind.DATE, Kind.AMOUNT) else ""
        key = (candidate.kind, _identity(candidate), apart)
        before = best.get(key)
        if before is None or (candidate.weight, -candidate.place) > (before.weight, -before.place):
            best[key] = candidate
    named = {(kind, identity) for kind, identity, concept in best if concept}
    return [found for (kind, identity, concept), found in best.items() if _counts(found, concept, identity, named)]


def _counts(candidate: Candidate, concept: str, identity: str, named: set[tuple[Kind, str]]) -> bool:
    stated = concept or candidate.kind not in (Kind.DATE, Kind.AMOUNT) or candidate.label
    return bool(stated) or (candidate.kind, identity) not in named


def _has_room(candidate: Candidate, kept: list[Candidate]) -> bool:
    of_kind = [other for other in kept if other.kind == candidate.kind]
    if len(of_kind) >= MOST[candidate.kind]:
        return False
    alike = [
        other for other in of_kind if other.concept == candidate.concept and bool(other.label) == bool(candidate.label)
    ]
    if candidate.kind in (Kind.DATE, Kind.AMOUNT):
        return len(alike) < (MOST_ALIKE if candidate.concept else MOST_UNNAMED)
    return True


def _identity(candidate: Candidate) -> str:
    return (candidate.normalised or " ".join(candidate.value.split())).casefold()
