"""Documents and what intake made of them: names, sections and chunks."""

from __future__ import annotations

from django.db import models

from projects.models.project import Project


class Document(models.Model):
    """One file content in one project, whatever names it was given.

    States: QUEUED → EXTRACTING → INDEXING → READY or WARNINGS (ready, with something left out).
    From EXTRACTING also to NEEDS_PASSWORD or FAILED, which are final until a person acts; INDEXING may end in FAILED.
    A worker that died leaves EXTRACTING or INDEXING behind; its successor puts the document back to QUEUED with a job
    (`intake.recovery`). `starts` counts the readings since a person last asked for one, so that a file which brings
    the worker down fails in the end. A person may also send an unfinished document whose job is gone back to QUEUED.
    A person may cancel an unfinished document (CANCELLED, final until it is read again). Every transition is a
    conditional update on the state it leaves.

    A file that came within another (an attachment) is a document of its own whose `parent` is that one.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        EXTRACTING = "extracting", "Reading the file"
        INDEXING = "indexing", "Indexing"
        READY = "ready", "Ready"
        WARNINGS = "ready_with_warnings", "Ready with warnings"
        NEEDS_PASSWORD = "needs_password", "Needs a password"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    ANSWERABLE = (State.READY, State.WARNINGS)
    FINAL = (State.READY, State.WARNINGS, State.NEEDS_PASSWORD, State.FAILED, State.CANCELLED)
    UNFINISHED = (State.QUEUED, State.EXTRACTING, State.INDEXING)

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="documents")
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="attachments")
    sha256 = models.CharField(max_length=64, help_text="Of the stored bytes; also the file's place in the store.")
    name = models.CharField(max_length=255, help_text="The name under which the content was first uploaded.")
    media_type = models.CharField(max_length=100, blank=True, help_text="The true type, found from the content.")
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    state = models.CharField(max_length=20, choices=State, default=State.QUEUED, db_index=True)
    starts = models.PositiveSmallIntegerField(default=0, help_text="Readings begun since a person last asked for one.")
    stage_done = models.PositiveIntegerField(default=0, help_text="Units of the current stage that are done.")
    stage_total = models.PositiveIntegerField(default=0, help_text="0 while it is not known.")
    stage_from = models.PositiveIntegerField(default=0, help_text="Units that an earlier reading had done already.")
    stage_began = models.DateTimeField(null=True, blank=True)
    password = models.CharField(
        max_length=200,
        blank=True,
        help_text="Opens the file. Kept for reading it again and showing its pages, as private as the text itself.",
    )
    pages = models.PositiveIntegerField(null=True, blank=True, help_text="Empty for formats without pages.")
    tokens = models.PositiveIntegerField(null=True, blank=True, help_text="By the loaded model's tokenizer.")
    warnings = models.JSONField(default=list, blank=True, help_text="Sentences for a person.")
    report = models.JSONField(default=dict, blank=True, help_text="What was read and what was not: see extract.Report.")
    text_key = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the text: what was learned from another text is out of date."
    )
    error = models.TextField(blank=True, help_text="Why it failed and what to do.")
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(fields=["project", "sha256"], name="document_once_per_content")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_answerable(self) -> bool:
        return self.state in self.ANSWERABLE

    @property
    def is_final(self) -> bool:
        return self.state in self.FINAL


class DocumentName(models.Model):
    """A name under which the same bytes came: from a person, or within another document."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="names")
    name = models.CharField(max_length=255)
    within = models.ForeignKey(
        Document,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="names_within",
        help_text="The document that it is an attachment of; empty if a person added it.",
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["document", "name"], condition=models.Q(within=None), name="name_once_per_document"
            ),
            models.UniqueConstraint(
                fields=["document", "name", "within"],
                condition=models.Q(within__isnull=False),
                name="name_once_within_another",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Section(models.Model):
    """A stretch of a document under one heading path; its text is what the study reads once."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="sections")
    ordinal = models.PositiveIntegerField()
    heading = models.JSONField(default=list, blank=True, help_text="Heading path, outermost first.")
    page_start = models.PositiveIntegerField(null=True, blank=True)
    page_end = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField()

    class Meta:
        ordering = ["document", "ordinal"]
        constraints = [models.UniqueConstraint(fields=["document", "ordinal"], name="section_ordinal_once")]

    def __str__(self) -> str:
        return " › ".join(self.heading) or f"Section {self.ordinal + 1}"


class Chunk(models.Model):
    """A passage-sized piece of a section: the unit of retrieval and citation."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks")
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="chunks")
    ordinal = models.PositiveIntegerField(help_text="Position in the document.")
    page = models.PositiveIntegerField(null=True, blank=True, help_text="Page on which the chunk starts.")
    start = models.PositiveIntegerField(help_text="First character in the section's text.")
    text = models.TextField()
    content_key = models.CharField(max_length=64, db_index=True, help_text="SHA-256 of the normalised text.")

    class Meta:
        ordering = ["document", "ordinal"]
        constraints = [models.UniqueConstraint(fields=["document", "ordinal"], name="chunk_ordinal_once")]

    def __str__(self) -> str:
        return f"{self.document_id}:{self.ordinal}"
