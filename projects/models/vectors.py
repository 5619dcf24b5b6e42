"""Vectors of chunks, and the indexes they belong to: one for each embedding model and way of using it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from projects.models.document import Chunk


class VectorIndex(models.Model):
    """All vectors that may be compared with each other.

    `key` is a hash of everything that makes a vector: the model's files and how its input is put together. A vector
    names the key of the backend that made it, so the database refuses one whose index is not there, and a trigger one
    whose length is not its index's (migration 0006): vectors of two backends never meet.

    States: the first index is SERVING from the start. Another model's is BUILDING beside it until every chunk has its
    vector there; then, in one step, BUILDING → SERVING and SERVING → RETIRED. A RETIRED one is deleted bit by bit,
    and so is a BUILDING one that is not wanted any more; either comes back to BUILDING when it is wanted again.
    """

    class State(models.TextChoices):
        BUILDING = "building", "Being built"
        SERVING = "serving", "In use"
        RETIRED = "retired", "Being deleted"

    key = models.CharField(primary_key=True, max_length=32)
    model = models.CharField(max_length=500, help_text="Name or path by which the model is loaded.")
    dim = models.PositiveIntegerField(help_text="Numbers in a vector.")
    normalised = models.BooleanField(default=True, help_text="Every vector has the length 1.")
    state = models.CharField(max_length=10, choices=State, default=State.BUILDING)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created"]
        constraints = [
            models.UniqueConstraint(fields=["state"], condition=Q(state="serving"), name="one_index_serves"),
            models.UniqueConstraint(fields=["state"], condition=Q(state="building"), name="one_index_is_built"),
            models.CheckConstraint(condition=Q(dim__gt=0), name="index_has_dimensions"),
        ]

    def __str__(self) -> str:
        return f"{self.model} ({self.dim})"


class Vector(models.Model):
    """The vector of one chunk in one index."""

    # The unique constraint's index serves for it.
    index = models.ForeignKey(VectorIndex, on_delete=models.CASCADE, related_name="vectors", db_index=False)
    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="vectors")
    data = models.BinaryField(help_text="`dim` numbers: float32, little-endian.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["index", "chunk"], name="vector_once_per_index")]

    def __str__(self) -> str:
        return f"{self.index_id}:{self.chunk_id}"
