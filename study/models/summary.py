"""What reading a document has left: how it is cut for reading, and the summaries."""

from __future__ import annotations

from django.db import models


class Learned(models.Model):
    """Base of what one model has learned from one text under one version of the prompts.

    The three keys tell what is still true: another text, model or prompt has rows of its own, so that going back to an
    earlier model finds its learning again.
    """

    document = models.ForeignKey("projects.Document", on_delete=models.CASCADE, related_name="+")
    text_key = models.CharField(max_length=64)
    model_key = models.CharField(max_length=64)
    prompt_version = models.CharField(max_length=20)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


KEYS = ["document", "text_key", "model_key", "prompt_version"]


class ReadingPlan(Learned):
    """How a document is cut: tokens of each piece, and from these its steps; one row for each set of keys."""

    counts = models.JSONField(help_text="Tokens of each piece, in order.")
    window = models.PositiveIntegerField(help_text="Tokens that one prompt may have.")
    kept = models.BooleanField(default=False, help_text="An answer has read the whole text and kept the model's state.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=KEYS, name="one_reading_plan")]

    def __str__(self) -> str:
        return f"Plan of document {self.document_id}"


class SectionSummary(Learned):
    """The summary of a stretch that was read in one step; `error` says why there is none."""

    step = models.PositiveIntegerField(help_text="Which step of the plan, from 0.")
    page_start = models.PositiveIntegerField(null=True, blank=True)
    page_end = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField(blank=True)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["document", "step"]
        constraints = [models.UniqueConstraint(fields=[*KEYS, "step"], name="one_section_summary")]
        verbose_name_plural = "section summaries"

    def __str__(self) -> str:
        return f"Document {self.document_id}, step {self.step + 1}"


class DocumentSummary(Learned):
    """The summary of a document, in its language; `dropped` counts sentences with a value that the text lacks."""

    text = models.TextField()
    language = models.CharField(max_length=3, blank=True)
    dropped = models.PositiveSmallIntegerField(default=0)
    tokens = models.PositiveIntegerField(default=0, help_text="Tokens of the whole text.")

    class Meta:
        ordering = ["document"]
        constraints = [models.UniqueConstraint(fields=KEYS, name="one_document_summary")]
        verbose_name_plural = "document summaries"

    def __str__(self) -> str:
        return f"Summary of document {self.document_id}"
