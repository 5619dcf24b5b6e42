"""The rows that the inference side keeps: which model a person chose, and the files on their way here."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.utils import timezone

from inference.installed import Choice


class ModelChoice(models.Model):
    """The chosen model (one row). An empty table means the default of the catalogue."""

    model_id = models.CharField(max_length=200, help_text="Catalogue id, or the name of an imported file.")
    path = models.CharField(max_length=1000, blank=True, help_text="Of an imported file; empty for catalogue models.")
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "model choice"

    def __str__(self) -> str:
        return self.model_id

    @classmethod
    def current(cls) -> Self | None:
        """Return the stored choice, or None when nobody has chosen yet."""
        return cls.objects.filter(pk=1).first()

    @classmethod
    def choose(cls, model_id: str, path: str = "") -> Self:
        """Store the choice; the supervisor acts on it."""
        choice, _ = cls.objects.update_or_create(pk=1, defaults={"model_id": model_id, "path": path})
        return choice

    @classmethod
    def put_back(cls, failed: Choice, previous: Choice) -> bool:
        """Store a choice in the place of one that could not be followed; False when there is a newer one already."""
        fields = {"model_id": previous.model_id, "path": previous.path, "updated": timezone.now()}
        return cls.objects.filter(pk=1, model_id=failed.model_id, path=failed.path).update(**fields) == 1


def stored_choice() -> Choice | None:
    """Return what a person chose as a plain value, or None when nobody has chosen yet."""
    choice = ModelChoice.current()
    return Choice(choice.model_id, choice.path) if choice else None


class Download(models.Model):
    """A model file on its way into the models folder, one row for each name there.

    WAITING → FETCHING → CHECKING → DONE, or FAILED with `error`; from the first three also CANCELLED by a person. An
    attempt that was interrupted goes back to WAITING (to LIMITED where the server asks to come later) until `until`.
    FAILED, CANCELLED and, when the file is gone, DONE go to WAITING again. `worker` is who fetches or checks it at the
    moment: all its writes are conditional on still being that, so a cancelled one stores nothing.
    """

    class Kind(models.TextChoices):
        CATALOGUE = "catalogue", "from the catalogue"
        ADDRESS = "address", "from an address"
        FILE = "file", "from this machine"

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        FETCHING = "fetching", "fetching"
        LIMITED = "limited", "rate-limited"
        CHECKING = "checking", "checking"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"

    IN_LINE = (State.WAITING, State.LIMITED)
    IN_HAND = (State.FETCHING, State.CHECKING)
    UNFINISHED = (*IN_LINE, *IN_HAND)

    file = models.CharField(max_length=255, unique=True, help_text="Name in the models folder.")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    origin = models.CharField(max_length=2000, blank=True, help_text="Address or path; empty for the catalogue.")
    sha256 = models.CharField(max_length=64, blank=True, help_text="What a person asked for; empty for none.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING, db_index=True)
    bytes_done = models.BigIntegerField(default=0)
    bytes_total = models.BigIntegerField(default=0, help_text="0 until a source has said it.")
    speed = models.FloatField(null=True, blank=True, help_text="Bytes a second.")
    eta_s = models.FloatField(null=True, blank=True, help_text="Seconds left.")
    source = models.CharField(max_length=200, blank=True, help_text="Who delivers at the moment.")
    note = models.CharField(max_length=500, blank=True, help_text="Why it waits, or why it was begun anew.")
    error = models.TextField(blank=True)
    until = models.DateTimeField(null=True, blank=True, help_text="Not before.")
    position = models.JSONField(null=True, blank=True, help_text="Where the fetch stands among its sources.")
    worker = models.CharField(max_length=40, blank=True)
    created = models.DateTimeField(default=timezone.now)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["created", "pk"]

    def __str__(self) -> str:
        return self.file

    @property
    def is_unfinished(self) -> bool:
        """Whether it is in line or in hand."""
        return self.state in self.UNFINISHED


class ModelSettings(models.Model):
    """How a person wants a model to be run, one row for each model by name; what is empty is automatic.

    Written by `tuning.store` alone, which knows what makes sense.
    """

    model_id = models.CharField(max_length=200, unique=True, help_text="Catalogue id, or the name of an imported file.")
    window = models.PositiveIntegerField(null=True, blank=True, help_text="Tokens for each conversation.")
    kv = models.CharField(max_length=10, blank=True, help_text="Type of cached keys and values.")
    flash_attention = models.BooleanField(null=True, blank=True)
    threads = models.PositiveIntegerField(null=True, blank=True)
    gpu_layers = models.PositiveIntegerField(null=True, blank=True, help_text="Layers on the graphics card.")
    conversations = models.PositiveIntegerField(null=True, blank=True, help_text="Answered at once.")
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "model settings"
        ordering = ["model_id"]

    def __str__(self) -> str:
        return self.model_id


class Measurement(models.Model):
    """A model that is measured on this machine, one row for each model by name; the figures are kept by `probe.store`.

    WAITING → MEASURING → DONE, or FAILED with `error`; from the first two also CANCELLED by a person. One whose worker
    is gone, or that has to give way to a question, goes back to WAITING until `until`. DONE, FAILED and CANCELLED go to
    WAITING again. As with a `Download`, all writes of the worker are conditional on its still being the `worker`.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "in line"
        MEASURING = "measuring", "being measured"
        DONE = "done", "measured"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "stopped"

    UNFINISHED = (State.WAITING, State.MEASURING)

    model_id = models.CharField(max_length=200, unique=True, help_text="Catalogue id, or the name of an imported file.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING, db_index=True)
    done = models.PositiveIntegerField(default=0, help_text="Runs that are through.")
    total = models.PositiveIntegerField(default=0, help_text="Runs in all; 0 until they are known.")
    note = models.CharField(max_length=500, blank=True, help_text="Why it waits.")
    error = models.TextField(blank=True)
    until = models.DateTimeField(null=True, blank=True, help_text="Not before.")
    worker = models.CharField(max_length=40, blank=True)
    created = models.DateTimeField(default=timezone.now)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["created", "pk"]

    def __str__(self) -> str:
        return self.model_id

    @property
    def is_unfinished(self) -> bool:
        """Whether it is in line or being measured."""
        return self.state in self.UNFINISHED
