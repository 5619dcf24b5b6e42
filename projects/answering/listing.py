"""Answers that need no model: how many documents there are, and what each of them is, from what was learned of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from projects.answering.phrases import phrases_for
from projects.retrieval.passages import Passage
from study.passports import service as passports
from study.passports.values import Kind, Passport
from study.sentences import first_sentence
from study.service import summary_of

LINE = 220
"""Characters of what is said of one document in a list."""
LABEL = 240
FACTS = 4
"""Values of a passport that stand in for a summary which is not there yet."""


@dataclass(frozen=True)
class Listed:
    """An answer whose marks are those of `sources`, counted from 1."""

    text: str
    sources: tuple[Passage, ...]


def listed(names: Mapping[int, str], question: str, *, is_total: bool = False) -> Listed:
    """Return the documents (names by id) with a line on each, or with `is_total` their number and names."""
    phrases = phrases_for(question)
    head = phrases.single if len(names) == 1 else phrases.total.format(of=len(names))
    sources = tuple(_source(document_id, name) for document_id, name in names.items())
    if is_total:
        lines = [f"- {source.document} [{number}]" for number, source in enumerate(sources, start=1)]
    else:
        lines = [
            f"- {source.document}: {first_sentence(source.text, LINE)} [{number}]"
            for number, source in enumerate(sources, start=1)
        ]
    return Listed("\n".join([head, *lines]), sources)


def told(document_id: int, name: str) -> Listed:
    """Return what was learned of one document."""
    source = _source(document_id, name)
    return Listed(f"{source.text} [1]", (source,))


def label(document_id: int, name: str) -> str:
    """Return a document's name with what it is, in one line."""
    return f"{name}: {first_sentence(_source(document_id, name).text, LABEL)}"


def _source(document_id: int, name: str) -> Passage:
    text = " ".join(_learned(document_id).split())
    return Passage(0, document_id, name, "", 0, None, (), text or name, "", 0.0)


def _learned(document_id: int) -> str:
    """Return a document's summary, or before there is one what its passport says."""
    summary = summary_of(document_id)
    if summary is not None:
        return summary.text
    passport = passports.passport_of(document_id)
    return ", ".join(_facts(passport)) + "." if passport is not None else ""


def _facts(passport: Passport) -> Iterator[str]:
    yield passport.type
    telling = (field for field in passport.fields if field.kind not in (Kind.TYPE, Kind.LANGUAGE))
    for field, _ in zip(telling, range(FACTS), strict=False):
        yield f"{field.label} {field.value}".strip()
