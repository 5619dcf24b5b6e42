"""The measures of the study by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.report import Figure
from bench.study.kills import kills
from bench.study.live import live
from bench.study.reading import reading
from bench.study.run import Run

MEASURES: dict[str, Callable[[Run], Sequence[Figure]]] = {"reading": reading, "live": live, "kills": kills}
