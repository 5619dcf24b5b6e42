"""Everything that is decided before the model is asked: which way, from which sources, in which words; stored first."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import Q

from inference.contracts import ChatMessage
from projects.answering.coverage import Coverage, coverage_of, explain_nothing_ready
from projects.answering.events import Ended
from projects.answering.prompt import (
    PROMPT_VERSION,
    assemble,
    document_question,
    earlier,
    overview_question,
)
from projects.answering.router import Lane, Route, Scene, concerned, names_in, route
from projects.answering.sources import of_digest, of_document
from projects.answering.turns import Briefing, begin_turn, ended, seconds_since, take_other_way
from projects.answering.wording import folded, kind_of, leans_back
from projects.models import Document, Turn
from projects.retrieval.lexical import openings
from projects.retrieval.passages import Passage, by_document, choose
from projects.retrieval.search import Found, find
from study.keys import Learner
from study.service import DigestPrompt, DocumentPrefix, digest_for, document_prefix, opening_questions, summary_of

MAX_PASSAGES = 5
PASSAGE_BUDGET = 5_000
"""Characters of passages in a prompt, about 1,300 tokens: what two cores read in some ten seconds."""
LONGEST_REASON = 300
TELLING = 2
"""Earlier turns that a question which leans on them is put with."""

NO_HIT_REASON = "No passage has a word of the question: took the beginnings of the documents."
NOT_THERE_REASON = "{document} does not say: looked it up in the passages of all documents."
PREPARED_REASON = "One of the questions that are answered in advance, once all documents are read."
GONE = "The documents have changed in this very moment. Try again."


@dataclass(frozen=True)
class Prepared:
    """A question ready for the model.

    `sources` are what the answer may cite, by number from 1. `ready` is an answer that was prepared, empty if there is
    none. `refusal` says why there is nothing to ask the model; `closed` how a turn stands that is not waiting any more.
    """

    conversation_id: int
    asked: float
    lane: Lane = Lane.PASSAGES
    messages: tuple[ChatMessage, ...] = ()
    sources: tuple[Passage, ...] = ()
    ready: str = ""
    refusal: str = ""
    closed: Ended | None = None


@dataclass(frozen=True)
class _Way:
    """A route with what it takes; `relies_on` are the documents whose words stand in the prompt."""

    route: Route
    messages: tuple[ChatMessage, ...] = ()
    sources: tuple[Passage, ...] = ()
    relies_on: frozenset[int] = frozenset()
    ready: str = ""


def prepare(turn_id: int, learner: Learner | None, *, elsewhere: bool = False) -> Prepared:
    """Choose the way for a turn and store it with its prompt.

    `learner` is the model that can be asked, None while there is none. `elsewhere`: the document that was asked does
    not say, so the passages of all are to be asked. Raises InferenceError.
    """
    turn = Turn.objects.select_related("conversation__project").get(pk=turn_id)
    asked = time.monotonic() - seconds_since(turn.created)
    coverage = coverage_of(turn.conversation.project)
    way = _way(turn, learner, elsewhere=elsewhere) if coverage.ready else _Way(Route(Lane.PASSAGES, ""))
    stored = _store(turn, way, coverage, elsewhere=elsewhere)
    prepared = Prepared(turn.conversation_id, asked, way.route.lane, way.messages, way.sources, way.ready)
    if not stored:
        return replace(prepared, closed=ended(Turn.objects.get(pk=turn_id)))
    if not coverage.ready:
        return replace(prepared, refusal=explain_nothing_ready(coverage))
    return replace(prepared, refusal=GONE) if stored is _LOST else prepared


_STORED, _LOST = 1, 2


@transaction.atomic
def _store(turn: Turn, way: _Way, coverage: Coverage, *, elsewhere: bool) -> int:
    """Store the way; 0 if the turn is closed already.

    In one transaction, which keeps writers out (SQLite: IMMEDIATE): removing a document wipes the stored prompts, and
    one that holds its text must not be stored after that.
    """
    # A document that is being read anew keeps its text until then; the digest goes on telling of it.
    with_text = Q(state__in=Document.ANSWERABLE) | ~Q(text_key="")
    present = Document.objects.filter(with_text, pk__in=way.relies_on).count()
    lost = present < len(way.relies_on)
    prompt: list[dict[str, object]] = (
        [] if lost else [{"role": message.role, "content": message.text} for message in way.messages]
    )
    reason = way.route.reason[:LONGEST_REASON]
    briefing = Briefing(way.route.lane, reason, coverage.to_json(), prompt, PROMPT_VERSION)
    stored = take_other_way(turn.pk, briefing) if elsewhere else begin_turn(turn.pk, briefing)
    return (_LOST if lost else _STORED) if stored else 0


def _way(turn: Turn, learner: Learner | None, *, elsewhere: bool) -> _Way:
    project_id = turn.conversation.project_id
    digest = digest_for(project_id, learner) if learner else None
    if digest is not None and (ready := _prepared(turn)):
        return _Way(Route(Lane.DIGEST, PREPARED_REASON), (), of_digest(digest), frozenset(digest.documents), ready)
    before = _before(turn)
    query = " ".join([*(other.question for other in before), turn.question])
    found = find(project_id, query, limit=MAX_PASSAGES)
    passages = choose(found.passages, MAX_PASSAGES, PASSAGE_BUDGET)
    if elsewhere:
        return _by_passages(project_id, found, passages, turn, before)
    names = bool(names_in(turn.question, passages))
    document_id = concerned(found.hits) or _cited_before(before)
    prefix = _remembered(document_id, learner)
    name = next((p.document for p in passages if p.document_id == document_id), "")
    kind = kind_of(turn.question, anchored=names, collections=_called(digest))
    scene = Scene(kind, digest is not None, name, is_remembered=prefix is not None, names=names)
    chosen = route(scene, turn.wanted_lane)
    if chosen.lane is Lane.DIGEST and digest is not None:
        return _by_digest(chosen, digest, turn, passages)
    if chosen.lane is Lane.DEEP and prefix is not None:
        return _by_document(chosen, prefix, turn, before)
    return _by_passages(project_id, found, passages, turn, before, chosen.reason)


def _called(digest: DigestPrompt | None) -> frozenset[str]:
    """Return the words of the documents' types: what is an accident report here may be called an accident."""
    types = {entry.type for entry in digest.entries} if digest else set()
    return frozenset(word for kind in types for word in kind.split())


