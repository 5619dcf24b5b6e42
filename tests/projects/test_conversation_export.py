"""Tests of the files that a conversation is written to: what is in them, and what they are called."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from projects.conversations.export import as_json, as_markdown, file_name
from projects.models import Citation, Conversation, Turn
from projects.presentation import markdown
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def turn() -> Turn:
    project = make_project("My *flat*")
    document = add_read(project, "lease_[1].txt", "The rent is 900 euros a month.")
    turn = Turn.objects.create(
        conversation=project.conversations.create(title="Rent"),
        question="What is\n# the <b>rent</b>?",
        answer="It is **900 euros** [1].",
        state=Turn.State.DONE,
        lane="passages",
        lane_reason="Searched by words.",
        ttft_s=1.2,
        total_s=5.4,
        prompt_tokens=842,
        read_tokens=842,
        model="qwen",
    )
    Citation.objects.create(turn=turn, number=1, document=document, page=2, quote="The rent is\n900 euros a month.")
    return turn


def turns_of(conversation: Conversation) -> list[Turn]:
    return list(conversation.all_turns.order_by("pk"))


def exported(conversation: Conversation) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(as_json(conversation, turns_of(conversation)))
    return whole


def test_markdown_has_question_answer_source_and_figures(turn: Turn) -> None:
    text = as_markdown(turn.conversation, turns_of(turn.conversation))
    assert text.startswith("# Rent\n\nMy \\*flat\\* · ")
    assert "> What is\n> \\# the \\<b\\>rent\\</b\\>?" in text
    assert "\nIt is **900 euros** [1].\n" in text
    assert "- \\[1\\] lease\\_\\[1\\].txt, page 2: “The rent is 900 euros a month.”" in text
    assert "first word after 1.2 s · 5.4 s in all · 842 tokens read, 0 remembered · qwen" in text


def test_what_a_question_or_a_name_holds_is_no_markup_of_the_page(turn: Turn) -> None:
    html = markdown.render(as_markdown(turn.conversation, turns_of(turn.conversation)), {})
    assert html.count("<h1>") == 1
    assert "<b>" not in html
    assert "# the" in html


def test_json_has_every_figure_and_the_sources(turn: Turn) -> None:
    whole = exported(turn.conversation)
    assert (whole["title"], whole["project"]) == ("Rent", "My *flat*")
    one = whole["turns"][0]
    assert (one["question"], one["answer"], one["state"]) == (turn.question, turn.answer, "done")
    assert (one["lane"], one["lane_reason"], one["ttft_s"], one["total_s"]) == (
        "passages",
        "Searched by words.",
        1.2,
        5.4,
    )
    assert one["citations"] == [{"document": "lease_[1].txt", "page": 2, "quote": "The rent is\n900 euros a month."}]
    assert one["conversation"] == turn.conversation_id


def test_what_was_set_aside_is_in_the_json_and_not_in_the_markdown(turn: Turn) -> None:
    fresh = Turn.objects.create(conversation=turn.conversation, question="And the deposit?", state=Turn.State.DONE)
    Turn.objects.filter(pk=turn.pk).update(replaced_by=fresh)
    (one,) = exported(turn.conversation)["turns"]
    assert one["question"] == "And the deposit?"
    assert [earlier["question"] for earlier in one["earlier"]] == [turn.question]
    text = as_markdown(turn.conversation, turns_of(turn.conversation))
    assert "900 euros" not in text
    assert "## Question 1\n\n> And the deposit?" in text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"state": "failed", "error": "The model stopped."}, "*There is no whole answer: The model stopped.*"),
        ({"state": "stopped"}, "*Stopped before its end.*"),
        ({"state": "answering"}, "*Still being answered.*"),
        ({"state": "done", "finish_reason": "length", "answer_tokens": 512}, "Cut off after 512 tokens"),
    ],
    ids=["failed", "stopped", "open", "cut off"],
)
def test_an_answer_that_is_not_whole_says_so(turn: Turn, fields: dict[str, Any], said: str) -> None:
    Turn.objects.filter(pk=turn.pk).update(**fields)
    assert said in as_markdown(turn.conversation, turns_of(turn.conversation))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Rent: who / when?", "Rent who when.md"),
        ("Miete für 租金", "Miete für 租金.md"),
        ("../../etc/passwd", "etc passwd.md"),
        ("???", "Conversation 7.md"),
        ("", "Conversation 7.md"),
        ("x" * 200, "x" * 100 + ".md"),
        ("a\u202etxt.exe\r\nX: y", "atxt.exe X y.md"),
    ],
)
def test_the_file_is_called_by_the_title(title: str, name: str) -> None:
    assert file_name(Conversation(pk=7, title=title), "md") == name


def download(client: Client, turn: Turn, form: str) -> Any:
    client.force_login(turn.conversation.project.owner)
    return client.get(reverse(f"projects:conversation-{form}", args=[turn.conversation_id]))


def test_both_are_files_to_save(client: Client, turn: Turn) -> None:
    Conversation.objects.update(title="Miete für alle")
    page = download(client, turn, "markdown")
    assert page["Content-Disposition"] == "attachment; filename*=utf-8''Miete%20f%C3%BCr%20alle.md"
    assert page["X-Content-Type-Options"] == "nosniff"
    assert "900 euros" in page.content.decode()
    data = download(client, turn, "json")
    assert data["Content-Type"] == "application/json"
    assert json.loads(data.content)["turns"][0]["answer"] == "It is **900 euros** [1]."
