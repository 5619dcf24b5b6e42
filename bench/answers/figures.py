"""Figures of how well the set was answered: ways, right answers, figures, pages, memory and predicted seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import mean, median
from typing import TypeVar

from bench.answers.judging import Judged
from bench.answers.records import Record
from bench.report import Figure

_T = TypeVar("_T")

TARGETS = {"specific": 0.9, "followup": 0.85, "broad": 0.85, "count": 0.6, "deep": 0.5, "unanswerable": 0.8}
"""Shares of right answers to reach, by kind of question."""


def router(judged: Sequence[Judged]) -> list[Figure]:
    """Return whether the ways taken are ways that may be taken."""
    ruled = [one for one in judged if one.question.lane_ok]
    if not ruled:
        return []
    wrong = [one for one in ruled if not one.lane_ok]
    facts = [one for one in ruled if one.kind == "specific" and one.record.lane == "digest"]
    allowed = sum(one.lane_ok for one in facts)
    detail = f"{len(wrong)} of {len(ruled)} took another one{_ids(wrong)}"
    from_digest = f"{allowed} more where the set allows it" if allowed else ""
    return [
        Figure("router", "way within those allowed", 1 - len(wrong) / len(ruled), "", 0.95, "at least", detail),
        Figure("router", "specific from the digest", len(facts) - allowed, "", 0, "at most", from_digest),
    ]


def right(judged: Sequence[Judged], classic: Sequence[Judged]) -> list[Figure]:
    """Return the share of right answers by kind, and how much it is above that of plain prompting."""
    found = []
    for kind, theirs in _groups(judged, lambda one: one.kind).items():
        lanes = _groups(theirs, lambda one: one.record.lane or "none")
        detail = f"{_score(theirs)}; " + ", ".join(f"{lane} {_score(ones)}" for lane, ones in lanes.items())
        found.append(Figure("right", kind, _share(theirs), "", TARGETS.get(kind), "at least", detail))
        ids = {one.question.id for one in theirs}
        plain = [one for one in classic if one.question.id in ids]
        both = [one for one in theirs if one.question.id in {other.question.id for other in plain}]
        if plain:
            detail = f"{_score(both)} beside {_score(plain)}"
            above = _share(both) - _share(plain)
            found.append(Figure("right", f"{kind}, above plain prompting", above, "", 0, "at least", detail))
    return found


def inventions(judged: Sequence[Judged], classic: Sequence[Judged]) -> list[Figure]:
    """Return how many figures of the answers are in no document and not in what was asked."""
    if not judged:
        return []
    count = sum(len(one.findings.invented) for one in judged)
    beside = f"; plain prompting: {sum(len(one.findings.invented) for one in classic)}" if classic else ""
    detail = f"in {len(judged)} answers{beside}"
    return [Figure("invented", "figures that are in no document", count, "", 0, "at most", detail)]


def pages(judged: Sequence[Judged]) -> list[Figure]:
    """Return the share of answers with a citation that leads to a page with the answer."""
    asked = [one for one in judged if one.has_page is not None]
    if not asked:
        return []
    good = [one for one in asked if one.right]
    with_page, right_with_page = (sum(bool(one.has_page) for one in ones) for ones in (asked, good))
    silent = sum(not one.record.citations for one in asked)
    detail = f"{with_page} of {len(asked)}; of the right ones {right_with_page} of {len(good)}; {silent} cite nothing"
    share = with_page / len(asked)
    return [Figure("citations", "a cited page holds the answer", share, detail=detail)]


def remembered(phase: str, records: Sequence[Record]) -> list[Figure]:
    """Return the share of prompt tokens that were not read again, by lane."""
    found = []
    for lane, theirs in _groups(records, lambda record: record.lane or "none").items():
        if prompts := sum(record.prompt_tokens for record in theirs):
            restored = sum(record.restored_tokens for record in theirs)
            reused = sum(record.reused_tokens for record in theirs)
            detail = f"{len(theirs)} answers, {prompts:,} tokens, {restored:,} restored, {reused:,} reused"
            found.append(Figure("remembered", f"{phase}, {lane}", (restored + reused) / prompts, detail=detail))
    return found


def predictions(records: Iterable[Record]) -> list[Figure]:
    """Return how far the predicted seconds are from the real ones, of answers that were predicted."""
    pairs = [
        (record.predicted_s, record.total_s)
        for record in records
        if record.predicted_s is not None and record.total_s is not None and not record.error
    ]
    if not pairs:
        return []
    off = [abs(predicted - real) for predicted, real in pairs]
    parts = [abs(predicted - real) / real for predicted, real in pairs if real > 0]
    detail = (
        f"{len(pairs)} answers; predicted {sum(p for p, _ in pairs):.0f} s in all, real {sum(r for _, r in pairs):.0f}"
    )
    found = [Figure("prediction", "mean error", mean(off), "s", detail=f"{detail}; median error {median(off):.2f} s")]
    if parts:
        found.append(
            Figure("prediction", "mean error over the real seconds", mean(parts), detail=f"median {median(parts):.2f}")
        )
    return found


def speed(judged: Sequence[Judged], classic: Sequence[Judged]) -> list[Figure]:
    """Return the median seconds to the first word by kind, beside those of plain prompting."""
    found = []
    plain = _groups(classic, lambda one: one.kind)
    for kind, theirs in _groups(judged, lambda one: one.kind).items():
        if waits := _seconds(theirs, "ttft_s"):
            whole = f"whole answer {_median(_seconds(theirs, 'total_s'))}"
            beside = plain.get(kind, [])
            more = (
                f"; plain prompting {_median(_seconds(beside, 'ttft_s'))} and {_median(_seconds(beside, 'total_s'))}"
                if beside
                else ""
            )
            found.append(Figure("speed", f"{kind}: first word, median", median(waits), "s", detail=whole + more))
    return found


def failures(records: Sequence[Record]) -> list[Figure]:
    """Return how many questions have no answer."""
    failed = [record for record in records if record.error]
    detail = ", ".join(f"{record.phase} {record.id}" for record in failed)
    return [Figure("failed", "questions without an answer", len(failed), "", 0, "at most", detail)] if records else []


def _groups(items: Iterable[_T], key: Callable[[_T], str]) -> dict[str, list[_T]]:
    groups: dict[str, list[_T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _share(judged: Sequence[Judged]) -> float:
    return sum(one.right for one in judged) / len(judged)


def _score(judged: Sequence[Judged]) -> str:
    return f"{sum(one.right for one in judged)}/{len(judged)}"


def _ids(judged: Sequence[Judged]) -> str:
    return ": " + ", ".join(f"{one.question.id} {one.record.lane}" for one in judged) if judged else ""


def _seconds(judged: Iterable[Judged], name: str) -> list[float]:
    answered = (one.record for one in judged if not one.record.error)
    return [seconds for record in answered if (seconds := getattr(record, name)) is not None]


def _median(seconds: Sequence[float]) -> str:
    return f"{median(seconds):.2f} s" if seconds else "none"
