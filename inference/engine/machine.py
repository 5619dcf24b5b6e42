"""What this machine gives a model: memory and cores, as far as a container lets the process have them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Machine:
    """Bytes of memory in all and free for the asking, and cores that compute at full speed."""

    total: int
    available: int
    cores: int


def this_machine() -> Machine:
    """Return the machine, cut down to the limits of the container this process runs in."""
    import psutil

    memory = psutil.virtual_memory()
    limits = list(_limits(Path("/proc/self/cgroup"), CGROUPS))
    return Machine(
        total=min([memory.total, *(limit.total for limit in limits)]),
        available=max(0, min([memory.available, *(limit.available for limit in limits)])),
        cores=min([_physical_cores(), *(limit.cores for limit in limits if limit.cores)]),
    )


def threads_at_most() -> int:
    """Return how many threads this machine lets the process compute with at once, hardware threads counted."""
    limits = [limit.cores for limit in _limits(Path("/proc/self/cgroup"), CGROUPS) if limit.cores]
    return min([_allowed() or os.cpu_count() or 1, *limits])


def _physical_cores() -> int:
    """Return the cores without their hardware threads, on which llama.cpp's matrix products gain nothing."""
    import psutil

    physical = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    return min(physical, _allowed() or physical)


def _allowed() -> int:
    """Return the processors that this process may use, 0 where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0


def _limits(membership: Path, root: Path) -> Iterator[Machine]:
    """Yield what each control group allows from the process's own upwards; the smallest of each counts.

    `membership` is /proc/self/cgroup; without control groups there is nothing to yield.
    """
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, name = line.split(":", 2)
        base = root if not controllers else root / "memory" if "memory" in controllers.split(",") else None
        if base is None:
            continue
        folder = base / name.lstrip("/")
        # Inside a container the name may be the host's, which does not exist here: then the root is the container's.
        for group in [folder, *folder.parents]:
            if group.is_dir() and group.is_relative_to(base):
                yield _limit(group)


def _limit(group: Path) -> Machine:
    total = _number(group / "memory.max") or _number(group / "memory.limit_in_bytes")
    used = _number(group / "memory.current") or _number(group / "memory.usage_in_bytes")
    # The page cache counts as used there, and is given back on demand.
    available = total - used + _field(group / "memory.stat", "inactive_file")
    return Machine(total or _ENDLESS, available if total else _ENDLESS, _quota(group / "cpu.max"))


_ENDLESS = 1 << 62


def _quota(path: Path) -> int:
    """Return the whole cores that a group may keep busy, 0 without a limit."""
    try:
        quota, period = path.read_text().split()
        return max(1, math.floor(int(quota) / int(period)))
    except (OSError, ValueError):  # absent, or 'max'
        return 0


def _number(path: Path) -> int:
    try:
        return int(path.read_text())
    except (OSError, ValueError):  # absent, or 'max'
        return 0


def _field(path: Path, name: str) -> int:
    try:
        return int(dict(line.split(maxsplit=1) for line in path.read_text().splitlines()).get(name, 0))
    except (OSError, ValueError):
        return 0
