"""Reading choices from environment variables, and the variables that keep libraries from calling out."""

from __future__ import annotations

import os

from django.core.exceptions import ImproperlyConfigured

from inference.external.address import normalised

OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "DO_NOT_TRACK": "1",
}
"""Set in every process: the libraries that could fetch or report something look at these when they are imported."""


def go_offline() -> None:
    """Forbid the libraries of this process and of its children to call out."""
    os.environ.update(OFFLINE)


def flag(name: str) -> bool:
    """Return whether a variable is set to 1; anything but 0, 1 and nothing is refused, so that no typo opens a door."""
    value = os.environ.get(name, "").strip()
    if value not in ("", "0", "1"):
        raise ImproperlyConfigured(f"{name} is either 1 or 0, not {value!r}.")
    return value == "1"


def whole_number(name: str, default: int, lowest: int, highest: int) -> int:
    """Return a variable as a number within bounds, or `default` when it is not set."""
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or not lowest <= int(text) <= highest:
        raise ImproperlyConfigured(f"{name} is a whole number from {lowest} to {highest}, not {text!r}.")
    return int(text)


def server_address(name: str) -> str:
    """Return a variable as the address of an OpenAI-compatible server, empty when it is not set."""
    text = os.environ.get(name, "").strip()
    try:
        return normalised(text) if text else ""
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from None  # without the text, which may have a password in it


def names(name: str) -> list[str]:
    """Return a comma-separated variable as a list, without empty parts."""
    return [part.strip() for part in os.environ.get(name, "").split(",") if part.strip()]
