"""Chances of an answer's tokens: what they are worth to a caller, on the wire, and over the whole way with a fake."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference import gateway
from inference.chances import chance_against, chance_of
from inference.contracts import (
    LEAST_LOGPROB,
    Chance,
    ChatMessage,
    ChatRequest,
    Completion,
    Delta,
    Finished,
    Timings,
    TokenChance,
)
from inference.errors import BadRequest
from inference.fake import FakeAnswer, FakeEngine
from inference.gateway import StreamReader, to_wire
from inference.service.wire import Reply, parse_chat, parse_completion

YES = ("Yes", "yes", " Yes")
ASK = ChatRequest(messages=(ChatMessage("user", "Does it say so?"),), logprobs=5)

probabilities = st.floats(0.0, 1.0)
chances = st.builds(Chance, st.binary(min_size=1, max_size=6), st.floats(LEAST_LOGPROB, 0.0))
token_chances = st.builds(
    TokenChance,
    st.binary(min_size=1, max_size=6),
    st.floats(LEAST_LOGPROB, 0.0),
    st.lists(chances, max_size=4).map(tuple),
)
rows = st.dictionaries(st.sampled_from(["Yes", " yes", "YES\n", "No", " no", "The", "é"]), probabilities, min_size=1)


def token(**top: float) -> TokenChance:
    """Return the chances at a place where the first of some tokens came; `_` stands for a space before a word."""
    named = [Chance(text.replace("_", " ").encode(), math.log(share)) for text, share in top.items()]
    return TokenChance(named[0].data, named[0].logprob, tuple(named))


def completion(*logprobs: TokenChance) -> Completion:
    return Completion("", "stop", Timings(), logprobs=logprobs)


def spread(row: dict[str, float]) -> TokenChance:
    """Return a row of weights as chances that are 1 together at most."""
    whole = max(1.0, math.fsum(row.values()))
    named = [
        Chance(text.encode(), math.log(share / whole) if share > 0 else LEAST_LOGPROB) for text, share in row.items()
    ]
    named.sort(key=lambda chance: -chance.logprob)
    return TokenChance(named[0].data, named[0].logprob, tuple(named))


# What a caller learns


def test_all_ways_to_write_a_word_count_together() -> None:
    answer = completion(token(Yes=0.5, _yes=0.2, YES=0.1, No=0.15, Yesterday=0.05))
    assert chance_of(answer, {"yes"}) == pytest.approx(0.8)
    assert chance_of(answer, YES) == pytest.approx(0.8)
    assert chance_of(answer, {"no"}) == pytest.approx(0.15)
    assert chance_of(answer, {"maybe"}) == 0


def test_white_space_before_the_first_word_is_passed_over() -> None:
    answer = completion(token(_=1.0), token(No=0.75, Yes=0.25), token(Yes=1.0))
    assert chance_of(answer, YES) == pytest.approx(0.25)


def test_a_token_that_came_although_others_were_likelier_counts_too() -> None:
    unlikely = TokenChance(b"Yes", math.log(0.01), (Chance(b"No", math.log(0.9)),))
    assert chance_of(completion(unlikely), YES) == pytest.approx(0.01)


def test_nothing_known_is_not_the_same_as_improbable() -> None:
    assert chance_of(completion(), YES) is None
    assert chance_against(completion(), YES, {"no"}) is None
    assert chance_against(completion(token(The=1.0)), YES, {"no"}) is None


def test_yes_against_no_leaves_other_beginnings_out() -> None:
    answer = completion(token(The=0.6, Yes=0.3, No=0.1))
    assert chance_against(answer, YES, {"no"}) == pytest.approx(0.75)


@given(row=rows, words=st.sets(st.sampled_from(["yes", "no", "the", "é"])))
def test_a_chance_is_a_probability_and_those_of_different_words_add_up(row: dict[str, float], words: set[str]) -> None:
    answer = completion(spread(row))
    each = [chance_of(answer, {word}) or 0.0 for word in words]
    assert all(0 <= share <= 1 for share in each)
    assert chance_of(answer, words) == pytest.approx(min(1.0, math.fsum(each)))


@given(row=rows, word=st.sampled_from(["Yes", "no", "É"]))
def test_spaces_and_capitals_of_the_word_asked_for_make_no_difference(row: dict[str, float], word: str) -> None:
    answer = completion(spread(row))
    assert chance_of(answer, {word}) == chance_of(answer, {f"  {word.upper()}\n", word.lower()})


@given(row=rows)
def test_a_word_and_its_opposite_share_what_they_have(row: dict[str, float]) -> None:
    answer = completion(spread(row))
    share, rest = chance_against(answer, {"yes"}, {"no"}), chance_against(answer, {"no"}, {"yes"})
    if share is None or rest is None:
        assert not chance_of(answer, {"yes", "no"})
    else:
        assert share + rest == pytest.approx(1.0)


# On the wire


def lines(*events: Delta | Finished) -> list[str]:
    reply = Reply("m", chat=True)
    return [f"data: {json.dumps(chunk, allow_nan=False)}" for event in events for chunk in reply.chunk(event)]


@given(text=st.text(min_size=1, max_size=5), told=st.lists(token_chances, min_size=1, max_size=3).map(tuple))
def test_what_the_service_writes_the_gateway_reads(text: str, told: tuple[TokenChance, ...]) -> None:
    piece, end = Delta(text, told), Finished("stop", Timings(), "m")
    reader = StreamReader()
    assert [event for line in lines(piece, end) for event in reader.feed(line)] == [piece, end]


def test_a_token_that_is_a_part_of_a_character_keeps_its_bytes() -> None:
    part = TokenChance("é".encode()[:1], -0.5, (Chance("é".encode()[:1], -0.5),))
    assert part.to_wire() == {
        "token": "\N{REPLACEMENT CHARACTER}",
        "logprob": -0.5,
        "bytes": [0xC3],
        "top_logprobs": [{"token": "\N{REPLACEMENT CHARACTER}", "logprob": -0.5, "bytes": [0xC3]}],
    }
    assert TokenChance.from_wire(part.to_wire()) == part


def test_servers_that_leave_out_bytes_and_alternatives_are_understood() -> None:
    assert TokenChance.from_wire({"token": "é", "logprob": -1}) == TokenChance("é".encode(), -1.0)
    given = {"token": "a", "logprob": -1, "bytes": None, "top_logprobs": None}
    assert TokenChance.from_wire(given) == TokenChance(b"a", -1.0)


def test_an_answer_without_chances_says_null_as_before() -> None:
    reply = Reply("m", chat=True)
    assert reply.whole(Completion("Hi", "stop", Timings()))["choices"][0]["logprobs"] is None
    assert [chunk["choices"][0]["logprobs"] for chunk in reply.chunk(Delta("Hi"))] == [None]


def test_the_completion_form_counts_characters_from_chunk_to_chunk() -> None:
    reply = Reply("m", chat=False)
    told = [Delta("ab", (token(ab=0.5, cd=0.25),)), Delta("c", (token(c=1.0),))]
    forms = [chunk["choices"][0]["logprobs"] for piece in told for chunk in reply.chunk(piece)]
    assert forms[0] == {
        "tokens": ["ab"],
        "token_logprobs": [math.log(0.5)],
        "top_logprobs": [{"ab": math.log(0.5), "cd": math.log(0.25)}],
        "text_offset": [0],
    }
    assert forms[1]["text_offset"] == [2]


CHAT = {"messages": [{"role": "user", "content": "Hi"}]}


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({}, None),
        ({"logprobs": None, "top_logprobs": None}, None),
        ({"logprobs": False}, None),
        ({"logprobs": True}, 0),
        ({"logprobs": True, "top_logprobs": None}, 0),
        ({"logprobs": True, "top_logprobs": 20}, 20),
    ],
)
def test_a_chat_asks_with_a_switch_and_a_number(asked: dict[str, object], wanted: int | None) -> None:
    assert parse_chat({**CHAT, **asked}).logprobs == wanted


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"logprobs": 1}, "'logprobs' must be true or false"),
        ({"logprobs": "yes"}, "'logprobs' must be true or false"),
        ({"top_logprobs": 3}, "'top_logprobs' needs 'logprobs'"),
        ({"logprobs": False, "top_logprobs": 3}, "'top_logprobs' needs 'logprobs'"),
        ({"logprobs": True, "top_logprobs": 21}, "'top_logprobs' must be a whole number from 0 to 20"),
        ({"logprobs": True, "top_logprobs": -1}, "'top_logprobs' must be a whole number from 0 to 20"),
        ({"logprobs": True, "top_logprobs": False}, "'top_logprobs' must be a whole number from 0 to 20"),
    ],
)
def test_a_chat_that_asks_wrongly_is_told_how(asked: dict[str, object], field: str) -> None:
    with pytest.raises(BadRequest, match=field):
        parse_chat({**CHAT, **asked})


def test_a_raw_prompt_asks_with_a_number_alone() -> None:
    assert parse_completion({"prompt": "a"}).logprobs is None
    assert parse_completion({"prompt": "a", "logprobs": 0}).logprobs == 0
    assert parse_completion({"prompt": "a", "logprobs": 5}).logprobs == 5
    with pytest.raises(BadRequest, match="'logprobs' must be a whole number from 0 to 20"):
        parse_completion({"prompt": "a", "logprobs": True})


# Over the whole way, with a fake engine


async def test_a_caller_gets_the_chances_that_the_engine_tells(fake_inference: FakeEngine) -> None:
    fake_inference.answers.append(FakeAnswer("Yes, twice.", chances=({"Yes,": 0.75, "No.": 0.25},)))
    answer = await gateway.gateway().complete(ASK)
    assert answer.text == "Yes, twice."
    assert [told.text for told in answer.logprobs] == ["Yes,", " twice."]
    assert answer.logprobs[0].top == (Chance(b"Yes,", math.log(0.75)), Chance(b"No.", math.log(0.25)))
    assert chance_of(answer, {"no."}) == pytest.approx(0.25)
    assert answer.logprobs[1].probability == 1.0


async def test_no_more_are_told_than_were_asked_for(fake_inference: FakeEngine) -> None:
    scripted = FakeAnswer("No", chances=({"Yes": 0.5, "No": 0.375, "So": 0.125},))
    fake_inference.answers.extend([scripted, scripted])
    one = await gateway.gateway().complete(ChatRequest(messages=ASK.messages, logprobs=1))
    assert one.logprobs == (TokenChance(b"No", math.log(0.375), (Chance(b"Yes", math.log(0.5)),)),)
    none = await gateway.gateway().complete(ChatRequest(messages=ASK.messages, logprobs=0))
    assert none.logprobs == (TokenChance(b"No", math.log(0.375)),)


async def test_who_does_not_ask_is_told_nothing(fake_inference: FakeEngine) -> None:
    fake_inference.answers.append(FakeAnswer("Yes", chances=({"Yes": 0.9},)))
    answer = await gateway.gateway().complete(ChatRequest(messages=ASK.messages))
    assert (answer.text, answer.logprobs) == ("Yes", ())


@pytest.mark.parametrize("wanted", [None, 0, 7])
def test_the_wish_reaches_the_engine_as_it_was_made(wanted: int | None) -> None:
    request = ChatRequest(messages=ASK.messages, logprobs=wanted)
    assert parse_chat(to_wire(request, stream=True)) == request
