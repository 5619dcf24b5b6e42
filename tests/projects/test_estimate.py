"""`manage.py estimate`: what it says questions would cost, and what reading ahead has saved."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from inference.fake import FakeEngine
from projects.models import Conversation, Project, Turn
from projects.savings import Answered, saved_tokens
from study.models import StudyTask
from tests.study.factories import add_document, make_project

pytestmark = pytest.mark.django_db(transaction=True)


def told(*options: str) -> str:
    out = StringIO()
    call_command("estimate", "Papers", *options, stdout=out)
    return out.getvalue()


@pytest.fixture
def project() -> Project:
    """A project with two documents, counted and read."""
    project = make_project()
    for name, tokens in (("a.pdf", 3000), ("b.pdf", 2000)):
        document = add_document(project, name, f"The text of {name}.")
        tasks = StudyTask.objects.filter(document=document)
        tasks.update(tokens=tokens, tokens_total=tokens, tokens_done=tokens, seconds=20.0, state=StudyTask.State.DONE)
    return project


def answered(project: Project, **fields: Any) -> None:
    conversation = Conversation.objects.create(project=project)
    Turn.objects.create(conversation=conversation, question="Why?", answer="So.", state=Turn.State.DONE, **fields)


def test_the_speed_of_the_running_model_counts(project: Project, fake_inference: FakeEngine) -> None:
    fake_inference.window = 8192
    answered(project, lane="deep", prompt_tokens=3100, restored_tokens=2900, reused_tokens=100, read_tokens=100)
    answered(project, lane="digest", from_cache=True)

    assert json.loads(told("--json")) == {
        "corpus_tokens": 5000,
        "prefill_tps": 1000.0,
        "classic_s_per_question": 5.0,
        "paid_in_advance_s": 40.0,
        "saved_s": 8.0,
    }


def test_a_question_cannot_have_more_before_it_than_the_window_takes(
    project: Project, fake_inference: FakeEngine
) -> None:
    fake_inference.window = 4096
    assert json.loads(told("--json"))["classic_s_per_question"] == 4.1


def test_without_a_running_model_earlier_answers_tell_the_speed(project: Project) -> None:
    answered(project, lane="passages", prompt_tokens=1000, read_tokens=1000, read_ms=10_000)
    answered(project, lane="passages", prompt_tokens=1000, read_tokens=20, reused_tokens=980, read_ms=900)

    found = json.loads(told("--json"))

    assert (found["prefill_tps"], found["classic_s_per_question"], found["saved_s"]) == (100.0, 50.0, 9.8)


def test_without_any_answer_the_reading_ahead_tells_the_speed(project: Project) -> None:
    assert json.loads(told("--json"))["prefill_tps"] == 125.0
    assert "a question about all of them would wait 40 s" in told()


def test_nothing_measured_is_said(project: Project) -> None:
    StudyTask.objects.update(seconds=0.0)
    with pytest.raises(CommandError, match=r"not known yet\. Ask a question"):
        told()


def test_documents_that_nobody_has_counted_are_counted(project: Project, fake_inference: FakeEngine) -> None:
    add_document(project, "new.txt", "Four words in here.")
    assert json.loads(told("--json"))["corpus_tokens"] == 5004


def test_documents_that_nobody_can_count_are_an_error(project: Project) -> None:
    add_document(project, "new.txt", "Four words in here.")
    with pytest.raises(CommandError, match=r"tokens have not been counted yet.*not running"):
        told()


def test_a_project_without_documents_or_without_a_name_is_an_error() -> None:
    with pytest.raises(CommandError, match="no project called Papers"):
        told()
    make_project()
    with pytest.raises(CommandError, match="No document of project 'Papers' can be read yet"):
        told()


PASSAGES = Answered("passages", prompt=1200, read=1200, read_ms=9000, from_cache=False)


@pytest.mark.parametrize(
    ("answer", "saved"),
    [
        pytest.param(PASSAGES, 0, id="all of it was read"),
        pytest.param(Answered("deep", 3000, 60, 600, False), 2940, id="a document was remembered"),
        pytest.param(Answered("digest", 2000, 40, 400, False), 9960, id="all documents would have been read"),
        pytest.param(Answered("passages", 0, 0, 0, True), 1200, id="the answer was remembered"),
        pytest.param(Answered("deep", 0, 0, 0, True), 0, id="remembered, and nobody knows its prompt"),
    ],
)
def test_what_an_answer_has_saved(answer: Answered, saved: int) -> None:
    assert saved_tokens([PASSAGES, answer], whole=10_000) == saved
