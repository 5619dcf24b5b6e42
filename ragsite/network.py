"""What addresses and headers say about who calls: loopback or not, a name of ours or not, local or passed on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from django.http.request import split_domain_port

from inference.loopback import is_loopback

LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::", "")  # noqa: S104 - compared, never bound here

PROXY_HEADERS = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
"""Traces of a proxy. They are never believed; that they are there is enough not to take the caller for the owner."""


def allowed_hosts(host: str, extra: Sequence[str]) -> list[str]:
    """Return the Host headers that are answered: local names, the bound address and the names in `extra`."""
    bare = host.strip("[]")
    bound = f"[{bare}]" if ":" in bare else bare
    return [*LOCAL_NAMES, *([] if bare in ANY_ADDRESS or bound in LOCAL_NAMES else [bound]), *extra]


def is_local_call(peer: str, headers: Mapping[str, str]) -> bool:
    """Tell whether a call was made by a program on this machine to this machine, and through nobody.

    `peer` is the address at the other end of the connection, `headers` have lower-case names. That it is loopback
    proves nothing by itself: a proxy on this machine passes on calls from anywhere. Those show by a proxy's header, or
    by a Host that is not a local name.
    """
    domain, _ = split_domain_port(headers.get("host", ""))
    return is_loopback(peer) and domain in LOCAL_NAMES and not any(name in headers for name in PROXY_HEADERS)


def is_same_origin(origin: str, host: str, trusted: Sequence[str]) -> bool:
    """Tell whether a page from `origin` may open a websocket to `host` (a Host header): its own site, to the port.

    `trusted` are origins behind which this site is known to stand, such as that of a proxy that ends TLS.
    """
    return bool(origin) and (urlsplit(origin).netloc.lower() == host.lower() != "" or origin in trusted)
