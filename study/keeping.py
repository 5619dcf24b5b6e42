"""Keeps tasks in step with what is known: after another model, other prompts, or a crash."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from study import tasks
from study.forgetting import forget_states
from study.keys import Learner
from study.models import Digest, DocumentSummary, PreparedAnswer, ReadingPlan, SectionSummary, StudyTask
from study.prompts import digest_boundary, document_boundary
from study.tasks import Kind, State


def align(learner: Learner) -> None:
    """Make every task say how its text stands with this model; nothing that another model learned is lost.

    A document it has read counts as read, any other waits. What a person cancelled stays cancelled. Learning under
    prompts of an earlier version goes: nothing asks for it any more.
    """
    _forget_other_prompts(learner)
    known = dict(DocumentSummary.objects.filter(**learner.filter).values_list("document_id", "text_key"))
    for task in _others(learner).filter(kind=Kind.DOCUMENT):
        rows = StudyTask.objects.filter(pk=task.pk)
        if known.get(task.document_id or 0) == task.text_key:
            tasks.start_over(rows, state=State.DONE, **_whole(task), **learner.filter)
        else:
            tasks.start_over(rows, tokens=0, seconds=0.0, **learner.filter)
    tasks.start_over(_others(learner).filter(kind=Kind.DIGEST), text_key="", **learner.filter)
    DocumentSummary.objects.exclude(prompt_version=learner.prompt_version).delete()
    SectionSummary.objects.exclude(prompt_version=learner.prompt_version).delete()
    ReadingPlan.objects.exclude(prompt_version=learner.prompt_version).delete()
    Digest.objects.exclude(prompt_version=learner.prompt_version).delete()
    PreparedAnswer.objects.exclude(prompt_version=learner.prompt_version).delete()


def _forget_other_prompts(learner: Learner) -> None:
    """Delete the states that were reached by other words: nothing goes on from them any more."""
    read = StudyTask.objects.exclude(prompt_version__in=("", learner.prompt_version))
    names = [
        document_boundary(task.document_id) if task.document_id else digest_boundary(task.project_id) for task in read
    ]
    if names:
        forget_states(names)


def _others(learner: Learner) -> QuerySet[StudyTask]:
    stale = ~Q(model_key=learner.model_key) | ~Q(prompt_version=learner.prompt_version)
    return StudyTask.objects.filter(stale).exclude(state=State.CANCELLED)


def _whole(task: StudyTask) -> dict[str, int]:
    return {"checkpoint": task.steps, "steps": task.steps, "tokens_done": task.tokens_total}
