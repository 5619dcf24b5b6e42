"""What is known about a project as a whole: its digest, and answers prepared from it."""

from __future__ import annotations

from django.db import models


class Digest(models.Model):
    """The digest of a project for one model: entries in stable order, as they were put before the model.

    `entries` are lists of document id, text key, line and body. `key` is the SHA-256 of the prompt that they make. The
    state of the model at its end is kept under the boundary `digest:<project>`, if the disk allowed it.
    """

    project = models.ForeignKey("projects.Project", on_delete=models.CASCADE, related_name="digests")
    model_key = models.CharField(max_length=64)
    prompt_version = models.CharField(max_length=20)
    key = models.CharField(max_length=64)
    level = models.CharField(max_length=10, help_text="How much of each document it holds: full, lines or types.")
    entries = models.JSONField(default=list)
    tokens = models.PositiveIntegerField(default=0)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "model_key", "prompt_version"], name="one_digest_for_each_model")
        ]

    def __str__(self) -> str:
        return f"Digest of project {self.project_id}"


class PreparedAnswer(models.Model):
    """An answer to a question that people ask first; the overview is the one at position 0.

    It holds as long as the digest has the key that it was given from.
    """

    project = models.ForeignKey("projects.Project", on_delete=models.CASCADE, related_name="prepared_answers")
    position = models.PositiveSmallIntegerField()
    question = models.CharField(max_length=300)
    answer = models.TextField()
    digest_key = models.CharField(max_length=64)
    model_key = models.CharField(max_length=64)
    prompt_version = models.CharField(max_length=20)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["project", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "model_key", "prompt_version", "question"], name="one_prepared_answer"
            )
        ]

    def __str__(self) -> str:
        return self.question
