"""What the finders hand to the ranking: a possible field, and how much it tells."""

from __future__ import annotations

from dataclasses import dataclass

from study.passports.values import Kind


@dataclass(frozen=True)
class Candidate:
    """A value that may become a field of the passport.

    `concept` is what its label means ('due', 'landlord'), '' where it has none; `weight` is how much it tells, 0 to
    100; `place` is the number of its line among those looked at.
    """

    kind: Kind
    concept: str
    label: str
    value: str
    normalised: str
    page: int | None
    weight: int
    place: int
