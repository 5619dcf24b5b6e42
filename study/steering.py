"""What people and intake tell the study: that texts have changed, and what is to be read when."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F, Max, Q, QuerySet

from study import tasks
from study.forgetting import forget_states
from study.models import (
    Digest,
    DocumentSummary,
    PreparedAnswer,
    ReadingPlan,
    SectionSummary,
    StudyPause,
    StudyTask,
)
from study.prompts import digest_boundary, document_boundary
from study.tasks import Kind, State
from study.texts import source
from study.waking import wake


@transaction.atomic
def document_changed(document_id: int) -> None:
    """Have a document read whose text is new, has changed or is gone; nothing happens for a text that is known already.

    Call it in the transaction that makes the text readable, or later. Safe to repeat.
    """
    head = source().head(document_id)
    if head is None:
        _text_is_gone(document_id)
        return
    wanted = {"text_key": head.text_key, "tokens_total": head.tokens or 0}
    task, created = StudyTask.objects.get_or_create(
        kind=Kind.DOCUMENT, document_id=document_id, defaults={"project_id": head.project_id, **wanted}
    )
    StudyTask.objects.get_or_create(
        kind=Kind.DIGEST, project_id=head.project_id, document=None, defaults={"state": State.DONE}
    )
    if not created:
        if task.text_key == head.text_key and task.state != State.CANCELLED:
            return
        tasks.start_over(StudyTask.objects.filter(pk=task.pk), tokens=0, seconds=0.0, model_key="", **wanted)
        _drop_learned(document_id, head.project_id, but_text=head.text_key)
    wake()


def _text_is_gone(document_id: int) -> None:
    task = StudyTask.objects.filter(kind=Kind.DOCUMENT, document_id=document_id).first()
    if task is None:
        return
    _drop_learned(document_id, task.project_id)
    tasks.start_over(StudyTask.objects.filter(pk=task.pk), state=State.CANCELLED, text_key="", error=tasks.GONE)
    wake()


@transaction.atomic
def document_removed(document_id: int) -> None:
    """Leave nothing of a document: call it in the transaction that deletes the row, before that."""
    task = StudyTask.objects.filter(kind=Kind.DOCUMENT, document_id=document_id).first()
    if task is None:
        return
    _drop_learned(document_id, task.project_id)
    task.delete()
    wake()


@transaction.atomic
def passport_changed(project_id: int | None = None) -> None:
    """Have the digest looked at that repeats a passport which was corrected; all digests without a project."""
    tasks.wake_digests(project_id)
    wake()


@transaction.atomic
def pause(project_id: int | None = None) -> None:
    """Read nothing more, in one project or at all; the step under way ends first. Safe to repeat."""
    if not _pauses(project_id).exists():
        StudyPause.objects.create(project_id=project_id)


@transaction.atomic
def resume(project_id: int | None = None) -> None:
    """Go on reading, in one project or at all. Safe to repeat."""
    _pauses(project_id).delete()
    wake()


@transaction.atomic
def read_first(document_id: int) -> bool:
    """Have a document read before all others; False if it is not waiting to be read."""
    highest = StudyTask.objects.aggregate(highest=Max("priority"))["highest"] or 0
    waiting = StudyTask.objects.filter(kind=Kind.DOCUMENT, document_id=document_id, state__in=StudyTask.OPEN)
    if not waiting.update(priority=highest + 1, not_before=None):
        return False
    wake()
    return True


def cancel(task_id: int) -> bool:
    """Read no further in this; False if there is nothing left to cancel."""
    return tasks.cancel(task_id)


@transaction.atomic
def retry(task_id: int) -> bool:
    """Try again what failed, was left out or was cancelled; False if there is no such thing."""
    rows = StudyTask.objects.filter(pk=task_id).exclude(state__in=StudyTask.OPEN).exclude(state=State.DONE, error="")
    task = rows.first()
    if task is None:
        return False
    if task.document_id is not None:
        _drop_left_out(task.document_id, task.model_key)
    if not tasks.start_over(rows, steps=F("steps"), checkpoint=F("checkpoint")):
        return False
    wake()
    return True


def _drop_left_out(document_id: int, model_key: str) -> None:
    """Let the stretches that were left out be read, and the whole be summarised with them."""
    left_out = SectionSummary.objects.filter(document_id=document_id, model_key=model_key).exclude(error="")
    if left_out.delete()[0]:
        DocumentSummary.objects.filter(document_id=document_id, model_key=model_key).delete()


@transaction.atomic
def drop(task_id: int) -> bool:
    """Forget what was learned from a document, and read it anew."""
    task = StudyTask.objects.filter(pk=task_id, kind=Kind.DOCUMENT).first()
    if task is None or task.document_id is None:
        return False
    _drop_learned(task.document_id, task.project_id)
    tasks.start_over(StudyTask.objects.filter(pk=task_id), tokens=0, seconds=0.0)
    wake()
    return True


def _pauses(project_id: int | None) -> QuerySet[StudyPause]:
    return StudyPause.objects.filter(Q(project=None) if project_id is None else Q(project_id=project_id))


def _drop_learned(document_id: int, project_id: int, *, but_text: str = "") -> None:
    """Delete what was learned from a document (from all texts but one, if one is named) and all that tells of it."""
    stale = Q(document_id=document_id) & ~Q(text_key=but_text)
    for rows in (
        DocumentSummary.objects.filter(stale),
        SectionSummary.objects.filter(stale),
        ReadingPlan.objects.filter(stale),
    ):
        rows.delete()
    for digest in Digest.objects.filter(project_id=project_id):
        kept = [entry for entry in digest.entries if entry["document_id"] != document_id]
        if len(kept) < len(digest.entries):
            digest.entries, digest.key = kept, ""
            digest.save(update_fields=["entries", "key", "updated"])
    PreparedAnswer.objects.filter(project_id=project_id).delete()
    forget_states([document_boundary(document_id), digest_boundary(project_id)])
    tasks.wake_digests(project_id)
