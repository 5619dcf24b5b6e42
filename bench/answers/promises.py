"""The figures that the product promises: seconds and tokens of first questions, repeated ones and those about facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from bench.answers.records import Book, Record
from bench.answers.run import ABOUT, AGAIN, ANEW
from bench.report import Figure
from bench.stats import percentile

QUOTED = f"'{ABOUT.text}'"


def figures(book: Book, specific: Iterable[str]) -> list[Figure]:
    """Return the promises that the records allow to judge; `specific` are the ids of the questions about one fact.

    A question without an answer has kept none and broken none: it is counted where failures are.
    """
    facts = set(specific)
    return [
        *_first(book),
        *_again(book),
        *_shares(book, facts),
        *_first_words(book, facts),
        *_study(book),
    ]


def _first(book: Book) -> list[Figure]:
    """The first question after a restart: as a person asks it, and with an answer that is made anew."""
    classic = next((record for record in book.of("classic") if record.question == ABOUT.text), None)
    beside = f"; plain prompting: {_s(classic.ttft_s)} and {_s(classic.total_s)}" if classic else ""
    found = []
    for record_id, how in ((ABOUT.id, "as people ask it"), (ABOUT.id + ANEW, "answer made anew")):
        record = book.records.get(("restart", record_id))
        if record is None or record.error:
            continue
        name = f"{QUOTED}, {how}"
        detail = f"lane {record.lane}, {'prepared' if record.from_cache else 'asked the model'}{beside}"
        found += [
            Figure("first question", f"{name}: whole answer", record.total_s or 0.0, "s", 8, "at most", detail),
            Figure("first question", f"{name}: first word", record.ttft_s or 0.0, "s", 1, "at most"),
            Figure("first question", f"{name}: tokens read", record.read_tokens, "", 64, "at most", _tokens([record])),
        ]
    return found


def _again(book: Book) -> list[Figure]:
    found = []
    for record in (*book.of("restart"), *book.of("questions")):
        if record.id.endswith(AGAIN) and not record.error:
            what = QUOTED if record.question == ABOUT.text else "a question about a fact"
            detail = f"{'remembered' if record.from_cache else 'made anew'}; lane {record.lane}"
            name = f"{what}, the same words again"
            found.append(Figure("again", name, record.seconds, "s", 0.15, "at most", detail))
    return found


def _shares(book: Book, facts: set[str]) -> list[Figure]:
    """The share of prompts that was not read again, of questions about one fact."""
    found = []
    for phase, when, target in (("before", "right after upload", 0.6), ("questions", "once read", 0.85)):
        records = [record for record in book.of(phase) if record.id in facts]
        if prompts := sum(record.prompt_tokens for record in records):
            share = sum(record.kept for record in records) / prompts
            name = f"share of the tokens not read again, specific, {when}"
            found.append(Figure("remembered", name, share, "", target, "at least", _tokens(records)))
    return found


def _first_words(book: Book, facts: set[str]) -> list[Figure]:
    found = []
    if read := _waits(record for record in book.of("questions") if record.id in facts):
        detail = f"{len(read)} questions; median {median(read):.2f}, slowest {max(read):.2f}"
        name = "specific, on documents that are read, 95th percentile"
        found.append(Figure("first word", name, percentile(read, 0.95), "s", 2, "at most", detail))
    if early := _waits(book.of("before")):
        detail = f"{len(early)} questions; median {median(early):.2f}"
        name = "right after upload, nothing read, the slowest"
        found.append(Figure("first word", name, max(early), "s", 12, "at most", detail))
    return found


def _study(book: Book) -> list[Figure]:
    if "study_tokens" not in book.facts or not book.facts.get("corpus_tokens"):
        return []
    read, corpus = book.facts["study_tokens"], book.facts["corpus_tokens"]
    detail = f"{read:,.0f} of {corpus:,.0f} tokens, {book.facts['study_s']:.0f} s"
    return [Figure("study", "tokens read over those of the corpus", read / corpus, "", 1.3, "at most", detail)]


def _waits(records: Iterable[Record]) -> list[float]:
    return [record.ttft_s for record in records if record.ttft_s is not None and not record.error]


def _tokens(records: Sequence[Record]) -> str:
    restored = sum(record.restored_tokens for record in records)
    reused = sum(record.reused_tokens for record in records)
    return f"{sum(record.prompt_tokens for record in records):,} tokens, {restored:,} restored, {reused:,} reused"


def _s(seconds: float | None) -> str:
    return "no answer" if seconds is None else f"{seconds:.1f} s"
