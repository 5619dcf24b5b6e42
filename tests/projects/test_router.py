"""The lane of an answer: the cheapest that can answer, and never a description where a fact was asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.answering.router import Lane, Scene, concerned, names_in, route
from projects.answering.wording import Kind
from projects.retrieval.passages import Passage
from projects.retrieval.search import Hit

FACT = Scene(Kind.FACT, has_digest=True, document="lease.pdf", is_remembered=True, names=True)


def passage(text: str, document_id: int = 1) -> Passage:
    return Passage(1, document_id, "lease.pdf", "", 0, 1, (), text, "", 1.0)


def hit(document_id: int, score: float) -> Hit:
    return Hit(passage("", document_id), 1, None, score)


SCENES = st.builds(
    Scene,
    st.sampled_from(Kind),
    has_digest=st.booleans(),
    document=st.sampled_from(["", "lease.pdf"]),
    is_remembered=st.booleans(),
    names=st.booleans(),
)


@given(SCENES, st.sampled_from(["", *Lane]))
def test_a_lane_is_only_taken_where_it_is_open(scene: Scene, wanted: str) -> None:
    lane = route(scene, wanted).lane
    assert lane is not Lane.DIGEST or scene.has_digest
    assert lane is not Lane.DEEP or (scene.document and scene.is_remembered)


@given(SCENES)
def test_a_fact_is_never_answered_from_descriptions(scene: Scene) -> None:
    assert route(replace(scene, kind=Kind.FACT)).lane is not Lane.DIGEST
    assert route(replace(scene, kind=Kind.FULL)).lane is not Lane.DIGEST


@pytest.mark.parametrize(
    ("scene", "lane"),
    [
        (FACT, Lane.DEEP),
        (replace(FACT, is_remembered=False), Lane.PASSAGES),
        (replace(FACT, document=""), Lane.PASSAGES),
        (replace(FACT, kind=Kind.OVERVIEW, document="", names=False), Lane.DIGEST),
        (replace(FACT, kind=Kind.OVERVIEW, names=False), Lane.DIGEST),
        (replace(FACT, kind=Kind.OVERVIEW), Lane.DEEP),  # 'summarise the lease with Weber'
        (replace(FACT, kind=Kind.EACH), Lane.DIGEST),
        (replace(FACT, kind=Kind.OVERVIEW, document="", has_digest=False), Lane.PASSAGES),
    ],
)
def test_the_cheapest_lane_that_can_answer_is_taken(scene: Scene, lane: Lane) -> None:
    assert route(scene).lane is lane


def test_a_wish_is_followed_and_one_that_cannot_be_is_explained() -> None:
    assert route(FACT, "passages").lane is Lane.PASSAGES
    closed = route(replace(FACT, is_remembered=False), "deep")
    assert closed.lane is Lane.PASSAGES
    assert closed.reason.startswith("The way 'deep' is not open yet")


def test_one_document_is_taken_alone_only_when_no_other_comes_close() -> None:
    assert concerned([hit(1, 0.03), hit(1, 0.03), hit(2, 0.03)]) == 1
    assert concerned([hit(1, 0.03), hit(1, 0.01), hit(2, 0.03)]) is None
    assert concerned([hit(7, 0.03)]) == 7
    assert concerned([]) is None


def test_names_are_words_that_always_stand_with_a_capital_or_a_digit() -> None:
    text = "The Piper hit trees near Wausau. Its registration is N5921D; the piper cub is another. Trees fell."
    found = names_in("did the piper N5921D hit trees at wausau?", [passage(text)])
    assert found == {"wausau", "n5921d"}
