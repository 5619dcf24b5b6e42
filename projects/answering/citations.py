"""Tying the marks of an answer to the passages that support them.

The rules:

1. A mark [n] counts for the sentence before it and stays if passage n supports that sentence; otherwise it is dropped.
2. A passage supports a sentence with figures (numbers, dates, identifiers) if it holds at least half of them, and any
   other sentence if it holds at least two of its telling words and a third of all of them.
3. A sentence without a mark that stays gets the mark of the passage that supports it best, if one supports it. A
   sentence that only says that the documents are silent rests on nothing and gets none.
4. The quote of a mark is the sentence of the passage, verbatim, that shares most with what was said, figures first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from projects.answering.sentences import Span, figures, sentences, terms
from projects.answering.silence import is_silence
from projects.answering.turns import CitedMark
from projects.retrieval.passages import Passage

FIGURES_SHARE = 0.5
WORDS_SHARE = 1 / 3
MIN_WORDS = 2
MAX_QUOTE = 600
"""Characters; a 'sentence' may be a whole table."""

MARK = re.compile(r"\s*\[\s*(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\s*\]")


@dataclass(frozen=True)
class Cited:
    """An answer whose marks all hold; `marks` by number, one for each number in the text."""

    text: str
    marks: tuple[CitedMark, ...]


@dataclass(frozen=True)
class _Claim:
    """A sentence of the answer without its marks, and the passage numbers that the model gave it."""

    text: str
    numbers: tuple[int, ...]
    gap: str
    """White space between this sentence and the next."""


def cite(answer: str, passages: Sequence[Passage], *, quoting: bool = True) -> Cited:
    """Check the marks of an answer against its passages, numbered from 1, and return what holds.

    `quoting` is False for passages that are not the documents' own words: their marks have no quote.
    """
    pieces: list[str] = []
    supported: dict[int, list[str]] = {}
    for claim in _claims(answer):
        numbers = _supported_numbers(claim, passages)
        for number in numbers:
            supported.setdefault(number, []).append(claim.text)
        pieces.append(claim.text + "".join(f" [{number}]" for number in numbers) + claim.gap)
    marks = (_mark(number, passages[number - 1], " ".join(supported[number])) for number in sorted(supported))
    kept = tuple(marks) if quoting else tuple(replace(mark, page=None, quote="") for mark in marks)
    return Cited("".join(pieces).strip(), kept)


def supports(passage: str, sentence: str) -> bool:
    """Tell whether a passage holds enough of a sentence's figures, or else of its words (rule 2)."""
    return _support(passage, sentence) > 0


def _best_quote(passage: Passage, claim: str) -> Span:
    """Return the sentence of the passage that shares most figures with the claim, and among equals most words."""
    wanted = terms(claim)

    def shared(span: Span) -> tuple[int, int]:
        common = wanted & terms(passage.text[span.start : span.end])
        return len(figures(common)), len(common)

    spans = list(sentences(passage.text)) or [Span(0, len(passage.text))]
    best = max(spans, key=shared)
    return Span(best.start, min(best.end, best.start + MAX_QUOTE))


def _support(passage: str, sentence: str) -> float:
    """Return the share of the sentence's figures and words that the passage holds, 0 if it does not support it."""
    said, held = terms(sentence), terms(passage)
    common = said & held
    exact = figures(said)
    if exact:
        enough = len(exact & held) >= FIGURES_SHARE * len(exact)
    else:
        enough = len(common) >= MIN_WORDS and len(common) >= WORDS_SHARE * len(said)
    return (len(common) + 2 * len(exact & held)) / len(said) if enough else 0.0


def _supported_numbers(claim: _Claim, passages: Sequence[Passage]) -> list[int]:
    if is_silence(claim.text):
        return []
    given = (number for number in dict.fromkeys(claim.numbers) if 1 <= number <= len(passages))
    kept = [number for number in given if supports(passages[number - 1].text, claim.text)]
    if kept:
        return kept
    shares = [(_support(passage.text, claim.text), -number) for number, passage in enumerate(passages, start=1)]
    share, negative = max(shares, default=(0.0, 0))
    return [-negative] if share > 0 else []


def _claims(answer: str) -> Iterator[_Claim]:
    """Cut the answer into sentences, each with the marks that follow it directly or stand within it."""
    bare, marks = _without_marks(answer)
    spans = list(sentences(bare))
    for index, span in enumerate(spans):
        following = spans[index + 1].start if index + 1 < len(spans) else len(bare)
        # A mark may stand before the full stop or after it; both belong to this sentence.
        numbers = tuple(n for at, group in marks if span.start < at <= span.end for n in group)
        yield _Claim(bare[span.start : span.end], numbers, bare[span.end : following])


def _without_marks(answer: str) -> tuple[str, list[tuple[int, list[int]]]]:
    """Return the answer without its marks, and for each mark where it stood in that text and its numbers."""
    bare = ""
    marks: list[tuple[int, list[int]]] = []
    done = 0
    for match in MARK.finditer(answer):
        bare += answer[done : match.start()]
        done = match.end()
        marks.append((len(bare), [int(number) for number in re.findall(r"\d+", match.group(1))]))
    return bare + answer[done:], marks


def _mark(number: int, passage: Passage, claim: str) -> CitedMark:
    span = _best_quote(passage, claim)
    return CitedMark(
        number=number,
        document_id=passage.document_id,
        chunk_id=passage.chunk_id,
        page=passage.page_at(span.start),
        quote=passage.text[span.start : span.end],
    )
