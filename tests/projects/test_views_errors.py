"""Tests of the pages for what went wrong: they say what to do, and the last one works when nothing else does."""

from __future__ import annotations

import pytest
from django.http import HttpRequest
from django.test import Client
from django.views.defaults import permission_denied, server_error

from projects.views import projects
from tests.projects.factories import make_project


@pytest.mark.django_db
def test_a_page_that_is_not_there_leads_back(client: Client) -> None:
    client.force_login(make_project().owner)
    response = client.get("/projects/999/")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


@pytest.mark.django_db
def test_a_fault_is_a_page_and_not_a_trace(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(request: HttpRequest) -> None:
        raise RuntimeError("the inside of it")

    monkeypatch.setattr(projects, "_with_counts", fault)
    client.force_login(make_project().owner)
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500
    assert "Something broke" in response.content.decode()
    assert "the inside of it" not in response.content.decode()


def test_the_page_for_a_fault_needs_no_database() -> None:
    # Without the django_db mark any query would fail this test.
    assert "Something broke" in server_error(HttpRequest()).content.decode()


def test_what_needs_more_rights_says_so() -> None:
    html = permission_denied(HttpRequest(), PermissionError()).content.decode()
    assert "needs rights that your account does not have" in html
