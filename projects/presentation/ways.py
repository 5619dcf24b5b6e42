"""Says in words which way a question can take and what that would cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from projects.answering.outlook import Offer
from projects.answering.router import Lane
from projects.presentation.words import roughly

_NAMES = {
    Lane.DIGEST: "from what was learned",
    Lane.PASSAGES: "from passages",
    Lane.DEEP: "read it properly",
}


@dataclass(frozen=True)
class Option:
    """One line of the menu; `lane` empty leaves the choice to Readahead."""

    lane: str
    label: str
    possible: bool = True


def options() -> list[Option]:
    """Return the menu without any costs, for a page that nobody has asked the model for yet."""
    return [Option("", "automatic"), *(Option(lane, name) for lane, name in _NAMES.items())]


def options_with(offers: Sequence[Offer]) -> list[Option]:
    """Return the menu with what each way would cost now."""
    return [Option("", "automatic"), *(Option(offer.lane, _label(offer), offer.possible) for offer in offers)]


def _label(offer: Offer) -> str:
    name = _NAMES[offer.lane]
    if not offer.possible:
        return f"{name} (nothing yet)"
    return f"{name} ≈ {roughly(offer.seconds)}" if offer.seconds is not None else f"{name} (not measured yet)"
