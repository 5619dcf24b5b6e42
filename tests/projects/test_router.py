"""The lane of an answer: the cheapest that can answer, and never a description where a fact was asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.answering.concern import MOST, identifiers_in, weigh
from projects.answering.router import Lane, Scene, names_in, route
from projects.answering.wording import Kind
from projects.retrieval.passages import Passage

FACT = Scene(Kind.FACT, has_digest=True, document="lease.pdf", is_named=True, is_remembered=True)


def passage(text: str, document_id: int = 1) -> Passage:
    return Passage(1, document_id, "lease.pdf", "", 0, 1, (), text, "", 1.0)


SCENES = st.builds(
    Scene,
    st.sampled_from(Kind),
    has_digest=st.booleans(),
    document=st.sampled_from(["", "lease.pdf"]),
    is_named=st.booleans(),
    is_remembered=st.booleans(),
    are_all_remembered=st.booleans(),
)


@given(SCENES, st.sampled_from(["", *Lane]))
def test_every_scene_has_a_way_and_a_wish_is_followed_if_it_can_be(scene: Scene, wanted: str) -> None:
    chosen = route(scene, wanted)
    assert chosen.reason
    assert chosen.lane == wanted or not wanted or (wanted == Lane.DIGEST and not scene.has_digest)


@given(SCENES)
def test_a_fact_is_never_answered_from_descriptions(scene: Scene) -> None:
    assert route(replace(scene, kind=Kind.FACT)).lane is not Lane.DIGEST
    assert route(replace(scene, kind=Kind.FULL)).lane is Lane.DEEP


@pytest.mark.parametrize(
    ("scene", "lane"),
    [
        (FACT, Lane.DEEP),
        (replace(FACT, is_remembered=False), Lane.PASSAGES),
        (replace(FACT, document=""), Lane.DEEP),  # each of the few that may hold it
        (replace(FACT, document="", is_remembered=False), Lane.PASSAGES),
        (replace(FACT, kind=Kind.OVERVIEW, document="", is_named=False), Lane.DIGEST),
        (replace(FACT, kind=Kind.OVERVIEW, is_named=False), Lane.DIGEST),
        (replace(FACT, kind=Kind.OVERVIEW), Lane.DIGEST),  # 'summarise the lease with Weber': its summary
        (replace(FACT, kind=Kind.OVERVIEW, is_remembered=False), Lane.PASSAGES),
        (replace(FACT, kind=Kind.OVERVIEW, document="", has_digest=False, is_remembered=False), Lane.DIGEST),
        (replace(FACT, kind=Kind.ACROSS, document="", is_named=False), Lane.DIGEST),
        (replace(FACT, kind=Kind.ACROSS, document="", has_digest=False, is_remembered=False), Lane.PASSAGES),
        (replace(FACT, kind=Kind.MOSTLY, are_all_remembered=True), Lane.DEEP),
        (replace(FACT, kind=Kind.MOSTLY), Lane.DIGEST),
        (replace(FACT, kind=Kind.WHICH, are_all_remembered=True), Lane.DEEP),
        (replace(FACT, kind=Kind.EVERY), Lane.DIGEST),
        (replace(FACT, kind=Kind.EVERY, has_digest=False), Lane.PASSAGES),
        (replace(FACT, kind=Kind.TOTAL, has_digest=False), Lane.DIGEST),
        (replace(FACT, kind=Kind.LIST, has_digest=False), Lane.DIGEST),
    ],
)
def test_the_cheapest_lane_that_can_answer_is_taken(scene: Scene, lane: Lane) -> None:
    assert route(scene).lane is lane


def test_a_wish_that_cannot_be_followed_is_explained() -> None:
    closed = route(replace(FACT, has_digest=False), "digest")
    assert closed.lane is Lane.DEEP
    assert closed.reason.startswith("Nothing was learned of all documents yet.")


def test_one_document_is_taken_alone_only_when_no_other_comes_close() -> None:
    assert weigh({1: 0.06, 2: 0.03}, []).documents == (1,)
    assert weigh({1: 0.04, 2: 0.03}, []).documents == (1, 2)
    assert weigh({}, []).documents == ()
    assert len(weigh(dict.fromkeys(range(9), 0.03), []).documents) == MOST


def test_a_name_that_one_document_holds_is_surer_than_any_search() -> None:
    concern = weigh({1: 0.09, 2: 0.01}, [{2}])
    assert (concern.documents, concern.sure, concern.anchored) == ((2,), True, True)
    assert weigh({1: 0.04, 2: 0.03}, [{1}, {2}]).documents == (1, 2)  # two names in two documents: either
    assert weigh({1: 0.04, 2: 0.03}, [{1, 2}, {2}]).documents == (2,)


def test_an_identifier_is_a_name_although_the_search_has_not_found_it() -> None:
    assert identifiers_in("altimeter setting reported for N103JT on 4 May?") == {"n103jt"}


def test_a_question_without_a_name_stays_with_the_document_of_the_answer_before() -> None:
    assert weigh({1: 0.09}, [], cited=2).documents == (2,)
    assert weigh({1: 0.09}, [{1}], cited=2).documents == (1,)


def test_names_are_words_that_always_stand_with_a_capital_or_a_digit() -> None:
    text = "The Piper hit trees near Wausau. Its registration is N5921D; the piper cub is another. Trees fell."
    found = names_in("did the piper N5921D hit trees at wausau?", [passage(text)])
    assert found == {"wausau", "n5921d"}
