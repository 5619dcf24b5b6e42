"""Which embedding model is chosen: by the settings, else as a person has stored it, else the one in the wheel."""

from __future__ import annotations

from pathlib import Path

from inference.embeddings import kinds, places
from inference.embeddings.health import EmbeddingFailed
from inference.private import write_private

FILE_NAME = "embedding-model"
OFF = "off"
"""The name that stands for no model at all."""
LONGEST = 1_000
BY_SETTINGS = "The setting READAHEAD_EMBEDDINGS decides which model is used; it beats what is chosen here."


def chosen() -> str:
    """Return the name or path of the chosen model, `OFF` for none."""
    from django.conf import settings

    return str(settings.EMBEDDINGS) or _stored() or places.BUNDLED


def is_by_settings() -> bool:
    """Tell whether the settings decide, and no page can."""
    from django.conf import settings

    return bool(settings.EMBEDDINGS)


def choose(name: str) -> str:
    """Store a model as the chosen one and return its name; loads nothing.

    One that is not on this machine, or is none for embeddings, is refused before anything is built for it. Raises
    EmbeddingFailed.
    """
    from django.conf import settings

    name = name.strip()
    if is_by_settings():
        raise EmbeddingFailed(BY_SETTINGS)
    if not name or len(name) > LONGEST or not name.isprintable():
        raise EmbeddingFailed("Write the name of an embedding model, or the path of its folder.")
    if name != OFF:
        kinds.require_embedding_model(name, Path(settings.MODELS_DIR))
    write_private(_path(), name)
    return name


def _stored() -> str:
    try:
        return _path().read_text().strip()
    except FileNotFoundError:
        return ""


def _path() -> Path:
    from django.conf import settings

    return Path(settings.HOME) / FILE_NAME
