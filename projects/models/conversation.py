"""Conversations, their turns, and the citations of an answer."""

from __future__ import annotations

from django.db import models
from django.db.models import QuerySet

from projects.models.document import Chunk, Document
from projects.models.project import Project


class Conversation(models.Model):
    """A thread of questions and answers over one project."""

    class TitledBy(models.TextChoices):
        QUESTION = "question", "First words of the question"
        MODEL = "model", "The model"
        PERSON = "person", "A person"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="conversations")
    title = models.CharField(max_length=200, blank=True)
    titled_by = models.CharField(
        max_length=10,
        choices=TitledBy,
        default=TitledBy.QUESTION,
        help_text="Where the title comes from; a person's own is never overwritten.",
    )
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated", "-id"]

    def __str__(self) -> str:
        return self.title or f"Conversation {self.pk}"

    @property
    def turns(self) -> QuerySet[Turn]:
        """The thread as it stands; `all_turns` has those that were asked anew too, and what had followed them."""
        return self.all_turns.filter(replaced_by=None)


class Turn(models.Model):
    """One question and its answer, stored before the first token.

    States: WAITING → ANSWERING → DONE, STOPPED (by the person), FAILED (with `error`) or INTERRUPTED (the process that
    was answering died). `owner` names the answering process, so that a turn left behind by a dead one is found.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        ANSWERING = "answering", "Answering"
        DONE = "done", "Answered"
        STOPPED = "stopped", "Stopped"
        FAILED = "failed", "Failed"
        INTERRUPTED = "interrupted", "Interrupted"

    OPEN = (State.WAITING, State.ANSWERING)

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="all_turns")
    replaced_by = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="replaces",
        help_text="The turn of the thread for which this one was set aside: its question in other words, or once more.",
    )
    question = models.TextField()
    answer = models.TextField(blank=True)
    state = models.CharField(max_length=12, choices=State, default=State.WAITING, db_index=True)
    owner = models.CharField(max_length=40, blank=True, help_text="pid:start time of the answering process.")
    error_code = models.CharField(max_length=30, blank=True)
    error = models.TextField(blank=True)

    wanted_lane = models.CharField(max_length=20, blank=True, help_text="The way that the person asked for, if any.")
    fresh = models.BooleanField(default=False, help_text="Asked for an answer anew, not one that was prepared.")
    lane = models.CharField(max_length=20, blank=True)
    lane_reason = models.CharField(max_length=300, blank=True)
    predicted_s = models.FloatField(null=True, blank=True)
    ttft_s = models.FloatField(null=True, blank=True, help_text="Seconds from the question to the first token.")
    total_s = models.FloatField(null=True, blank=True)
    prompt_tokens = models.PositiveIntegerField(default=0)
    restored_tokens = models.PositiveIntegerField(default=0)
    reused_tokens = models.PositiveIntegerField(default=0)
    read_tokens = models.PositiveIntegerField(default=0)
    answer_tokens = models.PositiveIntegerField(default=0)
    restore_ms = models.FloatField(default=0.0, help_text="Fetching what the model had read before.")
    read_ms = models.FloatField(default=0.0, help_text="Reading the rest of the prompt.")
    decode_ms = models.FloatField(default=0.0, help_text="Writing the answer behind its first token.")
    from_cache = models.BooleanField(default=False)
    cache_key = models.CharField(
        max_length=64,
        blank=True,
        db_index=True,
        help_text="Hash of all that the answer follows from; empty if it must not serve again.",
    )
    coverage = models.JSONField(default=dict, blank=True, help_text="{ready, total, waiting: [names]}")
    finish_reason = models.CharField(max_length=20, blank=True, help_text="'length': cut off at the most tokens.")
    model = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=40, blank=True, help_text="Which wording the prompt was made with.")
    prompt = models.JSONField(default=list, blank=True, help_text="The messages that were sent to the model.")
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["conversation", "id"]

    def __str__(self) -> str:
        return self.question[:80]

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN


class Citation(models.Model):
    """A numbered mark in an answer, tied to the passage that supports it."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="citations")
    number = models.PositiveIntegerField()
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="citations")
    chunk = models.ForeignKey(Chunk, on_delete=models.SET_NULL, null=True, blank=True, related_name="citations")
    page = models.PositiveIntegerField(null=True, blank=True)
    quote = models.TextField()

    class Meta:
        ordering = ["turn", "number"]
        constraints = [models.UniqueConstraint(fields=["turn", "number"], name="citation_number_once")]

    def __str__(self) -> str:
        return f"[{self.number}] {self.document}"
