"""Streams: one busy conversation beside three idle ones, with unified and with separate KV streams."""

from __future__ import annotations

from statistics import median

from bench.children import Child
from bench.report import Figure
from bench.run import Bench
from bench.stats import paired_ratio
from bench.texts import prose

NO_LOSS = 0.97
BUSY_SHARE = 4
"""The busy conversation is a quarter as long as each of the idle ones."""


def run(bench: Bench) -> list[Figure]:
    """Compare both on bare contexts: the service keeps separate streams, which must not be the slower way."""
    sizes = bench.options.sizes
    flags = bench.flags(2 * sizes.idle)
    with (
        bench.workplace("streams") as folder,
        Child("bench.bare", flags.arguments(folder), folder / "bare.log") as child,
    ):
        speeds: dict[str, list[float]] = child.ask(
            what="streams",
            text=prose(7, sizes.idle // 8),
            idle=sizes.idle,
            busy=sizes.idle // BUSY_SHARE,
            predict=sizes.generate // 2,
            repetitions=sizes.repetitions,
        )["speeds"]
    return [_figure(phase, speeds, flags.conversations - 1, sizes.idle) for phase in ("prefill", "generation")]


def _figure(phase: str, speeds: dict[str, list[float]], others: int, held: int) -> Figure:
    separate, unified = speeds[f"separate {phase}"], speeds[f"unified {phase}"]
    return Figure(
        "streams",
        f"{phase} beside {others} idle conversations: separate / unified",
        paired_ratio(separate, unified),
        target=NO_LOSS,
        detail=f"tokens/s: separate {median(separate):,.1f}, unified {median(unified):,.1f}; idle ones hold {held:,}",
        data={"separate": separate, "unified": unified},
    )
