"""What pip's output says about the network; standard library only: setup reads it before anything is installed."""

from __future__ import annotations

NO_NETWORK = (
    "ConnectTimeoutError",
    "NameResolutionError",
    "Name or service not known",
    "Network is unreachable",
    "NewConnectionError",
    "ProxyError",
    "Temporary failure in name resolution",
)


def says_no_network(output: str) -> bool:
    """Tell whether pip could not reach its package index; a retry that worked in the end leaves the same words."""
    return any(sign in output for sign in NO_NETWORK)
