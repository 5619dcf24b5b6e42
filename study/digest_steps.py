"""Drawing a project together, a step at a time: the digest with the overview, then the other opening answers."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from inference import gateway
from inference.contracts import Timings
from study import tasks
from study.asking import Question, answer
from study.digests import Entry, Level, arranged, brief_facts, digest_key, is_due, level_for, shown
from study.faithful import Values, held_to
from study.keys import Learner
from study.models import Digest, DocumentSummary, PreparedAnswer, StudyTask
from study.openings import ABOUT, EACH, opening_questions
from study.passports import service as passports
from study.passports.values import UNKNOWN_TYPE, Passport, Source
from study.prompts import asking, digest_boundary, digest_parts, digest_question
from study.sentences import first_sentence
from study.tasks import Claim, Kind, State
from study.texts import DocumentHead, Texts

OPENING_ANSWER = 220
"""Tokens that an answer to an opening question may have."""
EACH_IN_FULL = 25
"""Documents up to which 'summarise each' has whole summaries; of more the first sentence each."""
FIRST_SENTENCE = 200
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Draft:
    """A digest as it would be made now, and how much is still to be read."""

    project_id: int
    learner: Learner
    entries: tuple[Entry, ...]
    level: Level
    texts: tuple[str, ...]
    tokens: int
    key: str
    waiting: int


def draft(project_id: int, learner: Learner, texts: Texts) -> Draft:
    """Return the digest that follows the stored one. Raises InferenceError, since tokens are counted."""
    old = _stored(project_id, learner)
    entries = arranged(entries_of(old), _fresh(project_id, learner, texts))
    full, lines = (shown(entries, level) for level in (Level.FULL, Level.LINES))
    counts = gateway.count_tokens([*full, *lines])
    in_full, in_lines = sum(counts[: len(full)]), sum(counts[len(full) :])
    level = level_for(in_full, in_lines, learner.window)
    chosen = shown(entries, level)
    tokens = {Level.FULL: in_full, Level.LINES: in_lines}.get(level) or sum(gateway.count_tokens(chosen))
    key = digest_key(chosen, level)
    return Draft(project_id, learner, tuple(entries), level, tuple(chosen), tokens, key, _unread(project_id))


def entries_of(row: Digest | None) -> list[Entry]:
    """Return the entries of a stored digest, none of a missing one."""
    return [Entry.from_json(entry) for entry in row.entries] if row else []


def draw_on(held: Claim, task: StudyTask, learner: Learner, texts: Texts) -> None:
    """Do the next step of a digest, if one is due, and store it. Raises InferenceError and ClaimLost.

    What failed is not tried again before anything has changed.
    """
    began = time.monotonic()
    new = draft(task.project_id, learner, texts)

    def beat() -> None:
        tasks.renew(held, timezone.now())

    row = _stored(task.project_id, learner)
    current = row is not None and row.key == new.key
    if task.error and not task.attempts and task.text_key == new.key:
        with transaction.atomic():
            tasks.settle(held, State.FAILED)
    elif not new.entries:
        _store_empty(held, new)
    elif current and not new.waiting and (left := _unanswered(new)):
        text, timings = _ask(new, left[0], beat)
        _store_answer(held, new, left[0], text, timings, began)
    elif is_due(new.waiting, len(new.entries), len(row.entries) if row and row.key else 0, current=current):
        StudyTask.objects.filter(pk=task.pk).update(text_key=new.key)
        text, timings = _ask(new, ABOUT, beat)
        _store_digest(held, new, text, timings, began)
    else:
        with transaction.atomic():
            tasks.settle(held, State.DONE, error="")


def _ask(new: Draft, question: str, beat: Any) -> tuple[str, Timings]:
    """Return the answer from the digest, held to the digest; the state at the digest's end is kept."""
    if question == EACH:
        return _each(new.entries), Timings()
    messages = asking(digest_parts(new.project_id, new.texts), digest_question(question))
    text, timings = answer(Question(messages, OPENING_ANSWER, digest_boundary(new.project_id)), beat)
    return held_to(text, Values.of("\n".join(new.texts))).text, timings


def _each(entries: Sequence[Entry]) -> str:
    """Put the summaries one under the other: nothing that a model could say of each would be closer to it."""
    short = len(entries) > EACH_IN_FULL
    lines = []
    for number, entry in enumerate(entries, start=1):
        told = first_sentence(entry.summary, FIRST_SENTENCE) if short else entry.summary
        lines.append(f"- **{entry.name}**: {told} [{number}]")
    return "\n".join(lines)


