"""The lines that come nearest to a question, by its words and by what they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.answering import likeness
from projects.answering.likeness import nearest
from projects.answering.pointing import MOST, lines_of, pointed
from tests.projects.embedding import FakeModels
from tests.projects.factories import passage

LEASE = """\
Lease of the house in Hill Street
Rent: 900 euros a month
Deposit: 1,800 euros
Begins on 1 May 2021
Animals need a written permission
Keys: three for the front door
Heating by gas, read once a year
The garden is shared"""


def test_the_lines_with_most_of_the_questions_words_come_first() -> None:
    near = nearest([passage(LEASE)], "How many keys for the front door?")
    assert near[0].text == "Keys: three for the front door"
    assert len(near) <= 2  # of eight lines every fourth: pointing at all of a text says nothing


def test_a_line_in_other_words_is_found_by_what_they_mean(models: FakeModels) -> None:
    models.use("small")
    question = "the price"  # the models of the tests take a price for a rent
    assert nearest([passage(LEASE)], question) == ()
    models.ready("small")
    assert nearest([passage(LEASE)], question)[0].text.startswith("Rent:")


def test_the_second_question_to_a_text_embeds_no_line_again(models: FakeModels) -> None:
    encoder = models.use("small")
    models.ready("small")
    others = [passage("\n".join(f"Clause {n} binds both sides" for n in range(8)))]
    nearest(others, "the price")
    assert len(encoder.encoded) == 8
    nearest(others, "the deposit")
    assert len(encoder.encoded) == 8


def test_the_vectors_of_another_model_are_not_taken_for_those_of_this_one(models: FakeModels) -> None:
    models.use("small")
    models.ready("small")
    nearest([passage(LEASE)], "the price")
    models.use("large", dim=96)
    models.ready("large")
    assert nearest([passage(LEASE)], "the price")[0].text.startswith("Rent:")


def test_of_a_long_text_only_lines_with_the_questions_words_are_compared(
    models: FakeModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = models.use("small")
    models.ready("small")
    monkeypatch.setattr(likeness, "COMPARED", 5)
    text = "\n".join(f"Keeper number {n} fed the animals" for n in range(50)) + "\nThe rent of the aviary is due"
    near = nearest([passage(text)], "the rent of the aviary")
    assert near[0].text == "The rent of the aviary is due"
    assert len(encoder.encoded) <= 5


def test_a_line_that_stands_twice_is_pointed_at_once() -> None:
    assert [
        line.text for line in lines_of([passage("Rent: 900 euros\nRent: 900 euros"), passage("Rent: 900 euros")])
    ] == ["Rent: 900 euros"]


@given(st.lists(st.text(alphabet="abc \n.", max_size=60), max_size=4), st.text(alphabet="abc ", max_size=20))
def test_what_is_pointed_at_is_the_sources_own_text(texts: list[str], question: str) -> None:
    sources = [passage(text) for text in texts]
    lines = lines_of(sources)
    near = pointed(lines, question)
    assert len(near) <= min(MOST, len(lines))
    assert len(set(near)) == len(near)
    for line in near:
        assert sources[line.number - 1].text[line.start : line.start + len(line.text)] == line.text
