"""What reading ahead leaves behind, over the real service with a scripted engine."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

import pytest
from django.db import OperationalError

from inference.errors import PromptTooLong
from inference.fake import FakeAnswer, FakeEngine
from study import tasks
from study.models import Digest, DocumentSummary, PreparedAnswer, SectionSummary, StudyTask
from study.passports.service import add_field
from study.passports.values import Kind
from study.service import passport_changed
from tests.study.factories import a_reader, add_document, make_project

pytestmark = pytest.mark.django_db

State = StudyTask.State
LONG = [f"The lease of flat {page} runs for {page + 10} months. " * 60 for page in range(1, 9)]


def test_a_short_document_is_read_once_and_summarised(fake_inference: FakeEngine) -> None:
    document = add_document(make_project(), "lease.pdf", "The rent is 950 EUR.", "It is due on the third day.")
    fake_inference.answers.append("A lease with a rent of 950 EUR.")
    assert a_reader().run() is False
    assert DocumentSummary.objects.get(document=document).text == "A lease with a rent of 950 EUR."
    request = fake_inference.requests[0]
    assert request.pool == "study"
    assert request.save == (f"document:{document.pk}",)
    assert "950 EUR" in request.messages[1].text
    task = StudyTask.objects.get(document=document)
    assert (task.state, task.checkpoint, task.steps, task.tokens_done) == (State.DONE, 1, 1, task.tokens_total)


def test_a_project_is_drawn_together_when_all_is_read(fake_inference: FakeEngine) -> None:
    project = make_project()
    for name in ("a.txt", "b.txt"):
        add_document(project, name, f"Contents of {name}.")
    fake_inference.default = "It tells something."
    a_reader().run()
    digest = Digest.objects.get(project=project)
    assert [entry["name"] for entry in digest.entries] == ["a.txt", "b.txt"]
    answers = PreparedAnswer.objects.filter(project=project)
    assert [answer.question for answer in answers][:2] == [
        "What are these documents about?",
        "Summarise each document.",
    ]
    assert StudyTask.objects.get(kind="digest").state == State.DONE


def test_nobody_sees_all_read_and_nothing_drawn_together(fake_inference: FakeEngine) -> None:
    project = make_project()
    for name in ("a.txt", "b.txt"):
        add_document(project, name, f"Contents of {name}.")
    reader = a_reader()
    while StudyTask.objects.filter(state__in=StudyTask.OPEN).exists():
        assert not PreparedAnswer.objects.exists()
        reader.turn()
    assert PreparedAnswer.objects.exists()


def test_a_document_that_comes_later_is_appended_to_the_digest(fake_inference: FakeEngine) -> None:
    project = make_project()
    add_document(project, "b.txt", "First come.")
    a_reader().run()
    before = next(request for request in fake_inference.requests if "digest" in str(request.save))
    fake_inference.requests.clear()
    add_document(project, "a.txt", "Come later.")
    a_reader().run()
    after = next(request for request in fake_inference.requests if "digest" in str(request.save))
    known = [part.text for part in before.messages[1].parts[:-1]]
    assert [part.text for part in after.messages[1].parts[: len(known)]] == known
    assert "a.txt" in after.messages[1].parts[len(known)].text


def test_a_digest_that_failed_is_not_tried_again_before_something_changes(fake_inference: FakeEngine) -> None:
    project = make_project()
    add_document(project, "a.txt", "Some words.")
    fake_inference.answers.extend(["A summary.", FakeAnswer(fail=PromptTooLong())])
    a_reader().run()
    task = StudyTask.objects.get(kind="digest")
    assert (task.state, task.error) == (State.FAILED, PromptTooLong().message)
    asked = len(fake_inference.requests)
    passport_changed()
    a_reader().run()
    assert len(fake_inference.requests) == asked
    assert StudyTask.objects.get(kind="digest").state == State.FAILED
    add_document(project, "b.txt", "Other words.")
    a_reader().run()
    assert StudyTask.objects.get(kind="digest").state == State.DONE


def test_a_corrected_passport_comes_into_the_digest(fake_inference: FakeEngine) -> None:
    document = add_document(make_project(), "a.txt", "Some words.")
    a_reader().run()
    add_field(document.pk, Kind.PARTY, "Tenant", "Ada Lark")
    passport_changed()
    a_reader().run()
    assert Digest.objects.get().entries[0]["facts"].startswith("Tenant: Ada Lark")


def test_a_long_document_is_read_in_steps_that_grow_one_prompt(fake_inference: FakeEngine) -> None:
    document = add_document(make_project(), "leases.pdf", *LONG)
    fake_inference.window = 16_000
    fake_inference.default = "About leases."
    a_reader().run()
    readings = [request for request in fake_inference.requests if request.save == (f"document:{document.pk}",)]
    assert len(readings) == SectionSummary.objects.count() == 4
    for before, after in pairwise(readings):
        known = [part.text for part in before.messages[1].parts[:-1]]
        assert [part.text for part in after.messages[1].parts[: len(known)]] == known
    assert DocumentSummary.objects.count() == 1


def test_a_database_that_cannot_be_used_for_a_while_ends_nothing(
    fake_inference: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_document(make_project(), "a.txt", "Some words.")
    failures = [OperationalError("database or disk is full")] * 2
    claim = tasks.claim

    def full(owner: str, now: datetime) -> tasks.Claim | None:
        if failures:
            raise failures.pop()
        return claim(owner, now)

    monkeypatch.setattr(tasks, "claim", full)
    assert a_reader().run() is False
    assert DocumentSummary.objects.count() == 1
