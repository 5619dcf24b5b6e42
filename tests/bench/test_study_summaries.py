"""How the benchmark looks for a summary's figures in its document."""

from __future__ import annotations

import pytest

from bench.study.summaries import look_up

TEXT = "Lease BR-2041 of January 8, 2008: three tenants pay 1,250 euros for 84.50 square metres, by the fifth day."


@pytest.mark.parametrize(
    "summary",
    [
        "Lease BR-2041 was signed on 8 January 2008.",
        "The 3 tenants pay 1250 euros [1].",
        "The flat has 84.50 square metres, dated 1/8/2008.",
    ],
)
def test_a_figure_in_another_writing_is_found(summary: str) -> None:
    assert look_up(summary, TEXT).missing == ()


@pytest.mark.parametrize(
    ("summary", "missing"),
    [
        ("The rent is 1,520 euros.", ("1,520",)),
        ("Lease BR-2014 is meant.", ("BR-2014",)),
        ("It was signed on January 9, 2008.", ("January 9, 2008",)),
        ("There are 4 tenants.", ("4",)),
    ],
)
def test_a_figure_that_the_document_lacks_is_named(summary: str, missing: tuple[str, ...]) -> None:
    assert look_up(summary, TEXT).missing == missing


def test_each_figure_counts_once_as_written() -> None:
    assert look_up("Lease BR-2041: 1,250 euros since January 8, 2008 [2].", TEXT).figures == 4
