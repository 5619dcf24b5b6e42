"""The record of what is to be read, what is being read, and how that went."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce


class StudyTask(models.Model):
    """The reading of one document, or the digest of one project.

    States: WAITING → RUNNING, by a claim with a lease, for one step at a time. From RUNNING back to WAITING when steps
    are left, when the step is to be tried again (`not_before`), or when it gave way; to DONE when none is left (`error`
    says then what could not be read, if anything); to FAILED when nothing could be learned. RUNNING → RUNNING takes
    over a step whose reader is dead or whose lease has run out. WAITING or RUNNING → CANCELLED by a person. Any state
    → WAITING when a person tries again, or when the text, the model or the prompts have changed. Every transition is a
    conditional update on what it leaves (`study.tasks`); whoever finds its claim gone drops its result.

    `checkpoint` of `steps` are done; what they found is in the rows of summaries and digests, which are what counts.
    The row says how the text of `text_key` stands with the model of `model_key`.
    """

    class Kind(models.TextChoices):
        DOCUMENT = "document", "Read a document"
        DIGEST = "digest", "Draw a project together"

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        RUNNING = "running", "Reading"
        DONE = "done", "Read"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    OPEN = (State.WAITING, State.RUNNING)

    kind = models.CharField(max_length=10, choices=Kind)
    project = models.ForeignKey("projects.Project", on_delete=models.CASCADE, related_name="study_tasks")
    document = models.ForeignKey(
        "projects.Document", on_delete=models.CASCADE, null=True, blank=True, related_name="study_tasks"
    )
    state = models.CharField(max_length=10, choices=State, default=State.WAITING, db_index=True)
    priority = models.SmallIntegerField(default=0, help_text="Higher goes first.")
    checkpoint = models.PositiveIntegerField(default=0, help_text="Steps that are done.")
    steps = models.PositiveIntegerField(default=0, help_text="0 while it is not known.")
    tokens_done = models.PositiveIntegerField(default=0, help_text="Tokens of the text that have been read.")
    tokens_total = models.PositiveIntegerField(default=0, help_text="Tokens of the text; 0 while it is not known.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Failed attempts at the current step.")
    error = models.TextField(blank=True, help_text="What went wrong and what to do.")
    tokens = models.PositiveIntegerField(default=0, help_text="Tokens the model has read for it, questions included.")
    seconds = models.FloatField(default=0.0, help_text="Time spent on it.")
    text_key = models.CharField(max_length=64, blank=True)
    model_key = models.CharField(max_length=64, blank=True)
    prompt_version = models.CharField(max_length=20, blank=True)
    claimed_by = models.CharField(max_length=60, blank=True, help_text="Identity of the process that works on it.")
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True, help_text="When the next attempt may be made.")
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-priority", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["document"], condition=Q(kind="document"), name="one_study_task_for_each_document"
            ),
            models.UniqueConstraint(
                fields=["project"], condition=Q(kind="digest"), name="one_digest_task_for_each_project"
            ),
            models.CheckConstraint(
                condition=Q(kind="digest", document=None) | Q(kind="document", document__isnull=False),
                name="study_task_of_a_document_names_it",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.document_id or self.project_id}"


class StudyPause(models.Model):
    """A person's word that nothing is to be read: in one project, or at all where `project` is empty."""

    project = models.OneToOneField(
        "projects.Project", on_delete=models.CASCADE, null=True, blank=True, related_name="study_pause"
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            # Nulls are distinct to a unique column.
            models.UniqueConstraint(Coalesce("project", 0), name="one_pause_of_everything"),
        ]

    def __str__(self) -> str:
        return f"Project {self.project_id}" if self.project_id else "Everything"
