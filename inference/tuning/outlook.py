"""What settings come to on this machine: flags, window, memory and speed, as far as they are known. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inference.engine.budget import WISHED_WINDOW, Costs, Curve, Share, Wish, share
from inference.engine.machine import Machine
from inference.engine.plan import Flags
from inference.probe.rows import Asked, Row, choose
from inference.tuning.overrides import Overrides

BLOCK_BYTES = {"f16": 64, "q8_0": 34, "q4_0": 18}
"""Of 32 values in the cache, by type."""
UNMEASURED = "Nothing is measured yet, and with these flags what is restored equals what is read to the last bit."


@dataclass(frozen=True)
class Ground:
    """What is known of a model on this machine.

    `rows` were measured with the threads and layers that are set, none before the first measurement; `estimate` are the
    costs with an f16 cache by the file's header or the catalogue, None where nothing is known.
    """

    machine: Machine
    rows: Sequence[Row] = ()
    estimate: Costs | None = None


@dataclass(frozen=True)
class Outcome:
    """What settings come to. `share` is None where nothing is known of the model, `row` where it was not measured.

    `reason` says why these flags, and `note` what of the settings cannot be had, in sentences.
    """

    flags: Flags
    share: Share | None
    row: Row | None = None
    costs: Costs | None = None
    reason: str = ""
    note: str = ""

    @property
    def window(self) -> int | None:
        """Tokens, where they are known."""
        return self.share.window if self.share else None


def wish_of(overrides: Overrides) -> Wish:
    """Return the window and conversations that are asked for."""
    usual = Wish()
    return Wish(overrides.window or WISHED_WINDOW, overrides.conversations or usual.conversations)


def outcome(ground: Ground, overrides: Overrides) -> Outcome:
    """Return what the service makes of settings at its start; see `service.planning`. Raises ModelFailed.

    It is the same rule over the same measurements. Before those are made, llama.cpp's figures take the place of the
    estimate at the start, so the window may differ a little.
    """
    asked, wish = Asked(overrides.kv, overrides.flash_attention), wish_of(overrides)
    rows = [row for row in ground.rows if asked.admits(row.flags)]
    if any(row.costs for row in rows):
        choice = choose(rows, ground.machine, wish)
        chosen = choice.chosen
        return Outcome(chosen.row.flags, chosen.share, chosen.row, chosen.row.costs, choice.reason, asked.note)
    flags, note = _instead(ground.rows, asked.flags, asked.note)
    row = next((row for row in ground.rows if row.flags == flags and row.costs), None)
    costs = row.costs if row else scaled(ground.estimate, flags)
    part = share(costs, ground.machine, wish) if costs else None
    return Outcome(flags, part, row, costs, UNMEASURED, note)


def scaled(costs: Costs | None, flags: Flags) -> Costs | None:
    """Return costs that were estimated for f16 under other types of the cache."""
    if costs is None:
        return None
    parts = BLOCK_BYTES[flags.type_k] + BLOCK_BYTES[flags.type_v]
    points = tuple((tokens, size * parts // (2 * BLOCK_BYTES["f16"])) for tokens, size in costs.cache.points)
    return replace(costs, cache=Curve(points))


def _instead(rows: Sequence[Row], wished: Flags, note: str) -> tuple[Flags, str]:
    """Return the flags nearest to the wished ones that are not known to fail, and a note when they are others."""
    failing = {row.flags for row in rows if row.error}
    if wished not in failing:
        return wished, note
    flags = next((flags for flags in wished.instead if flags not in failing), wished)
    return flags, f"This model does not run with {wished}; it runs with {flags}."
