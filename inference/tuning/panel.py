"""The advanced panel of a model: what can be set, what the settings come to, and what was measured. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from inference.engine.budget import Wish
from inference.errors import ModelFailed
from inference.fetch.sizes import human_bytes
from inference.probe.rows import Candidate, choose
from inference.tuning.outlook import Ground, outcome
from inference.tuning.overrides import Overrides
from inference.tuning.points import Known, Point, points_of


@dataclass(frozen=True)
class Line:
    """A measured set of flags: `figures` are bytes a token, both speeds and the window, or `error` says why not."""

    kv: str
    attention: str
    figures: tuple[str, ...]
    error: str
    automatic: bool


@dataclass(frozen=True)
class Panel:
    """All of it. `result` says what the settings come to, `notes` what of them cannot be had or has to give way.

    `lines` are what was measured, empty before that; one of them is what comes without settings.
    """

    model: str
    points: tuple[Point, ...]
    result: str
    notes: tuple[str, ...]
    lines: tuple[Line, ...]
    is_set: bool


def panel_of(known: Known) -> Panel:
    """Return the panel."""
    result, notes = summary(known.ground, known.overrides)
    is_set = known.overrides != Overrides()
    return Panel(known.model, points_of(known), result, notes, _measured(known), is_set)


def summary(ground: Ground, overrides: Overrides) -> tuple[str, tuple[str, ...]]:
    """Return what settings come to, as a sentence, and what has to be said besides."""
    try:
        made = outcome(ground, overrides)
    except ModelFailed as error:
        return error.message, ()
    notes = (made.note,) if made.note else ()
    if made.share is None:
        return f"It runs with {made.flags}.", notes
    side = "one conversation" if made.share.conversations == 1 else f"{made.share.conversations} conversations"
    size = human_bytes(made.share.bytes)
    said = f"It runs with {made.flags}; the window holds {made.share.window:,} tokens for {side}, {size} in all."
    return said, (*notes, *made.share.notes)


def _measured(known: Known) -> tuple[Line, ...]:
    """Return what was measured, and mark what comes without settings."""
    try:
        choice = choose(known.ground.rows, known.ground.machine, Wish())
    except ModelFailed as error:  # this machine is too small for all of them, or there are none
        return tuple(_line(Candidate(row, None, error.message), automatic=False) for row in known.ground.rows)
    return tuple(_line(candidate, automatic=candidate is choice.chosen) for candidate in choice.candidates)


def _line(candidate: Candidate, *, automatic: bool) -> Line:
    row, window = candidate.row, candidate.share.window if candidate.share else 0
    per_token = row.costs.cache.per_token if row.costs else 0.0
    figures = (f"{per_token:,.0f}", f"{row.prefill_tps:,.1f}/s", f"{row.decode_tps:,.1f}/s", f"{window:,}")
    attention = "flash" if row.flags.flash_attention else "plain"
    shown = () if candidate.refusal else figures
    return Line(f"{row.flags.type_k}/{row.flags.type_v}", attention, shown, candidate.refusal, automatic)
