"""Streaming text: whole characters, nothing beyond a stop string, nothing lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inference.engine.text import TextStream


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    pieces, at = [], 0
    for size in sizes:
        pieces.append(data[at : at + size])
        at += size
    return [*pieces, data[at:]]


@given(st.text(), st.lists(st.integers(1, 5), max_size=40))
def test_any_cut_of_the_bytes_gives_the_text_again(text: str, sizes: list[int]) -> None:
    stream = TextStream()
    pieces = [stream.feed(piece) for piece in cut(text.encode(), sizes)]
    assert "".join(pieces) + stream.close() == text


@given(st.text("abX"), st.sampled_from(["X", "ab", "abX", "aab"]), st.lists(st.integers(1, 3), max_size=20))
def test_text_ends_before_the_first_stop_string_wherever_tokens_are_cut(text: str, stop: str, sizes: list[int]) -> None:
    stream = TextStream([stop])
    said = "".join(stream.feed(piece) for piece in cut(text.encode(), sizes)) + stream.close()
    assert said == text.split(stop, maxsplit=1)[0]
    assert stream.stopped == (stop in text)


def test_a_character_over_three_tokens_appears_once_whole() -> None:
    stream = TextStream()
    assert [stream.feed(bytes([byte])) for byte in "€".encode()] == ["", "", "€"]


def test_text_that_may_become_a_stop_string_waits_and_is_not_lost() -> None:
    stream = TextStream(["\n\nQuestion"])
    assert stream.feed(b"Seven.\n\nQ") == "Seven."
    assert stream.feed(b"uite so") == "\n\nQuite so"
    assert stream.feed(b"\n\n") == ""
    assert stream.close() == "\n\n"


def test_the_earliest_of_several_stop_strings_ends_the_text() -> None:
    stream = TextStream(["END", "stop"])
    assert stream.feed(b"a stop b END") == "a "
    assert stream.feed(b"more") == ""
    assert stream.close() == ""
