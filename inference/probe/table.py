"""A probe's result as people and scripts read it."""

from __future__ import annotations

from typing import TypedDict

from inference.probe.rows import Candidate, Choice


class ProbeRow(TypedDict):
    """One set of flags; window in tokens (0: does not fit), cost in bytes of cache for each token of it, speeds in
    tokens/s. `error` says why the flags cannot be had.
    """

    type_k: str
    type_v: str
    flash_attention: bool | None
    bytes_per_token: int
    prefill_tps: float
    decode_tps: float
    window: int
    chosen: bool
    error: str


class ProbeReport(TypedDict):
    """All rows, and why the chosen one was chosen."""

    rows: list[ProbeRow]
    reason: str


def report(choice: Choice) -> ProbeReport:
    """Return what a probe and the choice after it come to."""
    return {"rows": [_row(candidate, choice) for candidate in choice.candidates], "reason": choice.reason}


def _row(candidate: Candidate, choice: Choice) -> ProbeRow:
    row = candidate.row
    return {
        "type_k": row.flags.type_k,
        "type_v": row.flags.type_v,
        "flash_attention": row.flags.flash_attention,
        "bytes_per_token": round(row.costs.cache.per_token) if row.costs else 0,
        "prefill_tps": round(row.prefill_tps, 1),
        "decode_tps": round(row.decode_tps, 1),
        "window": candidate.share.window if candidate.share else 0,
        "chosen": candidate is choice.chosen,
        "error": candidate.refusal,
    }


def lines(report: ProbeReport) -> list[str]:
    """Return the report as a table of plain text, with the reason below it."""
    head = f"  {'keys/values':<12} {'attention':<10} {'bytes/token':>11} {'reads':>10} {'writes':>10} {'window':>9}"
    return [head, *(_line(row) for row in report["rows"]), "", f"Chosen: {report['reason']}"]


def _line(row: ProbeRow) -> str:
    name = f"{'*' if row['chosen'] else ' '} {row['type_k'] + '/' + row['type_v']:<12}"
    attention = "flash" if row["flash_attention"] else "plain"
    if row["error"]:
        return f"{name} {attention:<10} {row['error']}"
    speeds = f"{row['prefill_tps']:>7.1f}/s  {row['decode_tps']:>7.1f}/s"
    return f"{name} {attention:<10} {row['bytes_per_token']:>11,} {speeds:>21} {row['window']:>9,}"
