"""What was said before is told from what is new, on both sides of each threshold."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projects.retrieval.duplicates import NEAR, NEW, RUN, SHINGLE, Cut, Said


def words(count: int, seed: int = 0) -> list[str]:
    """Return words without figures that two seeds do not share."""
    letters = random.Random(seed)
    return ["".join(letters.choices(string.ascii_lowercase, k=9)) for _ in range(count)]


def text(count: int, seed: int = 0) -> str:
    return " ".join(words(count, seed))


def kept(said: Said, passage: str) -> str:
    """Return what is new of a passage, an ellipsis between two stretches."""
    return " … ".join(passage[cut.start : cut.end] for cut in said.new_in(passage))


def after(*texts: str) -> Said:
    said = Said()
    for one in texts:
        said.add(one)
    return said


def test_a_text_of_which_nothing_was_said_stays_as_it_is() -> None:
    passage = "  Nothing of this\fwas said.  "
    assert after(text(100)).new_in(passage) == [Cut(0, len(passage))]


@pytest.mark.parametrize(
    "again",
    [
        "the RENT of the Flat is 900 Euros, payable on the first of the month.",
        "The rent of the\nflat is 900\teuros – payable on the first\fof the month",
        "Ｔｈｅ rent of the flat is 900 euros payable on the first of the month",
    ],
    ids=["case", "layout and punctuation", "width"],
)
def test_case_layout_punctuation_and_width_make_nothing_new(again: str) -> None:
    said = after("The rent of the flat is 900 euros, payable on the first of the month.")
    assert said.new_in(again) == []


def test_below_a_fifth_of_new_words_a_passage_is_a_near_duplicate() -> None:
    old, new = words(80), words(30, seed=1)
    assert NEAR == 0.8
    assert kept(after(" ".join(old)), " ".join(old + new[:20])) == ""
    assert kept(after(" ".join(old)), " ".join(old + new[:21])) == " ".join(new[:21])


def test_words_that_differ_here_and_there_do_not_hide_a_duplicate_until_they_are_many() -> None:
    right = words(160)

    def misread(every: int) -> str:
        return " ".join("zzz" if place % every == 0 else word for place, word in enumerate(right))

    assert kept(after(" ".join(right)), misread(every=8)) == ""
    assert kept(after(" ".join(right)), misread(every=SHINGLE)) == misread(every=SHINGLE)


@pytest.mark.parametrize("figure", ["901", "12.03.2024", "DE44", "PA-22-150"])
def test_a_form_filled_in_with_another_figure_is_another_passage_and_stays_whole(figure: str) -> None:
    form = "{} " + text(120)
    invoice, other = form.format("Amount 900 euros."), form.format(f"Amount {figure} euros.")
    assert kept(after(invoice), other) == other


@pytest.mark.parametrize(("length", "stays"), [(RUN - 1, True), (RUN, False)])
def test_a_run_that_was_said_is_cut_out_from_a_short_paragraph_on(length: int, stays: bool) -> None:
    paragraph, before, behind = text(length), text(40, seed=1), text(40, seed=2)
    passage = f"{before}\n\n{paragraph}\n\n{behind}"
    assert kept(after(paragraph), passage) == (passage if stays else f"{before} … {behind}")


@pytest.mark.parametrize(("new", "stays"), [(9, True), (10, False)])
def test_what_is_left_has_to_be_new_for_the_most_part(new: int, stays: bool) -> None:
    paragraph = text(RUN)
    heading, said = text(10, seed=1), text(10, seed=2)
    assert NEW == 0.5
    fresh = " ".join([*words(new - 1, seed=3), "2024"])
    passage = f"{said} {fresh} {heading} {paragraph}"
    assert (kept(after(paragraph, said, heading), passage) == passage) is stays or new == 10


def test_the_same_paragraph_in_two_chunkings_is_said_once() -> None:
    paragraph, first, second = text(60), text(60, seed=1), text(60, seed=2)
    said = after(f"{first} {paragraph}")
    assert kept(said, f"{paragraph}. {second}") == second
    assert kept(said, f"{second} {paragraph}") == second


def test_a_language_without_spaces_is_compared_by_characters() -> None:
    paragraph = "租客应于每月第一天支付租金九百欧元并且不得在公寓内饲养任何动物否则房东有权解除合同"
    said = after(f"第一条{paragraph}。")
    assert said.new_in(f"{paragraph}！") == []
    other = "房东负责修理屋顶和供暖系统以及楼梯间的照明设备并在冬季负责清除积雪和撒盐防滑"
    assert kept(said, other) == other


TOKENS = st.lists(st.sampled_from([*words(6), "7"]), max_size=60)


@settings(max_examples=200, deadline=None)
@given(TOKENS, TOKENS)
def test_stretches_are_in_order_within_the_text_and_hold_every_new_word(before: list[str], tokens: list[str]) -> None:
    said, passage = after(" ".join(before)), " ".join(tokens)
    cuts = said.new_in(passage)
    places = [place for cut in cuts for place in (cut.start, cut.end)]
    assert places == sorted(places)
    assert not cuts or (places[0] >= 0 and places[-1] <= len(passage))
    left = " ".join(passage[cut.start : cut.end] for cut in cuts).split()
    assert not cuts or all(token in left for token in set(tokens) - set(before))


@settings(max_examples=100, deadline=None)
@given(st.integers(RUN, 80), st.integers(0, 79), st.integers(0, 79))
def test_a_paragraph_between_new_ones_never_comes_twice(length: int, before: int, behind: int) -> None:
    paragraph = text(length)
    passage = " ".join([text(before, seed=1), paragraph, text(behind, seed=2)]).strip()
    assert paragraph not in kept(after(f"{text(50, seed=3)} {paragraph}"), passage)
