"""How figures are judged and shown."""

from __future__ import annotations

import json

import pytest

from bench.report import Figure, as_json, missed, number, table


@pytest.mark.parametrize(
    ("value", "bound", "passed"),
    [(0.97, "at least", True), (0.969, "at least", False), (0.97, "at most", True), (0.971, "at most", False)],
)
def test_a_figure_on_its_target_has_met_it(value: float, bound: str, passed: bool) -> None:
    figure = Figure("m", "f", value, target=0.97, bound="at least" if bound == "at least" else "at most")
    assert figure.passed is passed


def test_a_figure_without_a_target_is_neither_met_nor_missed() -> None:
    figure = Figure("m", "f", 1.0)
    assert figure.passed is None
    assert missed([figure]) == []
    assert "pass" not in table([figure])
    assert "FAIL" not in table([figure])


def test_the_table_says_value_target_verdict_and_what_was_compared() -> None:
    shown = table([Figure("yield", "delay", 61.23, "ms", 50, "at most", "200 questions")])
    assert "61.2 ms  at most 50  FAIL" in shown
    assert shown.splitlines()[-1].strip() == "200 questions"


def test_columns_stand_below_each_other() -> None:
    lines = table([Figure("a", "short", 1), Figure("longer", "a longer name", 1234.5, "s")]).splitlines()
    assert lines[2].index("1") == lines[3].index("1,234.5") == lines[0].index("value")


def test_json_holds_the_verdict_and_the_single_measurements() -> None:
    figure = Figure("m", "f", 2.0, target=1.0, data={"ms": [1.0, 2.0]})
    (entry,) = json.loads(json.dumps(as_json([figure])))
    assert (entry["passed"], entry["data"]) == (True, {"ms": [1.0, 2.0]})


@pytest.mark.parametrize(("value", "shown"), [(0, "0"), (12_126, "12,126"), (0.9731, "0.973"), (48.26, "48.3")])
def test_numbers_have_the_digits_they_deserve(value: float, shown: str) -> None:
    assert number(value) == shown
