"""Tests of who may see what: the owner does, a stranger gets the answer that a wrong id gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404
from pytest_django import DjangoAssertNumQueries

from projects import access
from projects.models import Conversation, Document, Project, Turn

pytestmark = pytest.mark.django_db

Lookup = Callable[[Any, int], Any]


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("anna")


@pytest.fixture
def objects(owner: User) -> dict[Lookup, Any]:
    """One object of each kind, keyed by the function that looks it up."""
    project = Project.objects.create(owner=owner, name="Leases")
    document = Document.objects.create(project=project, sha256="0" * 64, name="lease.pdf", size=1)
    conversation = Conversation.objects.create(project=project)
    turn = Turn.objects.create(conversation=conversation, question="Who is the landlord?")
    return {
        access.project_for: project,
        access.document_for: document,
        access.conversation_for: conversation,
        access.turn_for: turn,
    }


lookups = pytest.mark.parametrize(
    "lookup", [access.project_for, access.document_for, access.conversation_for, access.turn_for]
)


@lookups
def test_owner_gets_the_object_with_its_project_in_one_query(
    lookup: Lookup,
    owner: User,
    objects: dict[Lookup, Any],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_num_queries(1):
        found = lookup(owner, objects[lookup].pk)
        below = found.conversation if isinstance(found, Turn) else found
        project = below if isinstance(below, Project) else below.project
        assert project.name == "Leases"
    assert found == objects[lookup]


@lookups
@pytest.mark.parametrize("superuser", [False, True])
def test_stranger_cannot_tell_the_object_from_a_missing_one(
    lookup: Lookup, superuser: bool, objects: dict[Lookup, Any]
) -> None:
    stranger = User.objects.create_user("otto", is_superuser=superuser, is_staff=superuser)
    with pytest.raises(Http404) as refused:
        lookup(stranger, objects[lookup].pk)
    with pytest.raises(Http404) as missing:
        lookup(stranger, 10**9)
    assert str(refused.value) == str(missing.value)


@lookups
def test_visitor_without_a_name_sees_nothing(lookup: Lookup, objects: dict[Lookup, Any]) -> None:
    with pytest.raises(Http404):
        lookup(AnonymousUser(), objects[lookup].pk)


def test_list_holds_only_ones_own_projects(owner: User, objects: dict[Lookup, Any]) -> None:
    stranger = User.objects.create_user("otto")
    mine = Project.objects.create(owner=stranger, name="Mine")
    assert list(access.projects_of(stranger)) == [mine]
    assert list(access.projects_of(AnonymousUser())) == []
