"""One run of the benchmark of the study: what its measures are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.study.installation import Installation
from bench.study.options import Options


@dataclass
class Run:
    """One run: options, the files that are read, a folder, and notes for whoever reads the figures."""

    options: Options
    files: Sequence[Path]
    folder: Path
    notes: list[str] = field(default_factory=list)

    def installation(self, name: str) -> Installation:
        """Return an installation without documents."""
        return Installation(self.folder / name, self.options.model.id)
