"""Tests of what addresses and headers say about a caller."""

from __future__ import annotations

import pytest

from inference.loopback import is_loopback
from ragsite.network import PROXY_HEADERS, allowed_hosts, is_local_call, is_same_origin


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost", "::ffff:127.0.0.1"])
def test_loopback_addresses_are_recognised(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["", "0.0.0.0", "::", "192.168.1.5", "8.8.8.8", "::ffff:8.8.8.8", "localhost.example", "anna-laptop"]
)
def test_everything_else_counts_as_reachable_from_outside(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("host", "added"),
    [
        ("127.0.0.1", []),
        ("::1", []),
        ("0.0.0.0", []),
        ("::", []),
        ("192.168.1.5", ["192.168.1.5"]),
        ("fd00::5", ["[fd00::5]"]),
    ],
)
def test_only_local_names_and_the_bound_address_are_answered(host: str, added: list[str]) -> None:
    assert allowed_hosts(host, []) == ["localhost", "127.0.0.1", "[::1]", *added]


def test_further_names_are_answered_when_they_are_listed() -> None:
    assert allowed_hosts("127.0.0.1", ["docs.example"])[-1] == "docs.example"


@pytest.mark.parametrize("host", ["localhost", "localhost:8642", "LOCALHOST:8642", "127.0.0.1:8642", "[::1]:8642"])
def test_call_from_this_machine_to_a_local_name_is_local(host: str) -> None:
    assert is_local_call("127.0.0.1", {"host": host})


def test_call_from_another_machine_is_not_local() -> None:
    assert not is_local_call("192.168.1.5", {"host": "localhost:8642"})


def test_call_without_a_peer_is_not_local() -> None:
    assert not is_local_call("", {"host": "localhost:8642"})


@pytest.mark.parametrize("name", PROXY_HEADERS)
@pytest.mark.parametrize("value", ["127.0.0.1", "1.2.3.4", ""])
def test_call_through_a_proxy_is_not_local_whatever_its_header_claims(name: str, value: str) -> None:
    assert not is_local_call("127.0.0.1", {"host": "localhost", name: value})


@pytest.mark.parametrize("host", ["", "docs.example", "localhost.example", "127.0.0.1.example", "localhost:x:y"])
def test_call_to_a_foreign_name_is_not_local(host: str) -> None:
    assert not is_local_call("127.0.0.1", {"host": host})


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("http://localhost:8642", "localhost:8642", True),
        ("http://LOCALHOST:8642", "localhost:8642", True),
        ("http://[::1]:8642", "[::1]:8642", True),
        ("http://localhost:3000", "localhost:8642", False),
        ("http://127.0.0.1:8642", "localhost:8642", False),
        ("https://evil.example", "localhost:8642", False),
        ("null", "localhost:8642", False),
        ("", "localhost:8642", False),
        ("", "", False),
        ("null", "", False),
        ("https://docs.example", "127.0.0.1:8642", True),
        ("http://docs.example", "127.0.0.1:8642", False),
    ],
)
def test_websocket_is_opened_by_pages_of_the_same_site_alone(origin: str, host: str, same: bool) -> None:
    assert is_same_origin(origin, host, trusted=["https://docs.example"]) is same
