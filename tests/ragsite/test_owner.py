"""Tests of who is let in: the owner on this machine without a password, everybody else by signing in."""

from __future__ import annotations

from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db.models.signals import post_save
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from projects.owner import OWNER_NAME, local_owner
from ragsite import asgi
from ragsite.owner import someone_can_sign_in

pytestmark = pytest.mark.django_db

HOME_PAGE = "/admin/"
HERE = {"host": "localhost:8642"}


def test_local_page_opens_as_the_owner() -> None:
    reply = Client(headers=HERE).get(HOME_PAGE)
    assert reply.status_code == 200
    assert reply.context["user"].username == OWNER_NAME


def test_owner_is_one_user_without_a_password() -> None:
    owner = local_owner()
    assert local_owner() == owner
    assert not owner.has_usable_password()
    assert owner.is_superuser


def test_there_is_no_moment_in_which_the_owner_has_a_usable_password() -> None:
    written = []

    def look(instance: User, **_: Any) -> None:
        written.append(instance.has_usable_password())

    post_save.connect(look, sender=User)
    try:
        local_owner()
    finally:
        post_save.disconnect(look, sender=User)
    assert written == [False]


@pytest.mark.parametrize("path", [HOME_PAGE, "/health/", "/static/htmx.min.js"])
def test_calls_without_a_cookie_leave_no_session_behind(path: str) -> None:
    Client(headers=HERE).get(path)
    assert Session.objects.count() == 0


@pytest.mark.parametrize(
    ("headers", "peer"),
    [
        ({"host": "localhost:8642", "x-forwarded-for": "127.0.0.1"}, "127.0.0.1"),
        ({"host": "docs.example"}, "127.0.0.1"),
        ({"host": "localhost:8642"}, "192.168.1.5"),
    ],
)
def test_others_are_asked_to_sign_in(headers: dict[str, str], peer: str, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "docs.example"]
    reply = Client(headers=headers, REMOTE_ADDR=peer).get(reverse("projects:list"))
    assert reply.status_code == 302
    assert reply["Location"].startswith(reverse("sign-in"))


def test_installation_open_to_others_never_implies_the_owner(settings: Settings) -> None:
    settings.OPENS_AS_OWNER = False
    assert Client(headers=HERE).get(reverse("projects:list")).status_code == 302


def test_unknown_host_name_gets_nothing() -> None:
    assert Client(headers={"host": "rebound.example"}).get("/").status_code == 400


def test_account_that_signed_in_stays_itself_on_this_machine() -> None:
    client = Client(headers=HERE)
    client.force_login(User.objects.create_superuser("anna"))
    assert client.get(HOME_PAGE).context["user"].username == "anna"


def test_person_signs_in_and_out_with_a_password(settings: Settings) -> None:
    settings.OPENS_AS_OWNER = False
    User.objects.create_user("anna", password="correct horse battery")
    client = Client(headers=HERE)
    assert client.post(reverse("sign-in"), {"username": "anna", "password": "wrong"}).status_code == 200
    assert client.get(reverse("projects:list")).status_code == 302
    client.post(reverse("sign-in"), {"username": "anna", "password": "correct horse battery"})
    assert client.get(reverse("projects:list")).status_code == 200
    client.post(reverse("sign-out"))
    assert client.get(reverse("projects:list")).status_code == 302


def test_form_without_the_csrf_token_is_refused() -> None:
    reply = Client(enforce_csrf_checks=True, headers=HERE).post(reverse("projects:create"), {"name": "X"})
    assert reply.status_code == 403


def test_only_an_account_with_a_password_can_sign_in() -> None:
    local_owner()
    assert not someone_can_sign_in()
    anna = User.objects.create_user("anna", password="x")
    assert someone_can_sign_in()
    anna.is_active = False
    anna.save()
    assert not someone_can_sign_in()


def test_owner_costs_a_page_one_query_at_most(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    local_owner()
    with django_assert_num_queries(1):
        Client(headers=HERE).get("/no/such/page/")


async def _who_am_i(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": scope["user"].username})


@pytest.fixture
def socket(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Open a websocket through the site's own stack to something that answers with the user's name."""
    stack = asgi.application.application_mapping["websocket"]
    owner_socket = stack.application.application.inner.inner.inner
    monkeypatch.setattr(owner_socket, "application", _who_am_i)

    def open_socket(headers: dict[str, str], peer: str = "127.0.0.1") -> WebsocketCommunicator:
        encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
        communicator = WebsocketCommunicator(stack, "/ws/who/", encoded)
        communicator.scope["client"] = [peer, 50000]
        return communicator

    return open_socket


SAME_SITE = {"host": "localhost:8642", "origin": "http://localhost:8642"}


@pytest.mark.django_db(transaction=True)
async def test_local_websocket_opens_as_the_owner(socket: Any) -> None:
    communicator = socket(SAME_SITE)
    assert (await communicator.connect())[0]
    assert await communicator.receive_from() == OWNER_NAME


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("headers", "peer"), [({**SAME_SITE, "x-forwarded-for": "127.0.0.1"}, "127.0.0.1"), (SAME_SITE, "192.168.1.5")]
)
async def test_websocket_of_others_has_no_user(socket: Any, headers: dict[str, str], peer: str) -> None:
    communicator = socket(headers, peer)
    assert (await communicator.connect())[0]
    assert await communicator.receive_from() == ""


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "localhost:8642"},
        {"host": "localhost:8642", "origin": "https://evil.example"},
        {"host": "localhost:8642", "origin": "http://localhost:3000"},
        {"host": "rebound.example:8642", "origin": "http://rebound.example:8642"},
    ],
)
async def test_websocket_from_another_site_is_refused(socket: Any, headers: dict[str, str]) -> None:
    assert not (await socket(headers).connect())[0]
