"""What every measure is handed: the run's options, the model's file and a folder to work in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.options import Options
from bench.service import Flags, Service
from inference.catalogue import ModelEntry
from inference.engine.budget import STEP


@dataclass(frozen=True)
class Bench:
    """One run. `paths` are the model files by id; `notes` collects what a reader must know besides the figures."""

    options: Options
    paths: dict[str, Path]
    folder: Path
    notes: list[str] = field(default_factory=list)

    def flags(self, window: int, *, model: ModelEntry | None = None, swa_full: bool = True, quota: int = 0) -> Flags:
        """Return a command line for the service, with a window of at least so many tokens if the model was made for it.

        A plan gives windows in steps and rounds down.
        """
        entry = model or self.options.model
        window = min(-(-window // STEP) * STEP, entry.context_length)
        return Flags(self.paths[entry.id], window, self.options.threads, swa_full=swa_full, quota=quota)

    @contextmanager
    def workplace(self, name: str) -> Iterator[Path]:
        """Yield an empty folder for a measure; it is gone afterwards."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder)

    @contextmanager
    def service(self, name: str, window: int, *, quota: int = 0) -> Iterator[Service]:
        """Run the service on the measured model for the length of a block."""
        with self.workplace(name) as folder, Service(self.flags(window, quota=quota), folder) as service:
            yield service
