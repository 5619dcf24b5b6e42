"""What a model's card on the models page says of its settings and of its measurement."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inference.models import Measurement
from inference.tuning.overrides import Overrides

if TYPE_CHECKING:
    from inference.presentation import Page

State = Measurement.State
_BADGES = {State.WAITING: "badge-busy", State.MEASURING: "badge-busy", State.FAILED: "badge-bad"}


@dataclass(frozen=True)
class Measuring:
    """A measurement that moves or has failed: `words` for the badge, `figures` beside the bar, `note` why it waits."""

    words: str
    badge: str
    figures: str
    percent: int
    note: str
    error: str
    moving: bool


@dataclass(frozen=True)
class Tuned:
    """`slug` stands for the model in the page's ids; `key` changes when an open panel says what is not so any more."""

    slug: str
    key: str
    summary: str
    measuring: Measuring | None


def with_tuning(
    page: Page, overrides: Mapping[str, Overrides], rows: Mapping[str, Measurement], *, fetching: bool
) -> Page:
    """Return the models page with what is set and measured, both by model; `fetching`: somebody works on it."""
    cards = tuple(
        replace(card, tuned=tuned_of(card.id, overrides.get(card.id, Overrides()), rows.get(card.id)))
        if card.state == "installed"
        else card
        for card in page.cards
    )
    tuned = [card.tuned for card in cards if card.tuned]
    moving = any(one.measuring and one.measuring.moving for one in tuned)
    # Bars move without a new version; what else is said of a measurement does not.
    said = [(one.key, one.summary, one.measuring and one.measuring.error) for one in tuned]
    version = hashlib.sha256(repr((page.version, said)).encode()).hexdigest()[:16]
    idle = page.idle or (moving and not fetching)
    return replace(page, cards=cards, moving=page.moving or moving, idle=idle, version=version)


def tuned_of(model_id: str, overrides: Overrides, row: Measurement | None) -> Tuned:
    """Return what a card says."""
    slug = hashlib.sha256(model_id.encode()).hexdigest()[:10]
    key = f"{slug}-{row.state if row else 'never'}"
    return Tuned(slug, key, _summary(overrides), measuring_of(row) if row else None)


def measuring_of(row: Measurement) -> Measuring | None:
    """Return a measurement as the page shows it, None where the figures speak for themselves."""
    state = State(row.state)
    if state not in _BADGES:
        return None
    begun = state is State.MEASURING and row.total > 0
    return Measuring(
        words="could not be measured" if state is State.FAILED else str(state.label),
        badge=_BADGES[state],
        figures=f"{row.done} of {row.total} runs" if begun else "",
        percent=row.done * 100 // row.total if begun else 0,
        note=row.note,
        error=row.error,
        moving=row.is_unfinished,
    )


def _summary(overrides: Overrides) -> str:
    attention = {True: "flash attention on", False: "flash attention off", None: ""}[overrides.flash_attention]
    parts = [
        f"window {overrides.window:,}" if overrides.window else "",
        overrides.kv or "",
        attention,
        f"{overrides.threads} thread{'s' * (overrides.threads > 1)}" if overrides.threads else "",
        "" if overrides.gpu_layers is None else f"{overrides.gpu_layers} layers on the graphics card",
        f"{overrides.conversations} at once" if overrides.conversations else "",
    ]
    return " · ".join(part for part in parts if part)
