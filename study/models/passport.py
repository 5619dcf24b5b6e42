"""Passports of documents: what the rules found, and what people said about it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from study.passports.values import MAX_LABEL, MAX_VALUE, Kind, Source


class Passport(models.Model):
    """What is known about one document; `study.passports.service` writes it and is the way to read it.

    `type`, `language` and `key` hold what counts, a person's corrections included.
    """

    document = models.OneToOneField("projects.Document", on_delete=models.CASCADE, related_name="passport")
    type = models.CharField(max_length=MAX_VALUE, db_index=True, help_text="'document' where no rule recognises it.")
    language = models.CharField(max_length=3, blank=True, help_text="ISO 639-1; empty where unsure.")
    pages = models.PositiveIntegerField(null=True, blank=True, help_text="Empty for formats without pages.")
    contents = models.JSONField(
        default=list, blank=True, help_text="Lines of the table of contents: text, page, depth."
    )
    made_with = models.PositiveSmallIntegerField(help_text="Version of the rules that made it.")
    key = models.CharField(max_length=64, help_text="SHA-256 of the form that is given to the model.")
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["document"]

    def __str__(self) -> str:
        return f"{self.type}, document {self.document_id}"


class PassportField(models.Model):
    """One value of a passport.

    Rows with source FOUND are what the rules found and are replaced as a whole when the document is read again. The
    others are a person's word, stay, and lie over them: see `study.passports.merging`.
    """

    passport = models.ForeignKey(Passport, on_delete=models.CASCADE, related_name="fields")
    kind = models.CharField(max_length=20, choices=[(kind.value, kind.value.capitalize()) for kind in Kind])
    label = models.CharField(max_length=MAX_LABEL, blank=True, help_text="What the document calls it.")
    value = models.CharField(max_length=MAX_VALUE, help_text="As written.")
    normalised = models.CharField(max_length=MAX_VALUE, blank=True, help_text="For comparing; empty where unsure.")
    page = models.PositiveIntegerField(null=True, blank=True)
    rank = models.PositiveSmallIntegerField(default=0, help_text="0 tells the most.")
    source = models.CharField(max_length=10, choices=[(source.value, source.value.capitalize()) for source in Source])
    replaces = models.CharField(
        max_length=MAX_VALUE, blank=True, help_text="The found value that a person's word stands for."
    )

    class Meta:
        ordering = ["passport", "rank", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["passport", "kind", "label", "replaces"],
                condition=Q(replaces__gt=""),
                name="one_word_per_found_value",
            )
        ]

    def __str__(self) -> str:
        return f"{self.label or self.kind}: {self.value}"
