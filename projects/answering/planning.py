"""Chooses the way of an answer: gathers what is known of the question and of the documents, and makes the prompts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from projects.answering.asks import Memory, of_documents, of_passages
from projects.answering.concern import Concern, concern_of
from projects.answering.listing import Listed, listed, told
from projects.answering.overview import overview
from projects.answering.prompt import (
    belongs_question,
    deciding_question,
    each_question,
    earlier,
    lines_question,
    overview_question,
    quote_question,
    stated_question,
)
from projects.answering.router import Lane, Route, Scene, route
from projects.answering.sources import of_digest
from projects.answering.thread import leaned_on
from projects.answering.ways import Ask, Manner, Way
from projects.answering.wording import WALKS, Kind, folded, is_bare_name, kind_of, overview_language, speaks_of_all
from projects.models import Document, Project, Turn
from projects.retrieval.lexical import openings
from projects.retrieval.passages import Passage, by_document, choose
from projects.retrieval.search import Found, find
from study.keys import Learner
from study.openings import ABOUT
from study.service import DigestPrompt, digest_for, opening_questions

MAX_PASSAGES = 5
PASSAGE_BUDGET = 5_000
"""Characters of passages in a prompt, about 1,300 tokens: what two cores read in some ten seconds."""

SHORT = 1_700
"""Tokens of a document that is read as a whole: passages take as long, and leave nothing in memory."""

NO_HIT_REASON = "No passage has a word of the question: took the beginnings of the documents."
PREPARED_REASON = "One of the questions that are answered in advance, once all documents are read."
OVERVIEW_REASON = "Asks what the documents are about: answered in advance, once all documents were read."


@dataclass(frozen=True)
class _Known:
    """What is known when a way is chosen."""

    turn: Turn
    query: str
    """The question with those before it that it leans on."""
    memory: Memory | None
    digest: DigestPrompt | None
    before: tuple[Turn, ...]
    found: Found
    concern: Concern
    kind: Kind
    names: dict[int, str]
    """The answerable documents by id, in the order in which they were added."""

    @property
    def question(self) -> str:
        return self.turn.question

    @property
    def said(self) -> str:
        return earlier(self.before) + self.question

    @property
    def is_open(self) -> bool:
        """The question does not say which of several documents it is about, so the answer has to."""
        return len(self.names) > 1 and not self.concern.anchored and not self.before

    @property
    def passages(self) -> list[Passage]:
        return choose(self.found.passages, MAX_PASSAGES, PASSAGE_BUDGET)


def plan(turn: Turn, learner: Learner | None) -> Way:
    """Return the way for a turn whose project has something to answer from; `learner` is the model that can be asked.

    Raises InferenceError.
    """
    project = turn.conversation.project
    digest = digest_for(project.pk, learner) if learner else None
    if digest is not None and not turn.fresh and (ready := _prepared(turn.question, digest)):
        return _by_preparation(turn, digest, Route(Lane.DIGEST, PREPARED_REASON), ready)
    known = _look(turn, project, learner, digest)
    scene = _scene(known)
    chosen = route(scene, turn.wanted_lane)
    return _way(known, scene, chosen)


def _look(turn: Turn, project: Project, learner: Learner | None, digest: DigestPrompt | None) -> _Known:
    before = leaned_on(turn)
    query = " ".join([*(other.question for other in before), turn.question])
    found = find(project.pk, query, limit=MAX_PASSAGES)
    answerable = project.documents.filter(state__in=Document.ANSWERABLE).order_by("pk")
    names = dict(answerable.values_list("pk", "name"))
    concern = concern_of(project.pk, turn.question, found.hits, len(names), _cited_before(before))
    if before and not concern.anchored:
        concern = replace(concern_of(project.pk, query, found.hits, len(names), _cited_before(before)), anchored=False)
    if speaks_of_all(turn.question):
        concern = replace(concern, anchored=False)
    kind = kind_of(turn.question, anchored=concern.anchored, collections=_called(digest))
    if concern.sure and concern.anchored and is_bare_name(turn.question):
        kind = Kind.OVERVIEW
    memory = Memory.of(project.pk, learner) if learner else None
    return _Known(turn, query, memory, digest, before, found, concern, kind, names)


def _scene(known: _Known) -> Scene:
    concern = known.concern
    sure = concern.documents[0] if concern.sure and concern.documents else None
    remembered = {pk for pk in known.names if known.memory and known.memory.has(pk)}
    is_short = sure is not None and Document.objects.filter(pk=sure, tokens__gt=0, tokens__lte=SHORT).exists()
    return Scene(
        known.kind,
        has_digest=known.digest is not None,
        document=known.names.get(sure, "") if sure else "",
        is_named=concern.anchored,
        is_remembered=bool(concern.documents) and remembered.issuperset(concern.documents),
        are_all_remembered=bool(known.names) and remembered.issuperset(known.names),
        is_short=is_short and known.memory is not None,
    )


def _way(known: _Known, scene: Scene, chosen: Route) -> Way:
    match chosen.lane:
        case Lane.DIGEST if known.kind in (Kind.TOTAL, Kind.LIST):
            return _by_list(known, chosen)
        case Lane.DIGEST if scene.document and scene.is_named and known.kind is Kind.OVERVIEW:
            return _by_summary(known, chosen)
        case Lane.DIGEST if known.digest is not None:
            return _by_digest(known, known.digest, chosen)
        case Lane.DIGEST:
            return _by_list(known, chosen)
        case Lane.DEEP if known.memory is not None:
            return _by_text(known, scene, chosen, known.memory)
    return _by_passages(known, chosen)


def _by_list(known: _Known, chosen: Route) -> Way:
    return _ready(known, chosen, listed(known.names, known.question, is_total=known.kind is Kind.TOTAL))


def _by_summary(known: _Known, chosen: Route) -> Way:
    document = known.concern.documents[0]
    return _ready(known, chosen, told(document, known.names[document]))


def _ready(known: _Known, chosen: Route, made: Listed) -> Way:
    relies_on = frozenset(source.document_id for source in made.sources)
    return Way(chosen, Manner.READY, known.question, ready=made.text, sources=made.sources, relies_on=relies_on)


def _by_preparation(turn: Turn, digest: DigestPrompt, chosen: Route, ready: str) -> Way:
    return Way(
        chosen,
        Manner.READY,
        turn.question,
        ready=ready,
        sources=of_digest(digest),
        relies_on=frozenset(digest.documents),
        is_prepared=True,
    )


def _by_digest(known: _Known, digest: DigestPrompt, chosen: Route) -> Way:
    if known.kind is Kind.OVERVIEW and not known.turn.fresh and (about := _overview(known.question, digest)):
        return _by_preparation(known.turn, digest, replace(chosen, reason=OVERVIEW_REASON), about)
    near = {passage.document_id for passage in known.passages}
    ask = Ask(partial(digest.messages, concerned=near), overview_question(known.question), of_digest(digest))
    return Way(chosen, Manner.DIGEST, known.question, known.said, (ask,), relies_on=frozenset(digest.documents))


def _by_text(known: _Known, scene: Scene, chosen: Route, memory: Memory) -> Way:
    """Ask whole documents: each of them, one from its beginning to its end, or those that may hold the answer."""
    if known.kind in WALKS or (known.kind is not Kind.FACT and not scene.document):
        of_each = known.kind is not Kind.WHICH
        question = each_question if of_each else deciding_question
        check = belongs_question(known.said)
        asks, documents = of_documents(list(known.names), memory, question(known.said), check)
        return Way(
            chosen,
            Manner.WALKED,
            known.question,
            known.said,
            asks,
            relies_on=documents,
            of_each=of_each,
            concludes=known.kind is Kind.MOSTLY,
        )
    wanted = known.concern.documents[:1] if scene.document else known.concern.documents
    if known.kind is Kind.FULL:
        asks, documents = of_documents(wanted, memory, lines_question(known.said))
        return Way(
            chosen,
            Manner.WHOLE,
            known.question,
            known.said,
            asks,
            query=known.query,
            relies_on=documents,
            nearest=tuple(known.passages),
        )
    asks, documents = of_documents(
        wanted, memory, quote_question(known.said), stated_question(known.said), labelled=known.is_open
    )
    if not asks:
        return _by_passages(known, chosen)
    return Way(
        chosen,
        Manner.ASKED,
        known.question,
        known.said,
        asks,
        query=known.query,
        relies_on=documents,
        nearest=tuple(known.passages),
    )


def _by_passages(known: _Known, chosen: Route) -> Way:
    passages = known.passages
    if passages:
        sources = tuple(by_document(passages))
        why = f"{chosen.reason} Searched by {known.found.mode}. {known.found.note}"
    else:
        beginnings = openings(known.turn.conversation.project_id, MAX_PASSAGES)
        sources = tuple(choose(beginnings, MAX_PASSAGES, PASSAGE_BUDGET))
        why = NO_HIT_REASON
    ask = of_passages(sources, known.said, labelled=known.is_open)
    return Way(
        Route(Lane.PASSAGES, why.strip()),
        Manner.ASKED,
        known.question,
        known.said,
        (ask,),
        query=known.query,
        relies_on=frozenset(passage.document_id for passage in sources),
        nearest=tuple(passages),
    )


def _called(digest: DigestPrompt | None) -> frozenset[str]:
    """Return the words of the documents' types: what is an accident report here may be called an accident."""
    types = {entry.type for entry in digest.entries} if digest else set()
    return frozenset(word for kind in types for word in kind.split())


def _prepared(question: str, digest: DigestPrompt) -> str:
    """Return the answer that was prepared for these very words, empty if there is none that still holds."""
    wanted = folded(question)
    known = opening_questions(digest.project_id)
    opening = next((one for one in known if folded(one.question) == wanted), None)
    if opening is None:
        return ""
    return overview(opening.answer, digest.entries) if opening.question == ABOUT else opening.answer


def _overview(question: str, digest: DigestPrompt) -> str:
    """Return what was prepared, empty if the question is in another language."""
    return _prepared(ABOUT, digest) if overview_language(question) == overview_language(ABOUT) else ""


def _cited_before(before: Sequence[Turn]) -> int | None:
    """Return the one document that the turn before has cited, None if there is none or more than one."""
    cited: Collection[int] = set(before[-1].citations.values_list("document_id", flat=True)) if before else set()
    return next(iter(cited)) if len(cited) == 1 else None
