"""Sizes and durations as people read them."""

from __future__ import annotations

UNITS = ("bytes", "kB", "MB", "GB", "TB")


def human_bytes(count: float) -> str:
    """Return a size in decimal units with three digits at most, the way file managers show it: `1.12 GB`."""
    size, unit = float(count), 0
    # 999.5 would be rounded to 1000 in the smaller unit.
    while size >= 999.5 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    digits = 0 if unit == 0 or size >= 99.95 else 1 if size >= 9.995 else 2
    return f"{size:.{digits}f} {UNITS[unit]}"


def human_seconds(seconds: float) -> str:
    """Return a duration as `45 s`, `3 min 05 s` or `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
