"""The menu of ways beside the field: what each would cost now, by what was measured and what is remembered."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from inference.contracts import EngineState
from inference.fake import FakeEngine
from inference.gateway import health
from projects.answering.outlook import Offer, offers
from projects.answering.pipeline import answer
from projects.answering.router import Lane
from projects.models import Conversation, Document, Project, Turn
from projects.presentation.ways import options, options_with
from study.service import document_changed
from tests.projects.factories import add_read, make_project
from tests.study.factories import a_reader

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(fake_inference: FakeEngine) -> Project:
    project = make_project()
    document_changed(add_read(project, "lease.txt", "Lease of Anna Weber. The rent is 900 euros. " * 40).pk)
    return project


def answered(project: Project, lane: str = "passages", **figures: object) -> Turn:
    """Store an answer of a machine that reads 100 and writes 20 tokens a second."""
    conversation = Conversation.objects.create(project=project)
    usual = {"prompt_tokens": 1000, "read_tokens": 1000, "read_ms": 10_000, "answer_tokens": 41, "decode_ms": 2_000}
    done = {"state": Turn.State.DONE, "lane": lane, "model": "fake-model", "total_s": 12.5, "answer": "900."}
    return Turn.objects.create(conversation=conversation, question="?", **{**done, **usual, **figures})


def offered(project: Project) -> dict[Lane, Offer]:
    return {offer.lane: offer for offer in offers(project.pk, health())}


def test_nothing_is_foretold_before_anything_is_measured(project: Project, fake_inference: FakeEngine) -> None:
    fake_inference.state = EngineState.LOADING
    ways = offered(project)
    assert {offer.seconds for offer in ways.values()} == {None}
    assert [option.label for option in options_with(list(ways.values()))] == [
        "automatic",
        "from what was learned (nothing yet)",
        "from passages (not measured yet)",
        "read it properly (not measured yet)",
    ]


def test_passages_cost_what_they_have_cost(project: Project) -> None:
    answered(project)
    seconds = offered(project)[Lane.PASSAGES].seconds
    assert seconds == pytest.approx(12.5, abs=0.1)


def test_what_was_cached_or_answered_by_another_model_teaches_nothing(project: Project) -> None:
    before = offered(project)[Lane.PASSAGES].seconds
    answered(project, model="another", total_s=500.0, read_ms=400_000)
    answered(project, from_cache=True, total_s=500.0, read_ms=400_000)
    assert offered(project)[Lane.PASSAGES].seconds == before


def test_what_is_remembered_makes_reading_properly_cheap(project: Project, fake_inference: FakeEngine) -> None:
    answered(project)
    before = offered(project)
    assert not before[Lane.DIGEST].possible
    fake_inference.default = "A lease of Anna Weber."
    a_reader().run()
    after = offered(project)
    assert after[Lane.DIGEST].possible
    assert (after[Lane.DEEP].seconds or 0) < (before[Lane.DEEP].seconds or 0)


def test_without_documents_there_is_nothing_to_be_read(project: Project) -> None:
    Document.objects.all().delete()
    assert not offered(project)[Lane.DEEP].possible


def test_the_menu_keeps_what_was_chosen_when_the_costs_come(project: Project, client: Client) -> None:
    client.force_login(project.owner)
    answered(project, total_s=12.9)
    html = client.get(reverse("projects:ways", args=[project.pk]), {"lane": "deep"}).content.decode()
    assert '<option value="deep" selected>read it properly ≈' in html
    assert '<option value="passages">from passages ≈ 13 s</option>' in html
    assert '<option value="digest" disabled>' in html


def test_the_desk_has_the_menu_without_asking_the_model(project: Project, client: Client) -> None:
    client.force_login(project.owner)
    html = client.get(reverse("projects:desk", args=[project.pk])).content.decode()
    for option in options():
        assert f">{option.label}</option>" in html


async def test_a_turn_is_stored_with_what_it_is_expected_to_take(project: Project, fake_inference: FakeEngine) -> None:
    conversation = await Conversation.objects.acreate(project=project)
    turn = await Turn.objects.acreate(conversation=conversation, question="What is the rent of Anna Weber?")
    async for _ in answer(turn.pk):
        pass
    await turn.arefresh_from_db()
    assert turn.predicted_s is not None
    assert 0 < turn.predicted_s < 5  # the service of the tests says that it reads 1,000 tokens a second
