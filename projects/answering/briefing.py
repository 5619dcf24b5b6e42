"""Everything that is decided before the model is asked: which way, from which sources, in which words; stored first."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import Q

from inference.contracts import Health
from projects.answering.coverage import Coverage, coverage_of, explain_nothing_ready
from projects.answering.events import Ended
from projects.answering.outlook import experience_with, predicted
from projects.answering.planning import plan
from projects.answering.prompt import PROMPT_VERSION
from projects.answering.router import Lane, Route
from projects.answering.turns import Briefing, begin_turn, ended, seconds_since
from projects.answering.ways import Manner, Way
from projects.models import Document, Turn
from study.keys import learner_of
from study.service import remembered_of

LONGEST_REASON = 300
GONE = "The documents have changed in this very moment. Try again."


@dataclass(frozen=True)
class Prepared:
    """A question ready for the model.

    `asked` is the monotonic moment of the question. `refusal` says why there is nothing to ask the model; `closed` how
    a turn stands that is not waiting any more.
    """

    conversation_id: int
    asked: float
    way: Way
    refusal: str = ""
    closed: Ended | None = None


def prepare(turn_id: int, health: Health) -> Prepared:
    """Choose the way for a turn and store it with its prompt and the seconds that it will take.

    `health` is what the model service says of itself. Raises InferenceError.
    """
    learner = learner_of(health)
    turn = Turn.objects.select_related("conversation__project").get(pk=turn_id)
    asked = time.monotonic() - seconds_since(turn.created)
    coverage = coverage_of(turn.conversation.project)
    way = plan(turn, learner) if coverage.ready else Way(Route(Lane.PASSAGES, ""))
    stored = _store(turn, way, coverage, _foretold(way, turn.conversation.project_id, health))
    prepared = Prepared(turn.conversation_id, asked, way)
    if not stored:
        return replace(prepared, closed=ended(Turn.objects.get(pk=turn_id)))
    if not coverage.ready:
        return replace(prepared, refusal=explain_nothing_ready(coverage))
    return replace(prepared, refusal=GONE) if stored is _LOST else prepared


def _foretold(way: Way, project_id: int, health: Health) -> float | None:
    """Return the seconds that a way will take in all, None while nothing is measured."""
    learner = learner_of(health)
    remembered = remembered_of(project_id, learner) if learner else frozenset[str]()
    prompts = [ask.messages for ask in way.asks]
    each = way.manner in (Manner.WALKED, Manner.WHOLE)
    return predicted(way.route.lane, prompts, remembered, experience_with(health), each=each)


_STORED, _LOST = 1, 2


@transaction.atomic
def _store(turn: Turn, way: Way, coverage: Coverage, predicted_s: float | None) -> int:
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
    briefing = Briefing(way.route.lane, reason, coverage.to_json(), prompt, PROMPT_VERSION, predicted_s)
    stored = begin_turn(turn.pk, briefing)
    return (_LOST if lost else _STORED) if stored else 0
