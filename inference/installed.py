"""Which models are on this machine, and which of them is the active one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inference.catalogue import CATALOGUE, DEFAULT_MODEL, TEST_FILES, ModelEntry, find
from inference.errors import ModelFailed, UnknownModel
from inference.fetch import stamp
from inference.fetch.attempt import SPARE_BYTES
from inference.fetch.errors import DiskFull
from inference.fetch.part import Part, part_path
from inference.gguf_check import require_chat_model

State = Literal["installed", "partial", "available", "missing"]


@dataclass(frozen=True)
class Choice:
    """A model that someone picked: an id of the catalogue or of an imported file, and the file if it lies elsewhere."""

    model_id: str
    path: str = ""


@dataclass(frozen=True)
class LocalModel:
    """A model as this machine sees it.

    `entry` is None for an imported file. `present_bytes` says how much is there: all, a part of it (an interrupted
    fetch), or nothing.
    """

    id: str
    path: Path
    entry: ModelEntry | None
    present_bytes: int

    @property
    def bytes(self) -> int:
        """Size of the whole file."""
        return self.entry.bytes if self.entry else self.present_bytes

    @property
    def state(self) -> State:
        if self.path.is_file():
            return "installed"
        if self.entry is None:
            return "missing"
        return "partial" if self.present_bytes else "available"


def of_entry(entry: ModelEntry, models_dir: Path) -> LocalModel:
    """Return how much of a catalogue model is on disk."""
    path = models_dir / entry.file
    return LocalModel(entry.id, path, entry, _size(path) or _size(part_path(path)))


def of_file(path: Path) -> LocalModel:
    """Return an imported file; it is called by its name without the ending."""
    return LocalModel(path.stem, path, None, _size(path))


def known_models(models_dir: Path) -> list[LocalModel]:
    """Return the catalogue in its order, then the imported files of the models folder by name."""
    claimed = {entry.file for entry in (*CATALOGUE, *TEST_FILES)}
    imported = sorted(path for path in models_dir.glob("*.gguf") if path.name not in claimed)
    return [*(of_entry(entry, models_dir) for entry in CATALOGUE), *(of_file(path) for path in imported)]


def lookup(model_id: str, models_dir: Path) -> LocalModel:
    """Return a model by catalogue id or by the name of an imported file; raises UnknownModel."""
    for model in known_models(models_dir):
        if model.id == model_id:
            return model
    return of_entry(find(model_id), models_dir)  # which names what is known


def active_model(stored: Choice | None, models_dir: Path, environ: Mapping[str, str] = os.environ) -> LocalModel:
    """Return the model to serve, whether it is on disk or not.

    READAHEAD_MODEL (an id, or the path of a .gguf file) beats the stored choice, which beats the default. Raises
    UnknownModel when what was named does not exist.
    """
    if named := environ.get("READAHEAD_MODEL", "").strip():
        return _named(named, models_dir)
    if stored is None:
        return of_entry(find(DEFAULT_MODEL), models_dir)
    return of_file(Path(stored.path)) if stored.path else lookup(stored.model_id, models_dir)


def import_file(source: Path, models_dir: Path, on_bytes: Callable[[int], None] = lambda _: None) -> LocalModel:
    """Put a GGUF file among the models and return it; a file of the catalogue becomes the catalogue's.

    Takes no disk space where a hard link is possible. `on_bytes` is told how many bytes have been checked. Raises
    ModelFailed when the file is none that can be used, or when another model has its name already; DiskFull.
    """
    source = source.expanduser().resolve()
    require_chat_model(source)
    if source.suffix != ".gguf":
        raise ModelFailed(f"{source.name} is a model but not called like one. Give it a name that ends in .gguf.")
    sha256 = stamp.compute(source, on_bytes)  # no stamp: the folder is not ours
    entry = next((entry for entry in CATALOGUE if entry.sha256 == sha256), None)
    target = models_dir / (entry.file if entry else source.name)
    if not target.exists():
        models_dir.mkdir(parents=True, exist_ok=True)
        _link_or_copy(source, target)
        stamp.remember(target, sha256)
    elif stamp.checksum(target) != sha256:
        raise ModelFailed(f"Another model is called {target.name} already. Rename the file and import it again.")
    return of_entry(entry, models_dir) if entry else of_file(target)


def delete_file(path: Path) -> None:
    """Delete a model's file with all that was kept beside it. Raises ModelFailed when the system refuses."""
    try:
        Part(path).discard()
        for there in (path, stamp.stamp_path(path)):
            there.unlink(missing_ok=True)
    except OSError as error:
        raise ModelFailed(f"{path} cannot be deleted: {error.strerror}.") from error


def require_usable(model: LocalModel) -> None:
    """Check an installed model that is to be chosen. Raises ModelFailed when it cannot be used.

    A file with the checksum of the catalogue has been tried by us, and is not read again.
    """
    if model.entry is None or stamp.remembered(model.path) != model.entry.sha256:
        require_chat_model(model.path)


def _named(named: str, models_dir: Path) -> LocalModel:
    if not named.endswith(".gguf"):
        return lookup(named, models_dir)
    path = Path(named).expanduser().resolve()
    if not path.is_file():
        raise UnknownModel(f"READAHEAD_MODEL names {path}, and there is no such file.")
    return next((model for model in known_models(models_dir) if model.path.resolve() == path), of_file(path))


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except OSError:  # another disk, or a file system without links
        needed, free = source.stat().st_size + SPARE_BYTES, shutil.disk_usage(target.parent).free
        if free < needed:
            raise DiskFull(target.parent, needed, free) from None
        draft = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            shutil.copyfile(source, draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
