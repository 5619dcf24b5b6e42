"""Prose made by the benchmark itself: the same for the same seed, with the names and numbers that documents have."""

from __future__ import annotations

import random
from collections.abc import Callable

_PEOPLE = ("Ada Brandt", "Jonas Okafor", "Mirela Santos", "Pieter Vos", "Hana Kimura", "Lucia Ferrari", "Omar Haddad")
_PLACES = ("the north pier", "hangar 4", "the pump house", "the archive", "line B", "the cold store", "gate 12")
_THINGS = ("compressor", "bearing", "pressure valve", "delivery van", "control cabinet", "crane", "fuel tank")
_FINDINGS = ("was within its limits", "had to be replaced", "showed hairline cracks", "had been serviced in time")
_OPENERS = ("Amber", "Birch", "Cobalt", "Delta", "Ember", "Falcon", "Garnet", "Harbour", "Indigo", "Juniper", "Kestrel")


def _inspection(draw: random.Random) -> str:
    thing, place = draw.choice(_THINGS), draw.choice(_PLACES)
    return f"On {_day(draw)} {draw.choice(_PEOPLE)} inspected the {thing} at {place}, which {draw.choice(_FINDINGS)}."


def _invoice(draw: random.Random) -> str:
    return f"Invoice {draw.randint(10_000, 99_999)} over {_money(draw)} was paid after {draw.randint(3, 60)} days."


def _opinion(draw: random.Random) -> str:
    return f"{draw.choice(_PEOPLE)} asked for a second opinion, which took until {_day(draw)}."


def _reading(draw: random.Random) -> str:
    return f"Readings of {draw.uniform(0.5, 9.5):.2f} bar and {draw.randint(12, 94)} °C were noted in the log."


def _move(draw: random.Random) -> str:
    return f"Because {draw.choice(_PLACES)} was closed, the work moved to {draw.choice(_PLACES)}."


_SENTENCES = (_inspection, _invoice, _opinion, _reading, _move)


def _day(draw: random.Random) -> str:
    return f"{draw.randint(1, 28)} {draw.choice(('January', 'April', 'July', 'October'))} {draw.randint(1998, 2024)}"


def _money(draw: random.Random) -> str:
    return f"{draw.randint(120, 98_000):,}.{draw.randint(0, 99):02d} euros"


def opener(seed: int) -> str:
    """Return a heading that differs from its neighbours in its first word: texts of different seeds share no prefix."""
    return f"{_OPENERS[seed % len(_OPENERS)]} report {seed}."


def prose(seed: int, sentences: int) -> str:
    """Return a report of so many sentences in paragraphs; a longer one of the same seed begins with the shorter."""
    draw = random.Random(seed)
    pieces = [opener(seed)]
    for number in range(1, sentences + 1):
        pieces.append("\n\n" if number % 6 == 0 else " ")
        pieces.append(draw.choice(_SENTENCES)(draw))
    return "".join(pieces)


def fitted(seed: int, tokens: int, count: Callable[[str], int]) -> str:
    """Return prose of as many tokens as asked for, or a few less; `count` tells the tokens of a text.

    Raises ValueError when not even the heading fits.
    """
    low, high = 0, max(1, tokens // 4)
    while low < high:
        middle = (low + high + 1) // 2
        if count(prose(seed, middle)) <= tokens:
            low = middle
        else:
            high = middle - 1
    text = prose(seed, low)
    if count(text) > tokens:
        raise ValueError(f"{tokens} tokens are too few for a heading")
    return _filled(text, tokens, count)


def _filled(text: str, tokens: int, count: Callable[[str], int]) -> str:
    """Lengthen a text by short words for as long as they fit: what is missing is less than one sentence."""
    for _ in range(tokens):
        if count(text + " so") > tokens:
            break
        text += " so"
    return text
