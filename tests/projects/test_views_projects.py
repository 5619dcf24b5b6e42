"""Tests of the list of projects and of making, renaming and deleting one."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from projects.models import Document, Project
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("Flat")


@pytest.fixture
def page(project: Project, client: Client) -> Client:
    client.force_login(project.owner)
    return client


def test_a_first_visit_invites_to_make_a_project(client: Client) -> None:
    client.force_login(User.objects.create_user("newcomer"))
    html = client.get(reverse("projects:list")).content.decode()
    assert "No project yet" in html
    assert reverse("projects:create") in html


def test_a_new_project_opens_on_its_desk(page: Client) -> None:
    response = page.post(reverse("projects:create"), {"name": "  Audit   2026 "})
    made = Project.objects.get(name="Audit 2026")
    assert response["Location"] == reverse("projects:desk", args=[made.pk])


@pytest.mark.parametrize(
    ("name", "said"),
    [("", "Give the project a name."), ("Flat", "You have a project with this name already."), ("x" * 201, "200")],
)
def test_a_name_that_cannot_be_taken_says_why(page: Client, name: str, said: str) -> None:
    response = page.post(reverse("projects:create"), {"name": name})
    assert response.status_code == 422
    assert said in response.content.decode()
    assert Project.objects.count() == 1


def test_two_people_may_use_the_same_name(page: Client, client: Client) -> None:
    client.force_login(User.objects.create_user("bea"))
    assert client.post(reverse("projects:create"), {"name": "Flat"}).status_code == 302


def test_the_list_shows_only_ones_own(page: Client) -> None:
    Project.objects.create(owner=User.objects.create_user("bea"), name="Not yours")
    html = page.get(reverse("projects:list")).content.decode()
    assert "Flat" in html
    assert "Not yours" not in html


def test_the_list_says_what_is_being_read_and_what_could_not_be(page: Client, project: Project) -> None:
    for number, state in enumerate([Document.State.READY, Document.State.QUEUED, Document.State.FAILED]):
        Document.objects.create(project=project, sha256=str(number) * 64, name=f"{number}.txt", size=1, state=state)
    html = page.get(reverse("projects:list")).content.decode()
    assert "3 documents" in html
    assert "reading 1" in html
    assert "Last used just now" in html
    assert "1 could not be read" in html


def test_renaming_shows_the_new_name(page: Client, project: Project) -> None:
    response = page.post(reverse("projects:rename", args=[project.pk]), {"name": "House"}, follow=True)
    assert "The project is now called House." in response.content.decode()


def test_a_refused_new_name_leaves_the_old_one(page: Client, project: Project) -> None:
    make_project("House")
    response = page.post(reverse("projects:rename", args=[project.pk]), {"name": "House"})
    assert response.status_code == 422
    assert "Settings · Flat" in response.content.decode()


def test_deleting_asks_first_and_then_leaves_nothing(page: Client, project: Project) -> None:
    add_read(project, "lease.txt", "The rent is 900.")
    url = reverse("projects:delete", args=[project.pk])
    assert "1 document " in page.get(url).content.decode()
    assert Project.objects.filter(pk=project.pk).exists()
    page.post(url)
    assert not Project.objects.filter(pk=project.pk).exists()
    assert not Document.objects.exists()


def test_search_by_meaning_can_be_switched_off_and_on_again(page: Client, project: Project) -> None:
    url = reverse("projects:meaning", args=[project.pk])
    for on, words in (("0", "by words alone"), ("1", "by words and by meaning")):
        html = page.post(url, {"on": on}, follow=True).content.decode()
        assert f"The documents are searched {words}." in html
        project.refresh_from_db()
        assert project.vectors == (on == "1")
