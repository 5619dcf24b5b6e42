"""What a probe finds out, and the rule by which one set of flags is chosen from it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from inference.engine.budget import Costs, Share, Wish, share
from inference.engine.machine import Machine
from inference.engine.plan import EXACT, Flags
from inference.errors import ModelFailed

COARSE = Flags("q4_0", "q4_0", True)
"""Measured for those who ask for it. Four bits for a key can be seen in the answers, so it is chosen for nobody who has
another choice."""
ROWS = (EXACT, Flags("f16", "f16", True), Flags("q8_0", "q8_0", True), Flags("q8_0", "f16", False), COARSE)
"""The flags that are tried. Without flash attention llama.cpp has no quantized values, so one has such keys alone."""

READ, WRITTEN = 1000, 200
"""Tokens of a usual question that has to be read, and of its answer: the weights of the two speeds."""


@dataclass(frozen=True)
class Row:
    """One set of flags: its costs and its speeds in tokens/s, or the reason why it cannot be had."""

    flags: Flags
    costs: Costs | None = None
    prefill_tps: float = 0.0
    decode_tps: float = 0.0
    error: str = ""

    @property
    def seconds(self) -> float:
        """Time of a usual question with its answer."""
        return READ / self.prefill_tps + WRITTEN / self.decode_tps

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote. Raises KeyError, TypeError or ValueError on anything else."""
        return cls(
            Flags(**data["flags"]),
            Costs.from_json(data["costs"]) if data["costs"] else None,
            float(data["prefill_tps"]),
            float(data["decode_tps"]),
            str(data["error"]),
        )


@dataclass(frozen=True)
class Asked:
    """What somebody asked for: the type of keys and values alike, and flash attention; None leaves them open."""

    kv: str | None = None
    flash_attention: bool | None = None

    @property
    def flags(self) -> Flags:
        """The flags to run under before anything was measured: what is left open is as exact as it can be."""
        kv = self.kv or EXACT.type_k
        attention = kv != EXACT.type_v if self.flash_attention is None else self.flash_attention
        return Flags(kv, kv if attention else EXACT.type_v, attention)

    @property
    def note(self) -> str:
        """What cannot be had of it whatever the model, as a sentence; empty when nothing."""
        whole = self.kv in (None, EXACT.type_k) or self.flash_attention is not False
        return "" if whole else f"Quantized values need flash attention, which is off: the keys alone are {self.kv}."

    def admits(self, flags: Flags) -> bool:
        """Tell whether flags are what was asked for. Keys and values differ only where flash attention is off."""
        if self.flash_attention is not None and flags.flash_attention is not self.flash_attention:
            return False
        values = EXACT.type_v if self.flash_attention is False else self.kv
        return self.kv is None or (flags.type_k, flags.type_v) == (self.kv, values)


@dataclass(frozen=True)
class Candidate:
    """A row with what this machine can give it; `share` is None when it cannot run."""

    row: Row
    share: Share | None
    refusal: str = ""


@dataclass(frozen=True)
class Choice:
    """The rows in their order, the chosen one, and why, as a sentence."""

    candidates: tuple[Candidate, ...]
    chosen: Candidate
    reason: str


def choose(rows: Sequence[Row], machine: Machine, wish: Wish) -> Choice:
    """Choose the flags to run under. Raises ModelFailed when no row can run on this machine.

    Among the rows whose window is the largest to be had: f16 without flash attention if it is one of them, since only
    there a restored prefix gives to the last bit what reading it gives, which nothing that is a little faster makes up
    for; else the fastest over a usual question. `COARSE` is chosen when there is nothing else.
    """
    candidates = tuple(_candidate(row, machine, wish) for row in rows)
    able = [candidate for candidate in candidates if candidate.share]
    if not able:
        raise ModelFailed(next((candidate.refusal for candidate in candidates), "No flags were tried."))
    able = [candidate for candidate in able if candidate.row.flags != COARSE] or able
    widest = max(_window(candidate) for candidate in able)
    wide = [candidate for candidate in able if _window(candidate) == widest]
    fastest = min(wide, key=lambda candidate: candidate.row.seconds)
    chosen = next((candidate for candidate in wide if candidate.row.flags == EXACT), fastest)
    return Choice(candidates, chosen, _reason(chosen, fastest, able, widest))


def _candidate(row: Row, machine: Machine, wish: Wish) -> Candidate:
    if row.costs is None:
        return Candidate(row, None, row.error)
    try:
        return Candidate(row, share(row.costs, machine, wish))
    except ModelFailed as error:
        return Candidate(row, None, error.message)


def _window(candidate: Candidate) -> int:
    return candidate.share.window if candidate.share else 0


def _reason(chosen: Candidate, fastest: Candidate, able: Sequence[Candidate], widest: int) -> str:
    time = f"{chosen.row.seconds:.0f} s for {READ:,} tokens read and {WRITTEN} written"
    if chosen is not fastest:
        return (
            f"{chosen.row.flags}: {time}. {fastest.row.flags} would take {fastest.row.seconds:.0f} s, but only with "
            "these flags what is restored equals what is read to the last bit."
        )
    if all(_window(candidate) == widest for candidate in able):
        return f"{chosen.row.flags}: the fastest, {time}."
    return f"{chosen.row.flags}: the largest window, {widest:,} tokens, and the fastest with it, {time}."
