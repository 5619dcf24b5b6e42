"""Tests of telling languages apart, in whole texts and in short questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What was the tail number of the plane?", "en"),
        ("WHICH AIRPORT WAS THE BEECH LANDING AT", "en"),
        ("Wie hoch ist die Miete?", "de"),
        ("Wann endet der Vertrag?", "de"),
        ("Quel âge avait le pilote de l'avion ?", "fr"),
        ("Quelle est la durée du bail ?", "fr"),
        ("¿A qué ciudad se dirigía el avión?", "es"),
        ("Cuánto es el alquiler", "es"),
        ("Il contratto è stato firmato da chi?", "it"),
        ("Qual é o valor do aluguel?", "pt"),
        ("Wat is de huurprijs van het huis?", "nl"),
        ("Какой это был адрес, и кто бы его назвал?", "ru"),
        ("これはペンです", "ja"),
        ("这是一份租赁合同", "zh"),
        ("이것은 계약서입니다", "ko"),
        ("Ποια είναι η διεύθυνση;", "el"),
    ],
)
def test_language_is_told_from_a_sentence(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("text", ["", "Wausau?", "12 34 56", "a b c 12 14", "N5921D", "\n\f\t"], ids=repr)
def test_unsure_is_said(text: str) -> None:
    assert language_of(text) == ""


def test_quotation_in_another_language_does_not_decide() -> None:
    text = "Der Vertrag ist in drei Teile geteilt, und jeder von ihnen hat eine Nummer. " * 5
    assert language_of(text + "He said that it was the best of the three.") == "de"


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    assert len(language_of(text)) in (0, 2)
