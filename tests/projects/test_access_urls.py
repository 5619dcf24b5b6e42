"""Tests that no address of the projects app answers a stranger; a new address is tested here without being listed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from projects.intake.service import add_file
from projects.models import Conversation, Document, Project, Turn
from projects.urls import urlpatterns
from study.models import StudyTask

pytestmark = pytest.mark.django_db

ROUTES: dict[str, str] = {str(route.name): str(route.pattern) for route in urlpatterns}
FOR_EVERYBODY = {"list", "create", "engine", "activity", "pause-all", "resume-all"}
"""Addresses that name no object: they show each account what is its own."""
KINDS = {
    "projects": Project,
    "documents": Document,
    "conversations": Conversation,
    "turns": Turn,
    "tasks": StudyTask,
}
WITHIN = {"page": 1, "field": "type"}
"""Parts of an address that name something within the object."""

about_objects = pytest.mark.parametrize("name", sorted(set(ROUTES) - FOR_EVERYBODY))
METHODS: list[Callable[[Client, str], Any]] = [Client.get, Client.post]


@pytest.fixture
def anna() -> User:
    """The owner of one object of each kind."""
    anna = User.objects.create_user("anna")
    project = Project.objects.create(owner=anna, name="Leases")
    add_file(project, "lease.pdf", [b"%PDF-1.7"])
    Document.objects.update(media_type="application/pdf")
    Turn.objects.create(conversation=Conversation.objects.create(project=project), question="Who?")
    StudyTask.objects.create(kind=StudyTask.Kind.DOCUMENT, project=project, document=project.documents.get())
    return anna


def _address(name: str) -> str:
    """Return the address of a route for the one object of the kind it is about."""
    pattern = ROUTES[name]
    arguments: dict[str, Any] = {}
    if "<int:pk>" in pattern:
        arguments["pk"] = KINDS[pattern.split("/")[0]]._default_manager.get().pk
    if "<int:conversation_id>" in pattern:
        arguments["conversation_id"] = Conversation.objects.get().pk
    arguments |= {part: value for part, value in WITHIN.items() if f":{part}>" in pattern}
    return reverse(f"projects:{name}", kwargs=arguments)


def _statuses(user: User | None, address: str) -> set[int]:
    client = Client()
    if user:
        client.force_login(user)
    return {method(client, address).status_code for method in METHODS}


def test_addresses_for_everybody_name_no_object() -> None:
    assert all("<" not in ROUTES[name] for name in FOR_EVERYBODY)


@about_objects
@pytest.mark.parametrize("superuser", [False, True])
def test_stranger_finds_nothing(name: str, superuser: bool, anna: User) -> None:
    stranger = User.objects.create_user("otto", is_superuser=superuser, is_staff=superuser)
    statuses = _statuses(stranger, _address(name))
    assert 404 in statuses
    assert statuses <= {404, 405}


@about_objects
def test_owner_finds_it(name: str, anna: User) -> None:
    client = Client()
    client.force_login(anna)
    # 286: here it is, and there is nothing to wait for. 422: the page of a damaged file cannot be drawn.
    assert client.get(_address(name)).status_code in (200, 286, 302, 405, 422)


@pytest.mark.parametrize("name", sorted(ROUTES))
def test_visitor_is_sent_to_sign_in(name: str, anna: User) -> None:
    address = _address(name)
    for method in METHODS:
        reply = method(Client(), address)
        assert reply.status_code == 302
        assert reply["Location"].startswith(reverse("sign-in"))


def test_conversation_of_another_project_is_not_found_in_ones_own(anna: User) -> None:
    otto = User.objects.create_user("otto")
    own = Project.objects.create(owner=otto, name="Mine")
    address = reverse("projects:conversation", kwargs={"pk": own.pk, "conversation_id": Conversation.objects.get().pk})
    assert _statuses(otto, address) <= {404, 405}
