"""Tests of the admin: open to the owner without a password, a page for every kind of row, few queries."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection, models
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from inference.models import Download, ModelChoice
from projects.intake.service import add_file
from projects.intake.store import path_of
from projects.models import Chunk, Citation, Conversation, Document, DocumentName, Project, Section, Turn
from projects.owner import local_owner

pytestmark = pytest.mark.django_db

OUR_APPS = ("projects", "study", "inference", "django_q")
REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)


@pytest.fixture
def local() -> Client:
    """A browser on this machine that has never signed in."""
    return Client(headers={"host": "localhost:8642"})


def _fill(owner: User, count: int) -> None:
    """Make `count` projects, each with one row of every kind in it."""
    ModelChoice.choose("smollm2-135m")
    Download.objects.get_or_create(file="own.gguf", kind=Download.Kind.ADDRESS)
    for number in range(count):
        project = Project.objects.create(owner=owner, name=f"Project {owner.pk} {number}")
        document = Document.objects.create(project=project, sha256=f"{number:064}", name="lease.pdf", size=10)
        DocumentName.objects.create(document=document, name="lease.pdf")
        section = Section.objects.create(document=document, ordinal=0, heading=["Rent"], text="The rent is 900.")
        chunk = Chunk.objects.create(
            document=document, section=section, ordinal=0, start=0, text="The rent is 900.", content_key="k"
        )
        turn = Turn.objects.create(conversation=Conversation.objects.create(project=project), question="How much?")
        Citation.objects.create(turn=turn, number=1, document=document, chunk=chunk, quote="The rent is 900.")


@pytest.fixture
def filled() -> None:
    _fill(User.objects.create_user("anna"), 2)


def _url(model: type[models.Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def test_every_model_of_ours_has_a_page() -> None:
    ours = {model for label in OUR_APPS for model in apps.get_app_config(label).get_models()}
    # The parent of Success and Failure, which have the pages.
    ours = {model for model in ours if model._meta.label != "django_q.Task"}
    assert ours <= set(REGISTERED)


def test_admin_opens_for_the_owner_without_a_password(local: Client) -> None:
    assert local.get(reverse("admin:index")).status_code == 200


@pytest.mark.parametrize("model", REGISTERED, ids=lambda model: model._meta.label)
def test_list_and_search_open(model: type[models.Model], local: Client, filled: None) -> None:
    for query in ("", "?q=rent"):
        assert local.get(_url(model, "changelist") + query).status_code == 200


@pytest.mark.parametrize("model", REGISTERED, ids=lambda model: model._meta.label)
def test_each_row_opens(model: type[models.Model], local: Client, filled: None) -> None:
    for row in model._default_manager.all()[:1]:
        assert local.get(_url(model, "change", row.pk)).status_code == 200


@pytest.mark.parametrize("model", REGISTERED, ids=lambda model: model._meta.label)
def test_a_row_can_be_added_where_that_makes_sense(model: type[models.Model], local: Client) -> None:
    status = local.get(_url(model, "add")).status_code
    offered = _url(model, "add") in local.get(_url(model, "changelist")).content.decode()
    assert status == (200 if offered else 403)


@pytest.mark.parametrize("model", [Document, DocumentName, Section, Chunk, Turn, Citation])
def test_what_intake_and_answering_make_is_not_added_by_hand(model: type[models.Model], local: Client) -> None:
    assert local.get(_url(model, "add")).status_code == 403


@pytest.mark.parametrize(
    "model", [Project, Document, DocumentName, Section, Chunk, Conversation, Turn, Citation], ids=lambda m: m.__name__
)
def test_longer_list_takes_no_more_queries(model: type[models.Model], local: Client) -> None:
    local_owner()
    counts = []
    for name, rows in (("anna", 1), ("otto", 5)):
        _fill(User.objects.create_user(name), rows)
        with CaptureQueriesContext(connection) as queries:
            local.get(_url(model, "changelist"))
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(("model", "field"), [(Turn, "question"), (Turn, "prompt"), (Chunk, "text"), (Section, "text")])
def test_texts_are_shown_and_not_edited(model: type[models.Model], field: str, local: Client, filled: None) -> None:
    row = model._default_manager.all()[0]
    page = local.get(_url(model, "change", row.pk)).content.decode()
    assert f"field-{field}" in page
    assert f'name="{field}"' not in page


def test_stranger_with_an_account_does_not_get_in(client: Client) -> None:
    client.force_login(User.objects.create_user("otto"))
    assert client.get(reverse("admin:index")).status_code == 302


@pytest.mark.parametrize("model", [User, Project, Document])
@pytest.mark.parametrize("by_list", [True, False])
def test_deleting_in_the_admin_leaves_no_file_behind(local: Client, model: type[models.Model], by_list: bool) -> None:
    project = Project.objects.create(owner=User.objects.create_user("anna"), name="Flat")
    document = Document.objects.get(pk=add_file(project, "lease.txt", [b"The rent is 900."]).document_id)
    row = {User: project.owner, Project: project, Document: document}[model]
    if by_list:
        action = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
        local.post(_url(model, "changelist"), action)
    else:
        local.post(_url(model, "delete", row.pk), {"post": "yes"})
    assert not Document.objects.exists()
    assert not path_of(document.sha256).exists()
