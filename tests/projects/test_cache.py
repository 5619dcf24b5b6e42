"""The key of the exact cache: whatever an answer follows from is in it, and nothing that people type by chance."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.answering import cache
from projects.answering.cache import Asked, Context, key_of
from projects.answering.thread import normalised
from study.keys import Learner

LEARNER = Learner("model", 4096, "prompts-1")
ASKED = Asked("How much is the rent?", (("Who rents?", "Ada.", (1,)),), "")
CONTEXT = Context(((1, "lease.txt", "text", True, True),), (("digest", "model", "key"),), (True, "index"))
KEY = key_of(ASKED, CONTEXT, LEARNER)


@pytest.mark.parametrize(
    "other",
    [
        key_of(replace(ASKED, question="How much is the deposit?"), CONTEXT, LEARNER),
        key_of(replace(ASKED, earlier=(("Who rents?", "Otto.", (1,)),)), CONTEXT, LEARNER),
        key_of(replace(ASKED, earlier=(("Who owns?", "Ada.", (1,)),)), CONTEXT, LEARNER),
        key_of(replace(ASKED, earlier=(("Who rents?", "Ada.", (2,)),)), CONTEXT, LEARNER),
        key_of(replace(ASKED, earlier=()), CONTEXT, LEARNER),
        key_of(replace(ASKED, wanted_lane="deep"), CONTEXT, LEARNER),
        key_of(ASKED, replace(CONTEXT, documents=((2, "lease.txt", "text", True, True),)), LEARNER),
        key_of(ASKED, replace(CONTEXT, documents=((1, "rent.txt", "text", True, True),)), LEARNER),
        key_of(ASKED, replace(CONTEXT, documents=((1, "lease.txt", "other text", True, True),)), LEARNER),
        key_of(ASKED, replace(CONTEXT, documents=((1, "lease.txt", "text", False, True),)), LEARNER),
        key_of(ASKED, replace(CONTEXT, documents=((1, "lease.txt", "text", True, False),)), LEARNER),
        key_of(ASKED, replace(CONTEXT, learned=(("digest", "model", "other key"),)), LEARNER),
        key_of(ASKED, replace(CONTEXT, by_meaning=(False, "index")), LEARNER),
        key_of(ASKED, replace(CONTEXT, by_meaning=(True, "other index")), LEARNER),
        key_of(ASKED, CONTEXT, replace(LEARNER, model_key="other model")),
        key_of(ASKED, CONTEXT, replace(LEARNER, window=8192)),
        key_of(ASKED, CONTEXT, replace(LEARNER, prompt_version="prompts-2")),
    ],
    ids=[
        "question",
        "an earlier answer",
        "an earlier question",
        "what an earlier answer cited",
        "nothing said before",
        "wanted lane",
        "document",
        "name of a document",
        "text of a document",
        "whether it can be searched",
        "whether it can be searched by meaning",
        "what was learned",
        "search by meaning switched off",
        "index of the search by meaning",
        "model",
        "window",
        "prompts of the study",
    ],
)
def test_whatever_an_answer_follows_from_changes_its_key(other: str) -> None:
    assert other != KEY


@pytest.mark.parametrize("name", ["PROMPT_VERSION", "VERSION"])
def test_another_wording_of_the_prompts_changes_the_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, name, "another")
    assert key_of(ASKED, CONTEXT, LEARNER) != KEY


@pytest.mark.parametrize(
    "again",
    ["how much is the RENT", "  How much\n is the rent ?", "How much is the rent??", "How much is the rent."],
    ids=["case", "spaces", "two marks", "full stop"],
)
def test_a_question_typed_a_little_differently_is_the_same(again: str) -> None:
    assert key_of(replace(ASKED, question=again), CONTEXT, LEARNER) == KEY


@pytest.mark.parametrize(
    ("one", "other"),
    [("What is 2.5?", "What is 25?"), ("Wer ist schon da?", "Wer ist schön da?"), ("C", "C++"), ("?", "!")],
    ids=["point", "umlaut", "signs", "nothing but signs"],
)
def test_a_sign_that_means_something_makes_another_question(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


@given(st.text())
def test_a_question_is_normalised_once_and_for_all(question: str) -> None:
    assert normalised(normalised(question)) == normalised(question)
