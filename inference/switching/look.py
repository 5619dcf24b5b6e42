"""Looks at the model's process from outside: what it says of itself, what it computes, whether anybody asks it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import httpx
import psutil

from inference import endpoint
from inference.contracts import Health, PoolName

TIMEOUT_S = 2.0
WORK = tuple(f"{pool}_{what}" for pool in PoolName for what in ("active", "waiting"))


class Service:
    """The model service of one process, found by its endpoint file."""

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir

    def health(self, pid: int) -> Health | None:
        """Return what the process says of itself, None while it says nothing; another one's words do not count."""
        reply = self._get(pid, "/health")
        try:
            return Health.from_wire(reply.json()) if reply is not None else None
        except (ValueError, TypeError, AttributeError):
            return None

    def metrics(self, pid: int) -> Mapping[str, float] | None:
        """Return its counters and gauges, None while it does not answer."""
        reply = self._get(pid, "/metrics")
        if reply is None:
            return None
        pairs = (line.rsplit(" ", 1) for line in reply.text.splitlines() if line.startswith("readahead_"))
        return {name.removeprefix("readahead_"): float(value) for name, value in pairs}

    def _get(self, pid: int, path: str) -> httpx.Response | None:
        where = endpoint.read(self._run_dir)
        if where is None or where.pid != pid:
            return None
        headers = {"Authorization": f"Bearer {where.key}"}
        try:
            reply = httpx.get(where.url + path, headers=headers, timeout=TIMEOUT_S, trust_env=False)
        except httpx.HTTPError:
            return None
        return reply if reply.is_success else None


class Idleness:
    """Counts the time in which nobody asks anything, from one look at the metrics to the next."""

    def __init__(self) -> None:
        self._asked = -1.0
        self._since = 0.0

    def begin(self, now: float) -> None:
        """Count from now on."""
        self._asked, self._since = -1.0, now

    def seconds(self, metrics: Mapping[str, float] | None, now: float) -> float:
        """Return for how long nobody has asked; a service that does not answer is busy."""
        asked = metrics.get("requests_total", 0.0) if metrics else -1.0
        busy = metrics is None or any(metrics.get(gauge) for gauge in WORK)
        if busy or asked != self._asked:
            self._asked, self._since = asked, now
        return now - self._since


def cpu_seconds(pid: int) -> float:
    """Return what a process has computed, 0 when it is gone."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)
