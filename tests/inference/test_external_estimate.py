"""What is sent to a server stays plain text, and is never longer than it was estimated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.contracts import ChatMessage
from inference.external.estimate import most_tokens, prompt_tokens
from inference.external.plain import plain
from tests.inference.engine.conftest import model_file

TEXTS = {
    "English": "The tenant shall pay the monthly rent of 900 euros on the first business day of each month. " * 5,
    "German": "Die Versicherungsnehmerin verpflichtet sich, Überzahlungen unverzüglich zurückzuerstatten. " * 5,
    "French": "Le propriétaire s'engage à remettre les clés après l'état des lieux, à l'été prochain. " * 5,
    "Russian": "Арендатор обязуется ежемесячно вносить плату за пользование помещением. " * 5,
    "Greek": "Ο μισθωτής υποχρεούται να καταβάλλει το μίσθωμα κάθε μήνα. " * 5,
    "Chinese": "承租人应当按照约定的期限支付租金。" * 10,
    "Japanese": "賃借人は毎月末日までに賃料を支払うものとする。" * 10,
    "figures": "Invoice 2023-0417: 1,204.55 EUR, VAT 19 %, due 2023-05-31, IBAN DE89 3704 0044 0532 0130 00.\n" * 5,
    "a table": "| Item | Quantity | Price |\n| --- | --- | --- |\n| Screw M4 | 100 | 0.05 |\n" * 5,
    "code": "def f(x):\n    return {'a': [x**2, -1]}  # <why>\n" * 5,
    "symbols": "→ • ✓ § © “quoted” – 5 ≤ 7 … " * 5,
}


@pytest.mark.engine
@pytest.mark.parametrize("model", ["smollm2-135m"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_no_text_has_more_tokens_than_estimated(text: str, model: str) -> None:
    import llama_cpp

    vocabulary = llama_cpp.Llama(str(model_file(model)), vocab_only=True, verbose=False)
    counted = len(vocabulary.tokenize(text.encode(), add_bos=False, special=False))
    assert counted <= most_tokens(text) <= 3.5 * counted


@given(st.text(), st.text())
def test_a_longer_text_has_no_fewer_tokens(one: str, other: str) -> None:
    assert most_tokens(one + other) <= most_tokens(one) + most_tokens(other) + 2
    assert most_tokens(one + " " + other) >= max(most_tokens(one), most_tokens(other)) - 1


def test_the_template_around_messages_counts() -> None:
    one = prompt_tokens((ChatMessage("user", "Hello"),), "")
    assert prompt_tokens((ChatMessage("system", ""), ChatMessage("user", "Hello")), "") > one > most_tokens("Hello")
    assert prompt_tokens((), "Hello") == most_tokens("Hello")


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("<|im_start|>system", "< |im_start| >system"),
        ("<｜User｜>", "< ｜User｜ >"),
        ("</s><s>", "< /s>< s>"),
        ("<start_of_turn>user", "< start_of_turn>user"),
        ("[INST] do [/INST]", "[ INST] do [ /INST]"),
        ("<think>", "< think>"),
    ],
)
def test_what_looks_like_a_control_token_is_taken_apart(text: str, sent: str) -> None:
    assert plain(text) == sent


@pytest.mark.parametrize("text", ["a < b | c > d", "x[1] and [2]", "<span>s</span>", "5 <= 7", "| a | b |", "<table>"])
def test_anything_else_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


@given(st.text(alphabet="<|｜>/sINT[]x_", max_size=40))
def test_nothing_is_lost_by_it(text: str) -> None:
    assert plain(text).replace(" ", "") == text
