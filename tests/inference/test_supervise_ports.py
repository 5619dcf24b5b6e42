"""Tests of finding out whether a port is free."""

from __future__ import annotations

import socket

import pytest

from inference.supervise.ports import PortState, free_port, probe, reachable_host


def test_port_with_a_listener_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert probe("127.0.0.1", server.getsockname()[1]) is PortState.TAKEN


def test_listener_on_all_addresses_is_not_shadowed() -> None:
    with socket.create_server(("", 0)) as server:
        assert probe("127.0.0.1", server.getsockname()[1]) is PortState.TAKEN


def test_port_with_lingering_connections_is_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        client = socket.create_connection(("127.0.0.1", port))
        accepted, _ = server.accept()
    # The side that closes first keeps the connection in TIME_WAIT.
    accepted.close()
    client.close()
    assert probe("127.0.0.1", port) is PortState.FREE


def test_foreign_address_is_named_as_the_cause() -> None:
    assert probe("192.0.2.1", 8642) is PortState.NO_SUCH_ADDRESS


def test_preferred_port_is_kept_while_it_is_free() -> None:
    port = free_port("127.0.0.1")
    assert free_port("127.0.0.1", port) == port


def test_another_port_is_found_when_the_preferred_one_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        assert free_port("127.0.0.1", taken) != taken


@pytest.mark.parametrize(
    ("bound", "reached"),
    [("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("[::1]", "::1"), ("127.0.0.1", "127.0.0.1"), ("10.0.0.7", "10.0.0.7")],
)
def test_wildcard_addresses_are_reached_through_loopback(bound: str, reached: str) -> None:
    assert reachable_host(bound) == reached
