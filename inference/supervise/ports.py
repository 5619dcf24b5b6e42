"""Whether a TCP port can be listened on, found out without ever shadowing another program's listener."""

from __future__ import annotations

import errno
import socket
from enum import StrEnum

CONNECT_TIMEOUT_S = 0.5
ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - compared, never bound here


class PortState(StrEnum):
    """What stands in the way of listening on a port."""

    FREE = "free"
    TAKEN = "taken"
    FORBIDDEN = "forbidden"
    NO_SUCH_ADDRESS = "no such address"


def reachable_host(host: str) -> str:
    """Return the address at which this machine itself reaches a server that is bound to `host`."""
    bare = host.strip("[]")
    return ANY_ADDRESS.get(bare, bare)


def probe(host: str, port: int) -> PortState:
    """Find out whether a server could listen on `host` and `port`.

    It binds as the servers do, with SO_REUSEADDR, so that a port on which closed connections linger counts as free.
    On some systems such a bind also succeeds beside a stranger's listener on another address of the machine: the
    connect finds that one.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host.strip("[]") or None, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(address)
    except OSError as error:
        return _cause(error)
    return PortState.TAKEN if _answers(reachable_host(host), port) else PortState.FREE


def free_port(host: str, preferred: int = 0) -> int:
    """Return `preferred` if it is free on `host`, else a port that is."""
    if preferred and probe(host, preferred) is PortState.FREE:
        return preferred
    while True:
        with socket.create_server((host, 0)) as server:
            port = int(server.getsockname()[1])
        if probe(host, port) is PortState.FREE:
            return port


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=CONNECT_TIMEOUT_S) as client:
            # Connecting to a free port from the range of outgoing ports can hit itself.
            return bool(client.getsockname() != client.getpeername())
    except OSError:
        return False


def _cause(error: OSError) -> PortState:
    if isinstance(error, socket.gaierror) or error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
        return PortState.NO_SUCH_ADDRESS
    if error.errno in (errno.EACCES, errno.EPERM):
        return PortState.FORBIDDEN
    return PortState.TAKEN
