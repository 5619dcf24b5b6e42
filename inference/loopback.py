"""Whether an address stands for this machine alone."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Tell whether what is bound or sent to `host` stays on this machine.

    A name other than `localhost` counts as not loopback: what it resolves to may change.
    """
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped.is_loopback  # ::ffff:127.0.0.1, an IPv4 caller on a socket for both
    return address.is_loopback
