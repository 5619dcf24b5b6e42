"""The rows of the projects app, one module per thing that people own."""

from projects.models.conversation import Citation, Conversation, Turn
from projects.models.document import Chunk, Document, DocumentName, Section
from projects.models.project import Project
from projects.models.vectors import Vector, VectorIndex

__all__ = [
    "Chunk",
    "Citation",
    "Conversation",
    "Document",
    "DocumentName",
    "Project",
    "Section",
    "Turn",
    "Vector",
    "VectorIndex",
]
