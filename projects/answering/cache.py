"""The exact cache: serves an answer again as long as nothing has changed that it follows from.

The key is a hash over the question, what was said before if the question leans on it, everything in the project that an
answer can follow from, the lane that the person wants, the model and the wording of the prompts. So nothing is ever
invalidated: what has changed makes another key. All of it is looked up without a search and without the model, since
which documents a question is about is not known before either.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace

from django.db import transaction
from django.db.models import Exists, OuterRef, Subquery
from django.utils import timezone

from projects.answering.coverage import coverage_of
from projects.answering.events import Ended
from projects.answering.prompt import PROMPT_VERSION
from projects.answering.thread import leaned_on, normalised
from projects.answering.turns import Outcome, ended, seconds_since
from projects.models import Chunk, Citation, Document, Project, Turn, Vector
from projects.retrieval import indexes
from study.keys import Learner
from study.service import learned_of

VERSION = "answers-cache-1"
"""Changes when an answer comes to follow from something that the key does not hold."""
REASON = "Answered before, documents unchanged."


@dataclass(frozen=True)
class Asked:
    """A question as it was put; `earlier` are the turns that it leans on, oldest first: question, answer, cited ids."""

    question: str
    earlier: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    wanted_lane: str = ""


@dataclass(frozen=True)
class Context:
    """All that the answers of a project can follow from.

    `documents`: id, name, key of the text, whether it can be searched, and whether by meaning too. `learned`: what the
    study knows, by kind, subject and key. `by_meaning`: whether the person wants the search by meaning, and with which
    index it is done.
    """

    documents: tuple[tuple[int, str, str, bool, bool], ...] = ()
    learned: tuple[tuple[str, str, str], ...] = ()
    by_meaning: tuple[bool, str] = (True, "")


@dataclass(frozen=True)
class Ticket:
    """Under which key the answer to a turn may be kept, if all is still as it was when the question came."""

    turn_id: int
    learner: Learner
    key: str


@dataclass(frozen=True)
class Served:
    """An answer from before, stored with the new turn."""

    answer: str
    end: Ended


def key_of(asked: Asked, context: Context, learner: Learner) -> str:
    """Return the key of an answer: 64 hexadecimal digits."""
    everything = {
        "version": [VERSION, PROMPT_VERSION],
        "question": normalised(asked.question),
        "earlier": [[normalised(question), answer, cited] for question, answer, cited in asked.earlier],
        "lane": asked.wanted_lane,
        "context": asdict(context),
        "learner": asdict(learner),
    }
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()


def recall(turn_id: int, learner: Learner | None) -> Served | Ticket | None:
    """Answer a WAITING turn from before, or return the ticket to keep its answer by.

    `learner` is the model that would be asked. None where nothing can be said: no model, or a turn that is closed.
    """
    if learner is None:
        return None
    turn = Turn.objects.select_related("conversation__project").get(pk=turn_id)
    if turn.state != Turn.State.WAITING:
        return None
    ticket = Ticket(turn_id, learner, _key(turn, learner))
    before = None if turn.fresh else _answered(turn, ticket.key)
    return ticket if before is None else _serve(turn, before, ticket) or ticket


def kept(outcome: Outcome, ticket: Ticket | None) -> Outcome:
    """Return an outcome with its key if it may serve again; call it in the transaction that stores it.

    What was not answered to its end may not, nor what was there without being asked of the model, nor an answer while
    whose making something has changed: nobody knows whether it follows from what was or from what is.
    """
    whole = outcome.state == Turn.State.DONE and outcome.finish_reason != "length"
    if ticket is None or not whole or outcome.from_cache or not outcome.answer:
        return outcome
    turn = Turn.objects.select_related("conversation__project").filter(pk=ticket.turn_id).first()
    unchanged = turn is not None and _key(turn, ticket.learner) == ticket.key
    return replace(outcome, cache_key=ticket.key) if unchanged else outcome


def _key(turn: Turn, learner: Learner) -> str:
    return key_of(_asked(turn), context_of(turn.conversation.project), learner)


def _asked(turn: Turn) -> Asked:
    earlier = tuple((before.question, before.answer, _cited(before)) for before in leaned_on(turn))
    return Asked(turn.question, earlier, turn.wanted_lane)


def _cited(turn: Turn) -> tuple[int, ...]:
    return tuple(turn.citations.order_by("number").values_list("document_id", flat=True))


def context_of(project: Project) -> Context:
    """Look up what the answers of a project can follow from; some queries, none of them over chunks."""
    index = indexes.serving()
    last = Chunk.objects.filter(document=OuterRef("pk")).order_by("-ordinal").values("pk")[:1]
    # A document's vectors are made in order: with that of its last chunk all are there.
    vector = Vector.objects.filter(index=index, chunk=OuterRef("last"))
    rows = project.documents.annotate(last=Subquery(last)).annotate(embedded=Exists(vector)).order_by("pk")
    documents = tuple(
        (pk, name, text_key, state in Document.ANSWERABLE, bool(index and embedded))
        for pk, name, text_key, state, embedded in rows.values_list("pk", "name", "text_key", "state", "embedded")
    )
    return Context(documents, learned_of(project.pk), (project.vectors, index.key if index else ""))


def _answered(turn: Turn, key: str) -> Turn | None:
    """Return the newest answer of the project under a key; None if there is none."""
    same = Turn.objects.filter(conversation__project=turn.conversation.project_id, cache_key=key)
    return same.filter(state=Turn.State.DONE).exclude(answer="").order_by("-pk").first()


@transaction.atomic
def _serve(turn: Turn, before: Turn, ticket: Ticket) -> Served | None:
    """Store an answer from before with a new turn; None if something has changed in this very moment.

    In one transaction, which keeps writers out (SQLite: IMMEDIATE): a document must not be removed in between.
    """
    if _key(turn, ticket.learner) != ticket.key:
        return None
    seconds = seconds_since(turn.created)
    served = Turn.objects.filter(pk=turn.pk, state=Turn.State.WAITING).update(
        state=Turn.State.DONE,
        answer=before.answer,
        lane=before.lane,
        lane_reason=REASON,
        coverage=coverage_of(turn.conversation.project).to_json(),
        finish_reason=before.finish_reason,
        model=before.model,
        prompt_version=before.prompt_version,
        cache_key=ticket.key,
        from_cache=True,
        ttft_s=seconds,
        total_s=seconds,
        finished=timezone.now(),
    )
    if not served:
        return None
    fields = before.citations.values("number", "document_id", "chunk_id", "page", "quote")
    Citation.objects.bulk_create(Citation(turn_id=turn.pk, **row) for row in fields)
    return Served(before.answer, ended(Turn.objects.get(pk=turn.pk)))
