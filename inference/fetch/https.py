"""Model files over HTTP: one transfer at a time, from any offset, with what the server says about the file."""

from __future__ import annotations

import base64
import os
import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from inference.catalogue import HubFile
from inference.fetch.delivery import Delivery, Held
from inference.fetch.errors import Changed, ComeLater, Interrupted, SourceFailed
from inference.fetch.meter import Meter

if TYPE_CHECKING:
    import httpx

DEFAULT_ENDPOINT = "https://huggingface.co"
READ_TIMEOUT_S = 20.0
"""Silence after which a transfer counts as interrupted; a cancelled one is noticed no later."""
CONNECT_TIMEOUT_S = 10.0
LATER = {429: "rate-limited", 503: "the server is busy"}
"""Answers that mean 'come back later'; with Retry-After they say when."""
HASTY = (408, 425)
"""Further answers after which another attempt may work, beside all of 500 and more."""
SETTLED_S = 60.0
"""Age from which on the time of a change tells two states of a file apart."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


def endpoint() -> str:
    """Return the hub that models come from: HF_ENDPOINT, or the public one."""
    return (os.environ.get("HF_ENDPOINT") or DEFAULT_ENDPOINT).rstrip("/")


def hub_source(origin: HubFile, file: str) -> WebSource:
    """Return the source of a file in a model repository."""
    return WebSource(f"{endpoint()}/{origin.repository}/resolve/{origin.revision}/{file}")


def same_origin(one: str, other: str) -> bool:
    """Tell whether two addresses are of the same server."""
    left, right = urlsplit(one), urlsplit(other)
    return (left.scheme, left.netloc) == (right.scheme, right.netloc)


class WebSource:
    """Reads a file from an address; the key in HF_TOKEN goes to the hub alone."""

    extra_bytes = 0

    def __init__(self, address: str, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.address = address
        self.name = urlsplit(address).netloc
        self._now = now
        self._at_hub = same_origin(address, endpoint())

    @contextmanager
    def deliver(self, held: Held, _meter: Meter, /) -> Iterator[Delivery]:
        """Open a transfer of what is missing; see `Source`."""
        import httpx

        timeout = httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        with (
            _named_failures(),
            httpx.Client(follow_redirects=True, timeout=timeout, verify=_tls()) as client,
            client.stream("GET", self.address, headers=self._headers(held)) as response,
        ):
            self._check(response)
            start, total = _span(response)
            # As they come: a fixed block size would hold bytes back, and lose them when the connection is cut.
            yield Delivery(start, response.iter_raw(), total, _mark(response), _announced(response))

    def _headers(self, held: Held) -> dict[str, str]:
        # Model files do not shrink by compression, and an encoded body would make Range count other bytes than ours.
        headers = {"Accept-Encoding": "identity"}
        if held.bytes:
            headers["Range"] = f"bytes={held.bytes}-"
        if held.bytes and held.mark:
            headers["If-Range"] = held.mark
        if (token := os.environ.get("HF_TOKEN", "")) and self._at_hub:
            headers["Authorization"] = f"Bearer {token}"
        return headers

    def _check(self, response: httpx.Response) -> None:
        status = response.status_code
        if status in LATER:
            raise ComeLater(LATER[status], _retry_after(response, self._now()))
        if status in (401, 403):
            hint = ": set HF_TOKEN" if self._at_hub else ""
            raise SourceFailed(f"the file needs a key with access to it{hint}")
        if status in (404, 410):
            raise SourceFailed("the file is not there")
        if status == 416:
            raise Changed
        if status >= 500 or status in HASTY:
            raise Interrupted(f"the server answers {status}")
        if status not in (200, 206):
            raise SourceFailed(f"the server answers {status}")
        if response.url.scheme != "https" and self.address.startswith("https:"):
            raise SourceFailed("the server sends on to an address without encryption")
        if (coding := response.headers.get("Content-Encoding", "identity")) != "identity":
            raise SourceFailed(f"the server sends the file in another form ({coding})")


@cache
def _tls() -> ssl.SSLContext:
    """Return what certificates are checked against: reading them takes longer than a transfer that is cut at once."""
    import httpx

    return httpx.create_ssl_context()


@contextmanager
def _named_failures() -> Iterator[None]:
    import httpx

    try:
        yield
    except httpx.ConnectError as error:
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            raise SourceFailed("the server's certificate is not trusted by this machine") from error
        raise Interrupted("the server cannot be reached") from error
    except httpx.TimeoutException as error:
        raise Interrupted("the server does not answer") from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.TooManyRedirects) as error:
        raise SourceFailed("the address, or one that it sends on to, cannot be used") from error
    except httpx.TransportError as error:
        raise Interrupted("the connection was cut") from error


def _span(response: httpx.Response) -> tuple[int, int]:
    """Return the offset in the file of the first byte of the body, and the size of the file, 0 when it is not said."""
    if response.status_code != 206:
        # A server that does not know Range sends the file from its beginning.
        length = response.headers.get("Content-Length", "")
        return 0, int(length) if length.isdigit() else 0
    found = re.fullmatch(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)", response.headers.get("Content-Range", "").strip())
    if not found:
        raise SourceFailed("the server sends a part of the file without saying which")
    return int(found[1]), 0 if found[2] == "*" else int(found[2])


def _mark(response: httpx.Response) -> str:
    """Return what If-Range may name: a strong entity tag, else the time of the last change.

    A time counts only when it was a while ago: in the same second a file may change once more (RFC 9110, 8.8.2.2).
    """
    headers = response.headers
    tag: str = headers.get("ETag", "")
    if tag.startswith('"'):
        return tag
    changed: str = headers.get("Last-Modified", "")
    try:
        age = parsedate_to_datetime(headers.get("Date", "")) - parsedate_to_datetime(changed)
    except (TypeError, ValueError):
        return ""
    return changed if age.total_seconds() >= SETTLED_S else ""


def _announced(response: httpx.Response) -> str:
    """Return the SHA-256 of the whole file that the server, or one that sent on to it, names in a header."""
    for answer in (*response.history, response):
        headers = answer.headers
        for name in ("X-Linked-ETag", "X-Checksum-SHA256"):
            if found := _SHA256.fullmatch(headers.get(name, "").strip('" ').lower()):
                return found[0]
        for name in ("Repr-Digest", "Digest"):
            if found := re.search(r"(?:^|[, ])sha-256=:?([A-Za-z0-9+/]{43}=)", headers.get(name, ""), re.IGNORECASE):
                return base64.b64decode(found[1]).hex()
    return ""


def _retry_after(response: httpx.Response, now: datetime) -> float | None:
    """Return the seconds that Retry-After asks for, given as a number or as a date; None when there is no such wish."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until: datetime = parsedate_to_datetime(value)
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None
