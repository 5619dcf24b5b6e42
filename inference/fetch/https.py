"""Model files over HTTPS from a model hub: resumes cut transfers, waits when told to, tries again with patience."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from inference.catalogue import HubFile
from inference.fetch.errors import SourceFailed
from inference.fetch.events import Waiting
from inference.fetch.meter import Meter

if TYPE_CHECKING:
    import httpx

DEFAULT_ENDPOINT = "https://huggingface.co"
MAX_FAILURES = 4
"""Attempts in a row that bring not a single byte before the source gives up."""
MAX_WAIT_S = 3600.0
"""Longest time that a server may tell us to wait; beyond it a person should decide."""
LATER = {429: "rate-limited", 503: "the server is busy"}
"""Answers that mean 'come back later'; with Retry-After they say when."""


@dataclass(frozen=True)
class Clock:
    """Time as the source sees it, replaceable in tests."""

    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    sleep: Callable[[float], None] = time.sleep


class _Interrupted(Exception):
    """This attempt ended early; another one may get further. `wait_s` is what the server asked for."""

    def __init__(self, cause: str, wait_s: float | None = None) -> None:
        super().__init__(cause)
        self.wait_s = wait_s


class HubSource:
    """Reads a file from a model hub; HF_ENDPOINT names a mirror and HF_TOKEN the key for files that need one."""

    extra_bytes = 0

    def __init__(self, origin: HubFile, file: str, clock: Clock | None = None) -> None:
        endpoint = os.environ.get("HF_ENDPOINT") or DEFAULT_ENDPOINT
        self._url = f"{endpoint.rstrip('/')}/{origin.repository}/resolve/{origin.revision}/{file}"
        self._token = os.environ.get("HF_TOKEN", "")
        self._clock = clock or Clock()
        self.name = endpoint.split("://")[-1].strip("/")

    def read(self, start: int, meter: Meter) -> Iterator[bytes]:
        """Yield the bytes from `start` on, over as many connections as it takes; raises SourceFailed."""
        import httpx

        offset, failures = start, 0
        timeout = httpx.Timeout(30.0, connect=10.0)
        with httpx.Client(headers=self._headers(), follow_redirects=True, timeout=timeout) as client:
            while True:
                before = offset
                try:
                    for block in self._attempt(client, offset):
                        yield block
                        offset += len(block)
                    return
                except _Interrupted as interruption:
                    failures = 1 if offset > before else failures + 1
                    self._pause(interruption, failures, meter)

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}

    def _attempt(self, client: httpx.Client, offset: int) -> Iterator[bytes]:
        # Model files do not shrink by compression, and an encoded body would make Range count other bytes than ours.
        headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={offset}-"} if offset else {})}
        with _connection_errors(), client.stream("GET", self._url, headers=headers) as response:
            self._check(response)
            # A server that does not know Range sends the file from its beginning.
            skip = offset - _first_byte(response)
            if skip < 0:
                raise SourceFailed("the server skips bytes that were asked for")
            # As they come: a fixed block size would hold bytes back, and lose them when the connection is cut.
            for block in response.iter_bytes():
                if skip < len(block):
                    yield block[skip:]
                skip = max(0, skip - len(block))

    def _check(self, response: httpx.Response) -> None:
        status = response.status_code
        if status in LATER:
            raise _Interrupted(LATER[status], _retry_after(response, self._clock.now()))
        if status in (401, 403):
            raise SourceFailed("the file needs a key with access to it: set HF_TOKEN")
        if status == 404:
            raise SourceFailed("the file is not there")
        if status >= 500:
            raise _Interrupted(f"the server answers {status}")
        if status not in (200, 206):
            raise SourceFailed(f"the server answers {status}")

    def _pause(self, interruption: _Interrupted, failures: int, meter: Meter) -> None:
        wait_s = interruption.wait_s
        if failures >= MAX_FAILURES or (wait_s or 0) > MAX_WAIT_S:
            raise SourceFailed(str(interruption)) from interruption
        seconds = 2.0 ** (failures - 1) if wait_s is None else wait_s
        meter.report(Waiting(str(interruption), self._clock.now() + timedelta(seconds=seconds)))
        self._clock.sleep(seconds)


@contextmanager
def _connection_errors() -> Iterator[None]:
    import httpx

    try:
        yield
    except httpx.ConnectError as error:
        raise _Interrupted("the server cannot be reached") from error
    except httpx.TimeoutException as error:
        raise _Interrupted("the server does not answer") from error
    except httpx.TransportError as error:
        raise _Interrupted("the connection was cut") from error


def _first_byte(response: httpx.Response) -> int:
    """Return the offset in the file of the first byte of the body."""
    if response.status_code != 206:
        return 0
    unit, _, span = response.headers.get("Content-Range", "").partition(" ")
    first = span.partition("-")[0]
    if unit != "bytes" or not first.isdigit():
        raise SourceFailed("the server sends a part of the file without saying which")
    return int(first)


def _retry_after(response: httpx.Response, now: datetime) -> float | None:
    """Return the seconds that Retry-After asks for, given as a number or as a date; None when there is no such wish."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isdigit():
        return float(value)
    try:
        until: datetime = parsedate_to_datetime(value)
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None
