"""What a question asks for is told by its words, in four languages, whatever its case and accents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.answering.wording import Kind, folded, kind_of, leans_back, speaks_of_all

OVERVIEW = [
    "What are these documents about?",
    "WHAT IS THIS PROJECT ABOUT",
    "what's in this pile of files",
    "Summary",
    "Can you summarise the whole project for me?",
    "tl;dr",
    "Worum geht es in diesen Unterlagen?",
    "Fass mir die Verträge zusammen",
    "Zusammenfassung bitte",
    "De quoi parlent ces documents ?",
    "RÉSUMÉ",
    "¿De qué tratan estos documentos?",
    "Resumen, por favor",
]
ACROSS = [
    "What do all of these files have in common?",
    "Across all the reports, what are the main causes the investigators came up with?",
    "Was haben diese Verträge gemeinsam?",
    "Quelles sont les principales causes ?",
    "¿Qué tienen en común estos documentos?",
]
MOSTLY = [
    "Which kind of damage appears most often here?",
    "what is the most common reason",
    "Welcher Schaden kommt am häufigsten vor?",
    "Quelle est la cause la plus fréquente ?",
    "¿Cuál es la causa más frecuente?",
]
WHICH = [
    "How many of these leases allow pets?",
    "Which invoices are overdue?",
    "which of these reports mention a fire",
    "How many contracts mention a deposit?",
    "List the letters that are about water damage",
    "Welche Rechnungen sind noch offen?",
    "Quels contrats finissent en mai ?",
    "¿Cuántas facturas están pagadas?",
]
EVERY = [
    "Give me the date of every invoice",
    "What is the notice period in each of these contracts?",
    "Read every report completely and name the author",
    "Nenne den Betrag jeder Rechnung",
    "Donne la date de chaque contrat",
    "Dime el importe de cada factura",
]
TOTAL = [
    "How many contracts are there altogether?",
    "How many documents do I have?",
    "Wie viele Rechnungen gibt es?",
    "Combien de contrats y a-t-il ?",
    "¿Cuántas facturas hay?",
]
LIST = [
    "List every document here with one line about each",
    "Summarise each document.",
    "list all my invoices",
    "Liste alle Rechnungen",
    "Une ligne sur chaque contrat",
    "Lista todas las facturas",
]
FULL = [
    "Read the whole lease and tell me every deadline",
    "Go through the report from start to end and list all dates",
    "Lies den Vertrag ganz und nenne alle Fristen",
    "Lis le contrat en entier et donne toutes les dates",
    "Lee el informe completo y dime todas las fechas",
    "Read all of the report on the fire and list the damage",
]
FACT = [
    "How much is the rent?",
    "Who signed the lease with Maria Weber?",
    "How many hours did the pilot have?",
    "Which runway was used?",
    "Which of his landings went wrong?",
    "IBAN?",
    "wann wurde gekündigt",
    "Quel âge avait le pilote ?",
    "¿Quién es el arrendador?",
    "what was the wether like",
]


@pytest.mark.parametrize(
    ("kind", "question"),
    [
        *((Kind.OVERVIEW, q) for q in OVERVIEW),
        *((Kind.ACROSS, q) for q in ACROSS),
        *((Kind.MOSTLY, q) for q in MOSTLY),
        *((Kind.WHICH, q) for q in WHICH),
        *((Kind.EVERY, q) for q in EVERY),
        *((Kind.TOTAL, q) for q in TOTAL),
        *((Kind.LIST, q) for q in LIST),
        *((Kind.FULL, q) for q in FULL),
        *((Kind.FACT, q) for q in FACT),
    ],
)
def test_a_question_is_told_by_its_words(kind: Kind, question: str) -> None:
    assert kind_of(question, anchored=False) is kind


def test_part_of_one_named_thing_is_a_fact_and_of_all_of_them_a_walk() -> None:
    assert kind_of("How many of the seats in the Piper were taken?", anchored=True) is Kind.FACT
    assert kind_of("How many of the planes were home-built?", anchored=False) is Kind.WHICH


def test_what_is_said_of_the_pile_is_a_fact_of_one_that_is_named() -> None:
    assert kind_of("What was the main cause of the fire in Weber's flat?", anchored=True) is Kind.FACT
    assert kind_of("What was the main cause of the fires?", anchored=False) is Kind.ACROSS


@pytest.mark.parametrize(
    ("question", "of_all"),
    [
        ("Can you summarise the whole project for me in a few sentences?", True),
        ("what's in this pile of files", True),
        ("Fasse alle Verträge zusammen", True),
        ("Résume ces documents", True),
        ("Resume estos documentos", True),
        ("Summarise all reports about Wausau", False),
        ("Summarise the lease", False),
        ("Summarise all letters of 2019", False),
    ],
)
def test_a_question_may_speak_of_everything_there_is(question: str, of_all: bool) -> None:
    assert speaks_of_all(question) is of_all


def test_documents_may_be_called_by_their_type() -> None:
    assert kind_of("which accidents happened in november", anchored=False) is Kind.FACT
    assert kind_of("which accidents happened in november", anchored=False, collections=["accident"]) is Kind.WHICH
    assert kind_of("In which accident did the wheel break?", anchored=False, collections=["accident"]) is not Kind.FULL


@given(st.text())
def test_case_accents_and_spaces_make_no_difference(question: str) -> None:
    assert folded(f"  {question}\n") == folded(question)
    assert kind_of(question, anchored=False) in Kind


@pytest.mark.parametrize(
    ("question", "leans"),
    [
        ("And the other one?", True),
        ("How old was he?", True),
        ("what engine did it have", True),
        ("Und in Berlin?", True),
        ("Et celui de Paris ?", True),
        ("Why?", True),
        ("What is the notice period of the lease in Hamburg?", False),
        ("¿Cuál es el importe total de la factura?", False),
        ("¿Cuáles son las fechas de entrega del contrato?", False),
        ("¿Y cuándo firmó ella el contrato de compraventa?", True),
    ],
)
def test_what_cannot_be_understood_alone_leans_on_what_was_said(question: str, *, leans: bool) -> None:
    assert leans_back(question) is leans
