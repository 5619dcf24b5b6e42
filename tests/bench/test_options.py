"""What the environment can ask of the benchmark."""

from __future__ import annotations

import pytest

from bench.options import MEASURES, BadOption, from_environment


def test_nothing_said_measures_everything_on_the_reference_model() -> None:
    options = from_environment({}, cores=2)
    assert (options.model.id, options.measures, options.threads) == ("qwen2.5-coder-1.5b", MEASURES, 2)
    assert [entry.id for entry in options.restored] == [
        "qwen2.5-coder-1.5b",
        "qwen2.5-coder-0.5b",
        "smollm2-135m",
        "gemma3-270m",
    ]
    assert [entry.id for entry in options.planned] == ["qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b", "smollm2-135m"]
    assert (options.quick, options.strict, options.sizes.soak_s) == (False, False, 1800)


def test_a_quick_run_takes_the_small_model_and_no_other() -> None:
    options = from_environment({"QUICK": "1"}, cores=2)
    assert (options.model.id, len(options.restored), len(options.planned)) == ("smollm2-135m", 1, 1)
    assert options.sizes.questions < 20


def test_a_named_model_is_the_only_one() -> None:
    options = from_environment({"MODEL": "gemma3-270m"}, cores=2)
    assert [entry.id for entry in (options.model, *options.restored, *options.planned)] == ["gemma3-270m"] * 3


def test_measures_keep_their_order_whatever_order_they_are_named_in() -> None:
    assert from_environment({"ONLY": "soak, restore"}, cores=2).measures == ("restore", "soak")


def test_switches_and_numbers_are_read() -> None:
    options = from_environment({"STRICT": "1", "QUICK": "0", "SOAK_MINUTES": "0.5", "THREADS": "4"}, cores=2)
    assert (options.strict, options.quick, options.sizes.soak_s, options.threads) == (True, False, 30, 4)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("MODEL", "gpt", "no such model"),
        ("ONLY", "speed", "speed is no measure"),
        ("SOAK_MINUTES", "long", "a number above 0"),
        ("THREADS", "-1", "a number above 0"),
    ],
)
def test_a_wish_that_cannot_be_met_is_named(name: str, value: str, said: str) -> None:
    with pytest.raises(BadOption, match=f"{name}={value}.*{said}"):
        from_environment({name: value}, cores=2)