def _by_digest(chosen: Route, digest: DigestPrompt, turn: Turn, passages: Sequence[Passage]) -> _Way:
    near = {passage.document_id for passage in passages}
    messages = digest.messages(overview_question(turn.question), near)
    return _Way(chosen, messages, of_digest(digest), frozenset(digest.documents))


def _prepared(turn: Turn) -> str:
    """Return the answer that was prepared for these very words, empty if there is none that still holds."""
    if turn.fresh:
        return ""
    wanted = folded(turn.question)
    openings_ = opening_questions(turn.conversation.project_id)
    return next((one.answer for one in openings_ if folded(one.question) == wanted), "")


def _by_document(chosen: Route, prefix: DocumentPrefix, turn: Turn, before: Sequence[Turn]) -> _Way:
    document = Document.objects.get(pk=prefix.document_id)
    messages = prefix.messages(earlier(before) + document_question(turn.question))
    return _Way(chosen, messages, of_document(document, prefix.pieces), frozenset({document.pk}))


def _by_passages(
    project_id: int,
    found: Found,
    passages: Sequence[Passage],
    turn: Turn,
    before: Sequence[Turn],
    reason: str = "",
) -> _Way:
    if passages:
        sources = tuple(by_document(passages))
        why = f"{reason or NOT_THERE_REASON.format(document='The document')} Searched by {found.mode}. {found.note}"
    else:
        sources = tuple(choose(openings(project_id, MAX_PASSAGES), MAX_PASSAGES, PASSAGE_BUDGET))
        why = NO_HIT_REASON
    messages = assemble(sources, turn.question, earlier(before))
    relies_on = frozenset(passage.document_id for passage in sources)
    return _Way(Route(Lane.PASSAGES, why.strip()), messages, sources, relies_on)


def _remembered(document_id: int | None, learner: Learner | None) -> DocumentPrefix | None:
    """Return a document's text as the model has read it; None if it has not, or not in one piece."""
    if document_id is None or learner is None:
        return None
    summary = summary_of(document_id, learner)
    if summary is None or summary.model_key != learner.model_key:
        return None  # not studied by this model: working out its prompt would cost more than it could save
    prefix = document_prefix(document_id, learner)
    return prefix if prefix and prefix.is_read and prefix.parts == 1 else None


def _before(turn: Turn) -> list[Turn]:
    """Return the turns that a question leans on, oldest first; none if it can be understood alone."""
    done = turn.conversation.turns.filter(pk__lt=turn.pk, state=Turn.State.DONE).order_by("-pk")[:TELLING]
    earlier_turns = list(done)[::-1]
    if not earlier_turns or not leans_back(turn.question):
        return []
    return earlier_turns


def _cited_before(before: Sequence[Turn]) -> int | None:
    """Return the one document that the turn before has cited, None if there is none or more than one."""
    cited: Collection[int] = set(before[-1].citations.values_list("document_id", flat=True)) if before else set()
    return next(iter(cited)) if len(cited) == 1 else None
