"""Tests that every page and action refuses strangers, visitors who did not sign in, and the wrong method."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient, Client
from django.urls import reverse
from django.urls.resolvers import URLPattern

from projects import urls
from projects.models import Turn
from study.models import StudyTask
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db(transaction=True)

OPEN_TO_ALL = {"list", "create", "engine", "activity", "pause-all", "resume-all"}
DOCUMENT_ACTIONS = {f"document-{action}" for action in ("cancel", "password", "replace", "retry")}
PASSPORT_ACTIONS = {f"passport-{action}" for action in ("add", "correct", "remove", "reset")}
STUDY_ACTIONS = {"pause-all", "resume-all", "pause", "resume", "task-first", "task-cancel", "task-retry"}
OTHER_ACTIONS = {"create", "upload", "ask", "rename", "meaning", "again", "deeper", "afresh", "regenerate", "stop"}
POST_ONLY = OTHER_ACTIONS | DOCUMENT_ACTIONS | PASSPORT_ACTIONS | STUDY_ACTIONS
NAMES = sorted(str(pattern.name) for pattern in urls.urlpatterns if isinstance(pattern, URLPattern))


@pytest.fixture
def ids() -> dict[str, list[Any]]:
    """The arguments of each route, for objects of the user 'ada'."""
    project = make_project()
    document = add_read(project, "lease.txt", "The rent is 900.")
    conversation = project.conversations.create()
    turn = Turn.objects.create(conversation=conversation, question="What is the rent?", state=Turn.State.DONE)
    task, _ = StudyTask.objects.get_or_create(kind=StudyTask.Kind.DOCUMENT, project=project, document=document)
    by_prefix = {
        "task-": task.pk,
        "document-": document.pk,
        "passport-": document.pk,
        "again": turn.pk,
        "deeper": turn.pk,
        "afresh": turn.pk,
        "regenerate": turn.pk,
        "edit": turn.pk,
        "earlier": turn.pk,
        "offer": turn.pk,
        "stop": turn.pk,
    }
    arguments: dict[str, list[Any]] = {}
    for name in NAMES:
        pk = next((value for prefix, value in by_prefix.items() if name.startswith(prefix)), project.pk)
        arguments[name] = [] if name in OPEN_TO_ALL else [pk]
        if name.startswith("passport-") and name != "passport-add":
            arguments[name].append("type")
    arguments["document"] = arguments["source"] = [document.pk]
    arguments["page-picture"] = [document.pk, 1]
    arguments["conversation"] = [project.pk, conversation.pk]
    return arguments


@pytest.mark.parametrize("name", sorted(set(NAMES) - OPEN_TO_ALL))
async def test_a_stranger_finds_nothing(name: str, ids: dict[str, list[Any]], async_client: AsyncClient) -> None:
    await async_client.aforce_login(await User.objects.acreate(username="mallory"))
    url = reverse(f"projects:{name}", args=ids[name])
    call = async_client.post if name in POST_ONLY else async_client.get
    assert (await call(url)).status_code == 404


@pytest.mark.parametrize("name", sorted(POST_ONLY))
async def test_actions_do_not_happen_on_get(name: str, ids: dict[str, list[Any]], async_client: AsyncClient) -> None:
    await async_client.aforce_login(await User.objects.aget(username="ada"))
    assert (await async_client.get(reverse(f"projects:{name}", args=ids[name]))).status_code == 405


@pytest.mark.parametrize("name", NAMES)
def test_from_elsewhere_nobody_gets_in_without_signing_in(name: str, ids: dict[str, list[Any]]) -> None:
    visitor = Client(REMOTE_ADDR="192.0.2.7")
    url = reverse(f"projects:{name}", args=ids[name])
    response = visitor.post(url) if name in POST_ONLY else visitor.get(url)
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("sign-in"))


@pytest.mark.parametrize("name", sorted(POST_ONLY | {"delete", "document-delete"}))
def test_a_post_without_its_token_is_refused(name: str, ids: dict[str, list[Any]]) -> None:
    page = Client(enforce_csrf_checks=True)
    page.force_login(User.objects.get(username="ada"))
    response = page.post(reverse(f"projects:{name}", args=ids[name]))
    assert response.status_code == 403
    assert "The form was too old" in response.content.decode()


def test_a_conversation_is_found_only_on_its_own_desk(ids: dict[str, list[Any]], client: Client) -> None:
    client.force_login(User.objects.get(username="ada"))
    other = make_project("Other")
    assert client.get(reverse("projects:conversation", args=[other.pk, ids["conversation"][1]])).status_code == 404
