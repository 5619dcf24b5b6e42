"""What a measure hands back, and how it is shown: a table for people and JSON for everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Bound = Literal["at least", "at most"]
_HEADS = ("measure", "figure", "value", "target", "")


@dataclass(frozen=True)
class Figure:
    """One measured value; without a target it is there to be read beside the others.

    `detail` says what a reader needs to judge it: counts, spread, what was compared. `data` are the single measurements
    that it was made of; they go into the JSON alone.
    """

    measure: str
    name: str
    value: float
    unit: str = ""
    target: float | None = None
    bound: Bound = "at least"
    detail: str = ""
    data: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def passed(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        return self.value >= self.target if self.bound == "at least" else self.value <= self.target


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as aligned lines, details below their figure."""
    rows = [_HEADS, *(_cells(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    lines = [_line(_HEADS, widths), "-" * (sum(widths) + 2 * len(widths) - 2)]
    for figure in figures:
        lines.append(_line(_cells(figure), widths))
        if figure.detail:
            lines.append(f"{'':{widths[0]}}    {figure.detail}")
    return "\n".join(lines)


def missed(figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures whose target was not met."""
    return [figure for figure in figures if figure.passed is False]


def as_json(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Return the figures with their verdicts, for a JSON file."""
    return [{**asdict(figure), "passed": figure.passed} for figure in figures]


def number(value: float) -> str:
    """Return a value with as many digits as it deserves."""
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3f}"


def _cells(figure: Figure) -> tuple[str, ...]:
    verdict = {None: "", True: "pass", False: "FAIL"}[figure.passed]
    target = "" if figure.target is None else f"{figure.bound} {number(figure.target)}"
    return figure.measure, figure.name, f"{number(figure.value)} {figure.unit}".rstrip(), target, verdict


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()
