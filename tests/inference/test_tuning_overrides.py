"""What can be set about a model: nonsense is refused in a sentence, everything else arrives at the service."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.service.__main__ import options_parser
from inference.service.planning import named_flags
from inference.tuning.overrides import KV_CHOICES, BadSetting, Limits, Overrides, parse

HERE = Limits(threads=4)
CARD = Limits(threads=4, gpu=True)

settings = st.builds(
    Overrides,
    window=st.none() | st.integers(8, 4096).map(lambda steps: steps * 256),
    kv=st.none() | st.sampled_from(KV_CHOICES),
    flash_attention=st.none() | st.booleans(),
    threads=st.none() | st.integers(1, 4),
    gpu_layers=st.none() | st.integers(0, 99),
    conversations=st.none() | st.integers(1, 8),
)


def test_nothing_typed_is_all_automatic() -> None:
    assert parse({}, HERE) == Overrides()
    assert parse({"window": " ", "kv": "auto", "threads": "automatic"}, HERE) == Overrides()
    assert Overrides().words == ()


def test_what_is_typed_is_taken() -> None:
    typed = {"window": "8,192", "kv": "Q8_0", "flash_attention": "on", "threads": " 2 ", "conversations": "1"}
    assert parse(typed, HERE) == Overrides(8192, "q8_0", flash_attention=True, threads=2, conversations=1)


def test_a_window_between_two_steps_is_rounded_down() -> None:
    assert parse({"window": "5000"}, HERE).window == 4864


def test_a_window_beyond_this_machine_is_taken_since_memory_may_be_added() -> None:
    assert parse({"window": "1000000"}, HERE).window == 999_936


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"window": "lots"}, "'lots' is no window in tokens"),
        ({"window": "-4096"}, "must be at least 2,048"),
        ({"window": "0"}, "must be at least 2,048"),
        ({"window": "1e9"}, "'1e9' is no window"),
        ({"window": "99999999999"}, "1,048,576 at most"),
        ({"kv": "q9_9"}, "'q9_9' is no choice for type of the cache. There are f16, q8_0, q4_0"),
        ({"kv": "f16; rm -rf"}, "is no choice"),
        ({"flash_attention": "maybe"}, "'maybe' is no choice for flash attention"),
        ({"threads": "0"}, "must be at least 1"),
        ({"threads": "64"}, "64 threads are more than this machine computes at once: it has 4"),
        ({"threads": "2.5"}, "'2.5' is no number of threads"),
        ({"conversations": "9"}, "8 at most"),
        ({"gpu_layers": "10"}, "computes on no graphics card"),
    ],
    ids=str,
)
def test_nonsense_is_refused_in_a_sentence(typed: dict[str, str], said: str) -> None:
    with pytest.raises(BadSetting) as refused:
        parse(typed, HERE)
    assert said in refused.value.message
    assert refused.value.message.endswith(".")


def test_layers_can_be_set_where_there_is_a_card() -> None:
    assert parse({"gpu_layers": "10"}, CARD).gpu_layers == 10
    with pytest.raises(BadSetting, match="at least 0"):
        parse({"gpu_layers": "-2"}, CARD)


@given(st.dictionaries(st.sampled_from(["window", "kv", "flash_attention", "threads", "gpu_layers", "x"]), st.text()))
def test_whatever_is_typed_is_taken_or_refused(typed: dict[str, str]) -> None:
    try:
        made = parse(typed, HERE)
    except BadSetting:
        return
    assert Overrides.of_words(made.words) == made


@given(settings)
def test_settings_come_back_from_the_words_of_the_command_line(made: Overrides) -> None:
    assert Overrides.of_words(made.words) == made


@given(settings)
def test_the_service_understands_the_words(made: Overrides) -> None:
    options = options_parser().parse_args(["--model", "m", "--run-dir", "r", *made.words])
    assert options.window == (made.window or 16_384)
    assert options.conversations == (made.conversations or 2)
    assert options.threads == (made.threads or 0)
    assert options.gpu_layers == (-1 if made.gpu_layers is None else made.gpu_layers)
    flags = named_flags(options)
    assert flags.type_k == flags.type_v == (made.kv or "f16")
    if made.flash_attention is not None:
        assert flags.flash_attention is made.flash_attention


@pytest.mark.parametrize("words", [("--window",), ("--port", "1"), ("--window", "wide"), ("--flash-attention", "auto")])
def test_words_of_another_kind_are_not_taken_for_settings(words: tuple[str, ...]) -> None:
    with pytest.raises((ValueError, KeyError)):
        Overrides.of_words(words)
