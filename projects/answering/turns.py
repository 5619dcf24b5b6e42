"""The stored side of an answer: turns are opened before anything runs and closed exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from inference.contracts import Timings
from inference.errors import BY_CODE
from inference.identity import is_alive, own_identity
from projects.answering.events import Ended
from projects.models import Chunk, Citation, Conversation, Document, Turn


@dataclass(frozen=True)
class CitedMark:
    """A citation to be stored: mark `number` rests on `quote`, verbatim on `page` of the document."""

    number: int
    document_id: int
    chunk_id: int
    page: int | None
    quote: str


@dataclass(frozen=True)
class Briefing:
    """What is known before the model is asked; stored first, so that a failed turn can still be explained.

    `predicted_s` are the seconds that the whole answer is expected to take, None while nothing has been measured.
    """

    lane: str
    lane_reason: str
    coverage: dict[str, object]
    prompt: list[dict[str, object]]
    prompt_version: str = ""
    predicted_s: float | None = None


@dataclass(frozen=True)
class Outcome:
    """How a turn ended. Seconds count from the question; `None` where that moment was not reached."""

    state: Turn.State
    answer: str = ""
    error_code: str = ""
    error: str = ""
    ttft_s: float | None = None
    total_s: float | None = None
    timings: Timings = field(default_factory=Timings)
    finish_reason: str = ""
    model: str = ""
    marks: Sequence[CitedMark] = ()
    from_cache: bool = False
    cache_key: str = ""


@dataclass(frozen=True)
class Wishes:
    """What a person wants of an answer: a lane (empty: the best one), and made anew rather than one from before."""

    lane: str = ""
    fresh: bool = False


NO_WISHES = Wishes()


def open_turn(conversation: Conversation, question: str, wishes: Wishes = NO_WISHES) -> Turn:
    """Store a question before anything runs, to be answered by this process; moves its conversation to the top."""
    with transaction.atomic():
        conversation.save(update_fields=["updated"])
        conversation.project.save(update_fields=["updated"])
        return Turn.objects.create(
            conversation=conversation,
            question=question.replace("\x00", ""),
            owner=own_identity(),
            wanted_lane=wishes.lane,
            fresh=wishes.fresh,
        )


def begin_turn(turn_id: int, briefing: Briefing) -> bool:
    """WAITING → ANSWERING with what was planned; False if the turn is not waiting any more.

    Call it in the transaction that has found the passages of the prompt: a document removed in between would leave its
    text in the stored prompt.
    """
    return _brief(turn_id, Turn.State.WAITING, briefing)


def _brief(turn_id: int, before: Turn.State, briefing: Briefing) -> bool:
    return bool(
        Turn.objects.filter(pk=turn_id, state=before).update(
            state=Turn.State.ANSWERING,
            lane=briefing.lane,
            lane_reason=briefing.lane_reason,
            coverage=briefing.coverage,
            prompt=briefing.prompt,
            prompt_version=briefing.prompt_version,
            predicted_s=briefing.predicted_s,
        )
    )


def finish_turn(turn_id: int, outcome: Outcome) -> Ended:
    """Close an open turn with its answer, citations and timings in one transaction; return how it stands now.

    An answer that rests on a document removed meanwhile is kept without that citation, like those given before the
    removal. A turn that is closed already keeps what it has: of two ends that race (the last token, a stop) the first
    counts.
    """
    timings = outcome.timings
    with transaction.atomic():
        closed = Turn.objects.filter(pk=turn_id, state__in=Turn.OPEN).update(
            state=outcome.state,
            answer=outcome.answer,
            error_code=outcome.error_code,
            error=outcome.error,
            ttft_s=outcome.ttft_s,
            total_s=outcome.total_s,
            prompt_tokens=timings.prompt,
            restored_tokens=timings.restored,
            reused_tokens=timings.reused,
            read_tokens=timings.read,
            answer_tokens=timings.generated,
            restore_ms=timings.restore_ms,
            read_ms=timings.read_ms,
            decode_ms=timings.decode_ms,
            finish_reason=outcome.finish_reason,
            from_cache=outcome.from_cache,
            cache_key=outcome.cache_key,
            model=outcome.model,
            finished=timezone.now(),
        )
        if closed:
            _store_marks(turn_id, outcome.marks)
    turn = Turn.objects.filter(pk=turn_id).first()
    return ended(turn) if turn else Ended(Turn.State.STOPPED)


def _store_marks(turn_id: int, marks: Sequence[CitedMark]) -> None:
    """Store citations; what they point at may have been removed or read anew while the model was answering."""
    documents = set(Document.objects.filter(pk__in=[mark.document_id for mark in marks]).values_list("pk", flat=True))
    chunks = set(Chunk.objects.filter(pk__in=[mark.chunk_id for mark in marks]).values_list("pk", flat=True))
    Citation.objects.bulk_create(
        Citation(
            turn_id=turn_id,
            number=mark.number,
            document_id=mark.document_id,
            chunk_id=mark.chunk_id if mark.chunk_id in chunks else None,
            page=mark.page,
            quote=mark.quote,
        )
        for mark in marks
        if mark.document_id in documents
    )


def ended(turn: Turn) -> Ended:
    """Tell how a closed turn ended."""
    failure = BY_CODE.get(turn.error_code)
    retry = turn.state != Turn.State.DONE and (failure is None or failure.retry)
    return Ended(turn.state, turn.error_code, turn.error, retry)


def recover_interrupted() -> int:
    """Mark the open turns whose answering process is gone as INTERRUPTED; return how many."""
    left = Turn.objects.filter(state__in=Turn.OPEN).values_list("pk", "owner")
    return sum(interrupt(turn_id) for turn_id, owner in left if not is_alive(owner))


def interrupt(turn_id: int) -> bool:
    """Close an open turn that nobody is answering any more; False if it was closed already."""
    return bool(
        Turn.objects.filter(pk=turn_id, state__in=Turn.OPEN).update(
            state=Turn.State.INTERRUPTED,
            error_code="interrupted",
            error="Readahead was stopped while it was answering. Ask again.",
            finished=timezone.now(),
        )
    )


def seconds_since(moment: datetime) -> float:
    """Return the seconds from `moment` until now, never negative even if the clock was set back."""
    return max(0.0, (timezone.now() - moment).total_seconds())
