"""What changes, goes or is asked for, and what the study makes of it."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.utils import timezone
from django_q.models import OrmQ

from inference.errors import EngineFault, PromptTooLong
from inference.fake import FakeAnswer, FakeEngine
from projects.intake.service import remove_document, remove_project
from projects.models import Project
from study import service, tasks
from study.keys import Learner
from study.models import (
    Digest,
    DocumentSummary,
    Forgetting,
    PreparedAnswer,
    ReadingPlan,
    SectionSummary,
    StudyTask,
)
from study.recovery import go_on
from tests.study.factories import a_reader, add_document, make_project, set_text

pytestmark = pytest.mark.django_db(transaction=True)

State = StudyTask.State
LONG = [f"The lease of flat {page} runs for {page + 10} months. " * 60 for page in range(1, 9)]
READER = Learner("fake-key", 4096)


@pytest.fixture
def project() -> Project:
    return make_project()


def _read(engine: FakeEngine, answer: str = "It tells something.") -> None:
    engine.default = answer
    a_reader().run()


def test_a_text_that_is_the_same_is_not_read_again(fake_inference: FakeEngine, project: Project) -> None:
    document = add_document(project, "a.txt", "Some words.")
    _read(fake_inference)
    asked = len(fake_inference.requests)
    service.document_changed(document.pk)
    _read(fake_inference)
    assert len(fake_inference.requests) == asked


def test_a_changed_text_is_read_again_and_nothing_of_the_old_one_is_left(
    fake_inference: FakeEngine, project: Project
) -> None:
    document = add_document(project, "a.txt", "The rent is 900 EUR.")
    _read(fake_inference, "The rent is 900 EUR.")
    set_text(document, "The rent is 950 EUR.")
    assert not DocumentSummary.objects.exists()
    assert not PreparedAnswer.objects.exists()
    assert Digest.objects.get().entries == []
    assert f"document:{document.pk}" in fake_inference.forgotten
    _read(fake_inference, "The rent is 950 EUR.")
    assert DocumentSummary.objects.get().text == "The rent is 950 EUR."
    assert "950" in str(Digest.objects.get().entries)
    assert "900" not in str(Digest.objects.get().entries)


def test_a_removed_document_leaves_no_row_no_word_and_no_state(fake_inference: FakeEngine, project: Project) -> None:
    gone = add_document(project, "gone.txt", "Grumbold pays.")
    add_document(project, "stays.txt", "Somebody else pays.")
    _read(fake_inference, "Somebody pays.")
    PreparedAnswer.objects.update(answer="Grumbold pays.")
    remove_document(gone)
    names = {f"document:{gone.pk}", f"digest:{project.pk}"}
    assert names <= set(fake_inference.forgotten)
    for model in (DocumentSummary, SectionSummary, ReadingPlan, StudyTask):
        assert not model.objects.filter(document_id=gone.pk).exists()
    assert "gone.txt" not in str(Digest.objects.get().entries)
    assert not PreparedAnswer.objects.exists()
    fake_inference.forgotten.clear()
    _read(fake_inference, "Somebody pays.")
    assert names <= set(fake_inference.forgotten)  # once more, when no step can save them again
    assert not Forgetting.objects.exists()
    assert service.digest_for(project.pk, READER).documents == (  # type: ignore[union-attr]
        project.documents.get().pk,
    )


def test_states_go_from_the_disk_when_no_service_runs(project: Project) -> None:
    document = add_document(project, "a.txt", "Some words.")
    folder = settings.SNAPSHOTS_DIR
    folder.mkdir(exist_ok=True)
    kept = folder / f"model-tokens-{_short_hash(f'document:{document.pk}')}.kv"
    other = folder / f"model-tokens-{_short_hash('document:0')}.kv"
    kept.write_bytes(b"state")
    other.write_bytes(b"state")
    remove_document(document)
    assert not kept.exists()
    assert other.exists()
    other.unlink()


def _short_hash(name: str) -> str:
    import hashlib

    return hashlib.sha256(name.encode()).hexdigest()[:16]


def test_a_document_removed_while_it_is_read_is_forgotten_after_the_step(
    fake_inference: FakeEngine, project: Project
) -> None:
    document = add_document(project, "a.txt", "Some words.")
    reader = a_reader()
    held = tasks.claim(reader.identity, timezone.now())
    assert held is not None
    task = StudyTask.objects.get(pk=held.task_id)
    remove_document(document)
    fake_inference.forgotten.clear()
    reader._let_go(task)
    assert fake_inference.forgotten == [f"document:{document.pk}"]


def test_a_removed_project_takes_everything_along(fake_inference: FakeEngine, project: Project) -> None:
    document = add_document(project, "a.txt", "Some words.")
    _read(fake_inference)
    service.pause(project.pk)
    remove_project(project)
    assert {f"document:{document.pk}", f"digest:{project.pk}"} <= set(fake_inference.forgotten)
    for model in (Digest, DocumentSummary, PreparedAnswer, StudyTask):
        assert not model.objects.exists()


def test_another_model_learns_anew_and_the_first_ones_learning_is_found_again(
    fake_inference: FakeEngine, project: Project
) -> None:
    add_document(project, "a.txt", "Some words.")
    _read(fake_inference, "By the first.")
    fake_inference.model_key = "other-key"
    _read(fake_inference, "By the other.")
    assert sorted(DocumentSummary.objects.values_list("text", flat=True)) == ["By the first.", "By the other."]
    asked = len(fake_inference.requests)
    fake_inference.model_key = "fake-key"
    _read(fake_inference)
    assert len(fake_inference.requests) == asked
    assert StudyTask.objects.filter(state=State.DONE, model_key="fake-key").count() == 2


def test_other_prompts_have_everything_read_anew_and_the_old_states_deleted(
    fake_inference: FakeEngine, project: Project
) -> None:
    document = add_document(project, "a.txt", "Some words.")
    _read(fake_inference, "By the first.")
    StudyTask.objects.update(prompt_version="study-0")
    DocumentSummary.objects.update(prompt_version="study-0")
    _read(fake_inference, "By other words.")
    assert [row.text for row in DocumentSummary.objects.all()] == ["By other words."]
    assert {f"document:{document.pk}", f"digest:{project.pk}"} <= set(fake_inference.forgotten)


def test_a_stretch_that_fails_is_tried_again_then_left_out_and_the_rest_goes_on(
    fake_inference: FakeEngine, project: Project
) -> None:
    fake_inference.window = 16_000
    document = add_document(project, "long.pdf", *LONG)
    fake_inference.answers.append("First.")
    fake_inference.answers.extend([FakeAnswer(fail=EngineFault())] * (len(tasks.BACKOFF) + 1))
    fake_inference.default = "Others."
    reader = a_reader()
    for _ in range(12):
        reader.turn()
        StudyTask.objects.update(not_before=None)
    rows = SectionSummary.objects.filter(document=document)
    assert [bool(row.error) for row in rows] == [False, True, False, False]
    task = StudyTask.objects.get(document=document)
    assert task.state == State.DONE
    assert task.error == f"1 of 4 parts could not be summarised: {EngineFault().message}"
    assert service.retry(task.pk)
    _read(fake_inference, "Others.")
    assert not rows.exclude(error="").exists()
    assert StudyTask.objects.get(document=document).error == ""


def test_one_document_that_cannot_be_read_does_not_hold_up_the_others(
    fake_inference: FakeEngine, project: Project
) -> None:
    bad = add_document(project, "bad.txt", "Some words.")
    good = add_document(project, "good.txt", "Other words.")
    fake_inference.answers.append(FakeAnswer(fail=PromptTooLong()))
    _read(fake_inference)
    assert StudyTask.objects.get(document=bad).state == State.FAILED
    assert StudyTask.objects.get(document=bad).error == PromptTooLong().message
    assert StudyTask.objects.get(document=good).state == State.DONE
    assert Digest.objects.get().entries[0]["document_id"] == good.pk


def test_a_document_without_a_word_is_done_and_says_so(fake_inference: FakeEngine, project: Project) -> None:
    document = add_document(project, "empty.txt", " ")
    _read(fake_inference)
    task = StudyTask.objects.get(document=document)
    assert (task.state, task.error) == (State.DONE, "There is nothing in it to read.")
    assert fake_inference.requests == []


def test_a_summary_with_a_wrong_figure_loses_the_sentence(fake_inference: FakeEngine, project: Project) -> None:
    document = add_document(project, "lease.txt", "The rent is 950 EUR, due on 3 May 2021.")
    fake_inference.answers.append("The rent is 950 EUR. It is due on 4 May 2021.")
    _read(fake_inference)
    row = DocumentSummary.objects.get(document=document)
    assert (row.text, row.dropped) == ("The rent is 950 EUR.", 1)


def test_where_no_sentence_holds_the_texts_own_beginning_stands(fake_inference: FakeEngine, project: Project) -> None:
    document = add_document(project, "lease.txt", "The rent is 950 EUR. It is due.")
    fake_inference.answers.extend(["The rent is 960 EUR.", "It is 970 EUR."])
    _read(fake_inference)
    assert DocumentSummary.objects.get(document=document).text == "The rent is 950 EUR."


def test_the_reader_is_woken_once_however_many_documents_come(project: Project) -> None:
    for number in range(3):
        add_document(project, f"{number}.txt", f"Words {number}.")
    assert OrmQ.objects.filter(key="study").count() == 1
    assert not OrmQ.objects.exclude(key="study").exists()


def test_a_reader_that_starts_goes_on_with_what_was_left(fake_inference: FakeEngine, project: Project) -> None:
    add_document(project, "a.txt", "Some words.")
    OrmQ.objects.all().delete()
    go_on()
    assert OrmQ.objects.filter(key="study").count() == 1
    OrmQ.objects.all().delete()
    _read(fake_inference)
    OrmQ.objects.all().delete()
    go_on()
    assert not OrmQ.objects.exists()


def test_a_digest_continues_where_the_study_left_off(fake_inference: FakeEngine, project: Project) -> None:
    for name in ("a.txt", "b.txt"):
        add_document(project, name, f"Contents of {name}.")
    _read(fake_inference)
    digest = service.digest_for(project.pk, READER)
    assert digest is not None
    asked = next(request for request in fake_inference.requests if request.save == (digest.boundary,))
    assert digest.messages("?")[1].parts[:-1] == asked.messages[1].parts[:-1]
    assert digest.messages("?")[0] == asked.messages[0]
    assert (digest.covers, digest.total, digest.is_current) == (2, 2, True)
    openings = service.opening_questions(project.pk)
    assert openings[0].question == "What are these documents about?"
    assert openings[1].answer == "- **a.txt**: It tells something. [1]\n- **b.txt**: It tells something. [2]"


def test_a_document_continues_where_the_study_left_off(fake_inference: FakeEngine, project: Project) -> None:
    document = add_document(project, "a.pdf", "Page one.", "Page two.")
    before = service.document_prefix(document.pk, READER)
    assert before is not None
    assert not before.is_read
    _read(fake_inference)
    prefix = service.document_prefix(document.pk, READER)
    assert prefix is not None
    assert prefix.is_read
    asked = fake_inference.requests[0]
    assert prefix.messages("?")[1].parts[:-1] == asked.messages[1].parts[:-1]
    assert [(piece.number, piece.page) for piece in prefix.pieces] == [(1, 1), (2, 2)]
    assert service.summary_of(document.pk, READER).text == "It tells something."  # type: ignore[union-attr]


def test_a_document_longer_than_the_window_is_read_in_parts(fake_inference: FakeEngine, project: Project) -> None:
    document = add_document(project, "long.pdf", *LONG)
    fake_inference.window = 2_600
    _read(fake_inference)
    small = Learner("fake-key", 2_600)
    first, second = (service.document_prefix(document.pk, small, part) for part in (0, 1))
    assert first is not None
    assert second is not None
    assert first.parts == second.parts == 3
    assert first.tokens + second.tokens < StudyTask.objects.get(document=document).tokens_total
    assert service.document_prefix(document.pk, small, 3) is None
    assert StudyTask.objects.get(document=document).state == State.DONE
