"""The documents written to judge passports by, with what should be found in each; `python -m` prints the measure."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from projects.intake.extract import markdown, plain
from projects.intake.extract.base import Context
from projects.intake.sections import SectionText, sections_of
from study.passports.finding import find
from study.passports.values import Found, Kind

FOLDER = Path(__file__).parent / "material"
KINDS = (Kind.PARTY, Kind.DATE, Kind.AMOUNT, Kind.IDENTIFIER, Kind.PLACE, Kind.SUBJECT)


@dataclass(frozen=True)
class Case:
    """A document and what it says: `fields` map each kind's identities to labels, '' where nothing is stated.

    `may` are identities that are in the document and may be found as well: neither required nor wrong. `missed` are
    those that the rules are known not to find: they count in the measure.
    """

    name: str
    type: str
    language: str
    fields: dict[Kind, dict[str, str]]
    may: frozenset[str]
    missed: frozenset[str]


@dataclass
class Score:
    """Counts over all documents for one kind of field."""

    right: int = 0
    missed: int = 0
    wrong: int = 0
    labelled: int = 0
    labels_right: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    @property
    def labels(self) -> float:
        return self.labels_right / max(1, self.labelled)


def cases() -> list[Case]:
    """Return all the documents."""
    expected: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
    return [
        Case(
            name,
            facts["type"],
            facts["language"],
            {kind: {_folded(value): label for value, label in facts.get(kind.value, {}).items()} for kind in KINDS},
            frozenset(map(_folded, facts.get("may", []))),
            frozenset(map(_folded, facts.get("missed", []))),
        )
        for name, facts in expected.items()
    ]


def sections(name: str) -> list[SectionText]:
    """Return a document of the material as intake would cut it."""
    reader = markdown if name.endswith(".md") else plain
    return sections_of(reader.extract(FOLDER / name, Context(name=name)).blocks)


@cache
def found(name: str) -> Found:
    """Return what the rules find in a document of the material."""
    return find(name, sections(name))


def identities(result: Found, kind: Kind) -> dict[str, set[str]]:
    """Return the identities of the found values of a kind, with their labels in small letters."""
    seen: dict[str, set[str]] = {}
    for field in result.fields:
        if field.kind == kind:
            seen.setdefault(_folded(field.identity), set()).add(field.label.lower())
    return seen


def scores() -> dict[Kind, Score]:
    """Measure all documents against what is expected."""
    totals = {kind: Score() for kind in KINDS}
    for case in cases():
        for kind in KINDS:
            expected, seen = case.fields[kind], identities(found(case.name), kind)
            score = totals[kind]
            score.right += len(expected.keys() & seen.keys())
            score.missed += len(expected.keys() - seen.keys())
            score.wrong += len(seen.keys() - expected.keys() - case.may)
            named = [value for value in expected.keys() & seen.keys() if expected[value]]
            score.labelled += len(named)
            score.labels_right += sum(1 for value in named if expected[value] in seen[value])
    return totals


def faults() -> Iterator[str]:
    """Say what is missing, wrong, or under another label."""
    for case in cases():
        result = found(case.name)
        if (result.type, result.language) != (case.type, case.language):
            yield f"{case.name}: {result.type} {result.language!r}, should be {case.type} {case.language!r}"
        for kind in KINDS:
            expected, seen = case.fields[kind], identities(result, kind)
            for value in sorted(expected.keys() | seen.keys()):
                if value not in seen:
                    yield f"{case.name}: {kind} missed: {value} ({expected[value]})"
                elif value not in expected and value not in case.may:
                    yield f"{case.name}: {kind} wrong: {value} ({', '.join(seen[value])})"
                elif expected.get(value) and expected[value] not in seen[value]:
                    yield f"{case.name}: {kind} {value}: label {seen[value]}, should be {expected[value]!r}"


def _folded(value: str) -> str:
    return " ".join(value.split()).casefold()


def main() -> None:
    """Print the faults and the measure."""
    rows = [f"{'kind':<12} precision recall labels"]
    for kind, score in scores().items():
        rows.append(f"{kind:<12} {score.precision:>9.3f} {score.recall:>6.3f} {score.labels:>6.3f}")
    sys.stdout.write("\n".join([*faults(), *rows]) + "\n")


if __name__ == "__main__":
    main()
