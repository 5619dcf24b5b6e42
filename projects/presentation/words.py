"""Says an answer's figures in words: how long it took, what was read for it, what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import shorten
from typing import Any

from projects.models import Citation, Turn

PREVIEW = 300
"""Characters of a quote that are shown while one points at its mark."""

_LANES = {"passages": "from passages", "digest": "from what was read ahead", "deep": "read in full"}


def lane_label(lane: str) -> str:
    """Return what an answer was made from; a lane without words of its own is shown by its name."""
    return _LANES.get(lane, lane)


def timing_line(turn: Turn) -> str:
    """Return 'first word after 1.2 s · predicted 5 s, took 5.4 s · 842 tokens read, 0 remembered', or what is known."""
    parts = []
    if turn.ttft_s is not None:
        parts.append(f"first word after {seconds(turn.ttft_s)}")
    if turn.total_s is not None:
        parts.append(_took(turn.total_s, turn.predicted_s if turn.state == Turn.State.DONE else None))
    if turn.prompt_tokens:
        remembered = turn.restored_tokens + turn.reused_tokens
        parts.append(f"{turn.read_tokens:,} tokens read, {remembered:,} remembered")
    return " · ".join(parts)


def _took(total: float, predicted: float | None) -> str:
    if predicted is None:
        return f"{seconds(total)} in all"
    return f"predicted {roughly(predicted)}, took {seconds(total)}"


def cut_off_line(turn: Turn) -> str:
    """Return that an answer was not ended by the model, or nothing."""
    if turn.finish_reason != "length":
        return ""
    return f"Cut off after {turn.answer_tokens:,} tokens, the most that one answer may have. Ask for what is missing."


def seconds(value: float) -> str:
    """Return a duration as people say it: '0.03 s', '5.4 s', '48 s', '2 min 5 s'."""
    if value < 0.095:
        return f"{value:.2f} s"
    if value < 9.95:
        return f"{value:.1f} s"
    if value < 59.5:
        return f"{value:.0f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def roughly(value: float) -> str:
    """Return a foretold duration no more exactly than it can be known: '4 s', '50 s', '3 min'."""
    if value < 19.5:
        return f"{max(1, round(value))} s"
    if value < 57.5:
        return f"{5 * round(value / 5)} s"
    return f"{max(1, round(value / 60))} min"


def preview(citation: Citation) -> str:
    """Return what a citation rests on, in a line: 'lease.pdf, page 2: The rent is …'."""
    where = citation.document.name + (f", page {citation.page}" if citation.page else "")
    return f"{where}: {shorten(citation.quote, PREVIEW, placeholder=' …')}"


def ordinal(rank: int) -> str:
    """Return a rank as people say it: '1st', '2nd', '11th'."""
    ending = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{ending}"


def coverage_line(coverage: Mapping[str, Any], lane: str = "") -> str:
    """Return which documents the answer could come from, or nothing when that was not recorded.

    A digest tells of all of them; on every other way they were searched, and which ones it rests on, its marks say.
    """
    ready, total = int(coverage.get("ready", 0)), int(coverage.get("total", 0))
    if not total:
        return ""
    verb = "rests on" if lane == "digest" else "searched"
    if ready == total:
        return f"{verb} the one document" if total == 1 else f"{verb} all {total} documents"
    waiting = ", ".join(map(str, coverage.get("waiting", [])))
    missing = f"; not in it: {waiting}" if waiting else ""
    return f"{verb} {ready} of {total} documents{missing}"
