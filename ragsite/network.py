"""What an address to bind to means for who may call: loopback or not, and which host names are answered."""

from __future__ import annotations

import ipaddress

LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Tell whether binding to `host` keeps the server reachable from this machine alone.

    A name other than `localhost` counts as not loopback: what it resolves to may change.
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def allowed_hosts(host: str, extra: str) -> list[str]:
    """Return the Host headers that are answered: local names, the bound address and a comma-separated list."""
    wildcard = host in ("0.0.0.0", "::", "")  # noqa: S104 - compared, never bound here
    bound = [] if wildcard or host in LOCAL_NAMES else [host]
    return [*LOCAL_NAMES, *bound, *(name.strip() for name in extra.split(",") if name.strip())]
