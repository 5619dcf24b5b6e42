"""Tests that the desk's colours can be read in both themes (WCAG 2.2 AA)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOKENS = Path(__file__).resolve().parents[2] / "static" / "css" / "tokens.css"
PAIR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
COLOURS = {name: (light, dark) for name, light, dark in PAIR.findall(TOKENS.read_text())}

TEXT, SHAPE = 4.5, 3.0
PAIRS = [
    *(
        (ink, ground, TEXT)
        for ink in ("ink", "ink-soft", "lamp")
        for ground in ("desk", "paper", "paper-sunk", "lamp-wash")
    ),
    *((state, ground, TEXT) for state in ("good", "warn", "bad") for ground in ("desk", "paper", f"{state}-wash")),
    ("lamp-strong", "desk", TEXT),
    ("lamp-strong", "lamp-wash", TEXT),
    ("on-lamp", "lamp", TEXT),
    ("on-lamp", "lamp-strong", TEXT),
    ("on-marker", "marker", TEXT),
    ("ink", "bad-wash", TEXT),
    ("ink", "warn-wash", TEXT),
    ("rule-strong", "paper", SHAPE),
    ("rule-strong", "desk", SHAPE),
]


def luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "ground", "least"), PAIRS)
def test_colours_stand_out_from_what_they_are_on(front: str, ground: str, least: float, theme: int) -> None:
    assert contrast(COLOURS[front][theme], COLOURS[ground][theme]) >= least