def _store_digest(held: Claim, new: Draft, about: str, timings: Timings, began: float) -> None:
    with transaction.atomic():
        Digest.objects.update_or_create(
            project_id=new.project_id,
            **new.learner.filter,
            defaults={
                "key": new.key,
                "level": new.level.value,
                "entries": [entry.to_json() for entry in new.entries],
                "tokens": new.tokens,
            },
        )
        _answers(new).exclude(digest_key=new.key).delete()
        _put_answer(new, ABOUT, about)
        _put_answer(new, EACH, _each(new.entries))
        _settle(held, new, timings, began)


def _store_answer(held: Claim, new: Draft, question: str, text: str, timings: Timings, began: float) -> None:
    with transaction.atomic():
        _put_answer(new, question, text)
        _settle(held, new, timings, began)


def _store_empty(held: Claim, new: Draft) -> None:
    with transaction.atomic():
        Digest.objects.filter(project_id=new.project_id, **new.learner.filter).delete()
        _answers(new).delete()
        tasks.settle(held, State.DONE, error="", checkpoint=0, steps=0, tokens_total=0, tokens_done=0)


def _put_answer(new: Draft, question: str, text: str) -> None:
    PreparedAnswer.objects.update_or_create(
        project_id=new.project_id,
        question=question,
        **new.learner.filter,
        defaults={"answer": text, "digest_key": new.key, "position": _questions(new).index(question)},
    )


def _settle(held: Claim, new: Draft, timings: Timings | None, began: float) -> None:
    """Let the task wait for its next answer, or end; in the transaction that stores the step."""
    left = [] if new.waiting else _unanswered(new)
    total = 1 if new.waiting else len(_questions(new)) - 1
    tasks.settle(
        held,
        State.WAITING if left else State.DONE,
        error="",
        attempts=0,
        checkpoint=total - len(left),
        steps=total,
        tokens_done=new.tokens,
        tokens_total=new.tokens,
        tokens=F("tokens") + (timings.read if timings else 0),
        seconds=F("seconds") + (time.monotonic() - began),
        text_key=new.key,
        **new.learner.filter,
    )


def _questions(new: Draft) -> list[str]:
    return opening_questions(entry.type for entry in new.entries)


def _unanswered(new: Draft) -> list[str]:
    answered = set(_answers(new).filter(digest_key=new.key).values_list("question", flat=True))
    return [question for question in _questions(new) if question not in answered]


def _answers(new: Draft) -> Any:
    return PreparedAnswer.objects.filter(project_id=new.project_id, **new.learner.filter)


def _stored(project_id: int, learner: Learner) -> Digest | None:
    return Digest.objects.filter(project_id=project_id, **learner.filter).first()


def _unread(project_id: int) -> int:
    return StudyTask.objects.filter(kind=Kind.DOCUMENT, project_id=project_id, state__in=StudyTask.OPEN).count()


def _fresh(project_id: int, learner: Learner, texts: Texts) -> list[Entry]:
    """Return an entry for each document that has a summary, in the order in which the documents came."""
    heads = texts.documents(project_id)
    ids = [head.document_id for head in heads]
    rows = DocumentSummary.objects.filter(document_id__in=ids, **learner.filter)
    summaries = {(row.document_id, row.text_key): row for row in rows}
    known = {passport.document_id: passport for passport in passports.passports_of(project_id)}
    pairs = [(head, summaries.get((head.document_id, head.text_key))) for head in heads]
    return [_entry(head, row, known.get(head.document_id)) for head, row in pairs if row is not None]


def _entry(head: DocumentHead, row: DocumentSummary, passport: Passport | None) -> Entry:
    facts = brief_facts(_facts(passport), row.text, row.tokens * CHARACTERS_PER_TOKEN) if passport else ""
    kind = passport.type if passport else UNKNOWN_TYPE
    key = hashlib.sha256(f"{head.name}\n{head.text_key}\n{kind}\n{facts}\n{row.text}".encode()).hexdigest()
    return Entry(head.document_id, key[:16], head.name, kind, head.pages, facts, row.text)


def _facts(passport: Passport) -> list[tuple[str, str]]:
    """Return label and value of each field that has a label, those that a person has corrected or added first.

    What nobody has named tells little by itself, and what the document is about is in its summary.
    """
    fields = sorted(passport.fields, key=lambda field: field.source != Source.CORRECTED)
    named = [field for field in fields if field.source == Source.CORRECTED or field.label]
    return [(field.label or field.kind.capitalize(), field.value) for field in named]
