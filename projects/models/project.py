"""Projects: the folders of documents that belong to one person."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Project(models.Model):
    """A named set of documents with the conversations about them."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="projects")
    name = models.CharField(max_length=200)
    vectors = models.BooleanField(default=True, help_text="Search by meaning as well as by words.")
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated", "-id"]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="project_name_once_per_owner")]

    def __str__(self) -> str:
        return self.name
