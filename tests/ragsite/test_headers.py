"""Tests of the pages as a browser sees them: a strict policy on each, and nothing in them that it would block."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from projects.models import Conversation, Document, Project, Turn
from projects.owner import local_owner

pytestmark = pytest.mark.django_db

HERE = {"host": "localhost:8642"}
TEMPLATES = sorted((Path(__file__).resolve().parents[2] / "templates").rglob("*.html"))
POLICY = {
    "default-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
}

INLINE = re.compile(
    r"""<style\b | \sstyle\s*= | \son[a-z]+\s*= | \shx-on | javascript: |
        <script\b (?![^>]*\ssrc=) (?![^>]*type="(?:application/json|text/template)")""",
    re.VERBOSE | re.IGNORECASE,
)
"""What the policy blocks. A script of a data type is never run, so it is not blocked either."""


@pytest.mark.parametrize(
    "harmful",
    [
        "<p style='x'>",
        "<a onclick='x'>",
        "<script>x()</script>",
        "<style>",
        '<a href="javascript:x">',
        '<i hx-on:click="">',
    ],
)
def test_inline_code_would_be_noticed(harmful: str) -> None:
    assert INLINE.search(harmful)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_template_has_no_inline_code(template: Path) -> None:
    assert not INLINE.search(template.read_text())


@pytest.fixture
def pages() -> list[str]:
    """Every kind of page with something on it."""
    project = Project.objects.create(owner=local_owner(), name="Leases")
    document = Document.objects.create(
        project=project, sha256="0" * 64, name="<b>lease</b>.pdf", size=1, state=Document.State.READY, pages=1
    )
    conversation = Conversation.objects.create(project=project, title="Rent")
    turn = Turn.objects.create(
        conversation=conversation, question="<script>x()</script>", answer="**900**", state="done"
    )
    return [
        reverse("projects:list"),
        reverse("projects:desk", args=[project.pk]),
        reverse("projects:settings", args=[project.pk]),
        reverse("projects:conversation", args=[project.pk, conversation.pk]),
        reverse("projects:document", args=[document.pk]),
        reverse("projects:source", args=[document.pk]),
        reverse("projects:activity"),
        f"{reverse('projects:search', args=[project.pk])}?q=rent",
        reverse("projects:document-delete", args=[document.pk]),
        reverse("projects:delete", args=[project.pk]),
        reverse("admin:index"),
        reverse("admin:projects_turn_change", args=[turn.pk]),
        reverse("admin:projects_document_change", args=[document.pk]),
        reverse("admin:projects_project_add"),
        reverse("admin:auth_user_change", args=[local_owner().pk]),
        *(
            reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
            for model in admin.site._registry
        ),
    ]


def test_pages_carry_the_policy_and_nothing_that_it_blocks(pages: list[str]) -> None:
    client = Client(headers=HERE)
    for page in pages:
        reply = client.get(page)
        text = reply.content.decode()
        assert reply.status_code in (200, 405), page
        assert set(reply["Content-Security-Policy"].split("; ")) == POLICY, page
        assert not INLINE.search(text), (page, INLINE.search(text))


@pytest.mark.parametrize("name", ["sign-in", "admin:login"])
def test_sign_in_pages_carry_it_too(name: str, settings: Settings) -> None:
    settings.OPENS_AS_OWNER = False
    reply = Client(headers=HERE).get(reverse(name))
    assert reply.status_code == 200
    assert set(reply["Content-Security-Policy"].split("; ")) == POLICY
    assert not INLINE.search(reply.content.decode())


def test_error_pages_carry_it_too() -> None:
    reply = Client(headers=HERE).get("/no/such/page/")
    assert reply.status_code == 404
    assert set(reply["Content-Security-Policy"].split("; ")) == POLICY


def test_pages_are_neither_framed_nor_guessed_at() -> None:
    reply = Client(headers=HERE).get(reverse("projects:list"))
    assert reply["X-Frame-Options"] == "DENY"
    assert reply["X-Content-Type-Options"] == "nosniff"
    assert reply["Referrer-Policy"] == "same-origin"


def test_session_cookie_is_kept_from_scripts_and_other_sites(settings: Settings) -> None:
    settings.OPENS_AS_OWNER = False
    User.objects.create_user("anna", password="correct horse battery")
    client = Client(headers=HERE)
    client.post(reverse("sign-in"), {"username": "anna", "password": "correct horse battery"})
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
