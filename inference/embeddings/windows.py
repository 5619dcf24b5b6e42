"""Cutting a text so that each piece fits the window of an embedding model together with its heading."""

from __future__ import annotations

from collections.abc import Callable

SHORTEST = 2
"""Characters that are never cut: a window too small for them is no window."""


def windows(heading: str, text: str, fits: Callable[[str], bool]) -> list[str]:
    """Return pieces that `fits` accepts, in order, together all of `text`, each below `heading`; at least one.

    The heading is shortened where it would leave less than half of the window to the text.
    """
    if heading and not fits(f"{heading}\n{heading}"):
        heading = _shortened(heading, lambda part: fits(f"{part}\n{part}"))
    return _pieces(f"{heading}\n" if heading else "", text, fits)


def _shortened(heading: str, fits: Callable[[str], bool]) -> str:
    while heading and not fits(heading):
        heading = heading[: len(heading) // 2]
    return heading.rstrip()


def _pieces(prefix: str, text: str, fits: Callable[[str], bool]) -> list[str]:
    if len(text) <= SHORTEST or fits(prefix + text):
        return [prefix + text]
    middle = _middle(text)
    return _pieces(prefix, text[:middle], fits) + _pieces(prefix, text[middle:], fits)


def _middle(text: str) -> int:
    """Return where to halve: behind the last white space of the second quarter, or in the very middle."""
    half = len(text) // 2
    space = max(text.rfind(" ", half // 2, half), text.rfind("\n", half // 2, half))
    return space + 1 if space > 0 else half
