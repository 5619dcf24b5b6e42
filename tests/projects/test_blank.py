"""Text that only looks empty counts as empty, wherever a person may enter it."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from projects.asking import QuestionRefused, ask
from projects.blank import is_blank
from projects.forms import ProjectForm
from projects.models import Conversation, Document, Project
from tests.projects.factories import add_read, make_project

INVISIBLE = ["", " \t\n", "\u200b", "\ufeff\ufeff", "\u00a0", "\u202e\u200f", "\u2028\u2029", "\u3164", "\x00\x07"]


@pytest.mark.parametrize("text", INVISIBLE)
def test_nothing_to_see_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", ".", "\u200b1", "\u202eא", "家", "👍", "\u0301"])
def test_anything_to_see_is_not(text: str) -> None:
    assert not is_blank(text)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_a_file_without_anything_to_see_is_empty(name: str) -> None:
    document = add_read(make_project(), name, "\u200b\n\u00a0\n\n\u202e\ufeff")
    assert (document.state, document.error) == (Document.State.FAILED, "The file is empty.")


@pytest.mark.django_db
@pytest.mark.parametrize("question", INVISIBLE)
def test_a_question_without_anything_to_see_is_refused(question: str) -> None:
    project = make_project()
    with pytest.raises(QuestionRefused, match="Type a question first"):
        ask(project.owner, project, question, None)
    assert not Conversation.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["\u200b", "\u202e\ufeff", "\u3164"])
def test_a_project_name_without_anything_to_see_is_refused(name: str) -> None:
    form = ProjectForm({"name": name}, instance=Project(owner=make_project().owner))
    assert form.errors == {"name": ["Give the project a name."]}
    with pytest.raises(CommandError, match="project's name"):
        call_command("ingest", name, __file__)
