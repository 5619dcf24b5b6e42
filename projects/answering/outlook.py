"""What the ways to an answer cost in a project now, by the answers so far and by what the model remembers there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from inference.contracts import ChatMessage, EngineState, Health
from projects.answering import costs
from projects.answering.costs import Past, Request, Speeds
from projects.answering.router import Lane
from projects.models import Document, Turn
from study.keys import Learner, learner_of
from study.prompts import document_boundary
from study.service import digest_for, remembered_of

SYSTEM_TOKENS = 150
"""The rules at the beginning of a prompt, which a slot holds from the answer before."""
PAGE_TOKENS = 500
"""What a page is taken for as long as nobody has counted."""
LOOKED_AT = 60
"""Answers: enough for a median, few enough to follow a machine that has become slower."""


@dataclass(frozen=True)
class Offer:
    """A lane that a person may choose: `seconds` None while not known, not `possible` where there is nothing yet."""

    lane: Lane
    seconds: float | None
    possible: bool = True


@dataclass(frozen=True)
class Experience:
    """What is known of costs with one model: the answers so far, and what the service says of its speeds."""

    pasts: tuple[Past, ...]
    measured: Speeds

    @property
    def speeds(self) -> Speeds:
        return costs.speeds_of(self.pasts, self.measured)


def experience_with(health: Health) -> Experience:
    """Return what is known of the model that runs."""
    done = Turn.objects.filter(state=Turn.State.DONE, from_cache=False, model=health.model, total_s__isnull=False)
    measured = Speeds(health.prefill_tps, health.decode_tps) if health.state is EngineState.READY else Speeds()
    return Experience(pasts_of(done.order_by("-pk")[:LOOKED_AT]), measured)


def pasts_of(turns: QuerySet[Turn]) -> tuple[Past, ...]:
    """Return what finished turns took; those that were answered without the model say so."""
    columns = ("lane", "read_tokens", "answer_tokens", "restore_ms", "read_ms", "decode_ms", "total_s")
    return tuple(
        Past(lane, read, written, restore / 1000, read_ms / 1000, decode / 1000, total or 0.0, prompt > 0)
        for lane, read, written, restore, read_ms, decode, total, prompt in turns.values_list(*columns, "prompt_tokens")
    )


def predicted(
    lane: Lane,
    prompts: Sequence[Sequence[ChatMessage]],
    remembered: frozenset[str],
    experience: Experience,
    *,
    each: bool = False,
) -> float | None:
    """Return the seconds that an answer is expected to take in all, None while nothing is measured.

    `prompts` are its requests, none where the answer is there already; `each`: see `costs.seconds_for`. `remembered`
    are the boundaries at which the model's state is kept.
    """
    habits = costs.habits_of(experience.pasts, lane)
    seen = SYSTEM_TOKENS if any(past.lane == lane for past in experience.pasts) else 0
    requests = [costs.request_of(messages, remembered, seen=seen) for messages in prompts]
    return costs.seconds_for(requests, habits, experience.speeds, each=each)


def offers(project_id: int, health: Health) -> list[Offer]:
    """Return the lanes with what a usual question would take on each; `health` as the model service says now."""
    learner = learner_of(health)
    experience = experience_with(health)
    remembered = remembered_of(project_id, learner) if learner else frozenset[str]()
    usual = {
        Lane.DIGEST: _of_digest(project_id, learner, remembered, experience),
        Lane.PASSAGES: [Request(costs.habits_of(experience.pasts, Lane.PASSAGES).read)],
        Lane.DEEP: _of_documents(project_id, remembered),
    }
    return [_offer(lane, requests, experience) for lane, requests in usual.items()]


def _offer(lane: Lane, requests: Sequence[Request], experience: Experience) -> Offer:
    if not requests:
        return Offer(lane, None, possible=False)
    habits = costs.habits_of(experience.pasts, lane)
    return Offer(lane, costs.seconds_for(requests, habits, experience.speeds))


def _of_digest(
    project_id: int, learner: Learner | None, remembered: frozenset[str], experience: Experience
) -> list[Request]:
    digest = digest_for(project_id, learner) if learner else None
    if digest is None:
        return []
    if digest.boundary in remembered:
        return [Request(costs.habits_of(experience.pasts, Lane.DIGEST).read, fetched=True)]
    return [Request(digest.tokens + costs.QUESTION_TOKENS)]


def _of_documents(project_id: int, remembered: frozenset[str]) -> list[Request]:
    """Return the request to one document, as they are on average: some may be remembered, the others are read."""
    readable = Document.objects.filter(project_id=project_id, state__in=Document.ANSWERABLE)
    rows = readable.values_list("pk", "tokens", "pages")
    tokens = {document_boundary(pk): count or PAGE_TOKENS * (pages or 3) for pk, count, pages in rows}
    if not tokens:
        return []
    unread = [count for boundary, count in tokens.items() if boundary not in remembered]
    return [Request(costs.QUESTION_TOKENS + sum(unread) / len(tokens), fetched=len(unread) < len(tokens))]
