"""The benchmark of intake: what it can be asked, how it judges a passage, and that a quick run measures everything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.intake.measures.quality import Question, share_found, specific
from bench.intake.options import MEASURES, from_environment
from bench.options import BadOption
from tests.builders import pdf
from tests.projects.factories import passage
from tests.stack import ROOT

QUESTION = Question("Rent?", {"lease.pdf": [2, 4]})


def test_nothing_said_measures_everything() -> None:
    options = from_environment({})
    assert (options.measures, options.sizes.chunks, options.corpus, options.strict) == (MEASURES, 100_000, None, False)


def test_a_quick_run_of_some_measures() -> None:
    options = from_environment({"QUICK": "1", "ONLY": "quality, reading"})
    assert options.measures == ("reading", "quality")
    assert options.sizes.chunks < 10_000


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("ONLY", "speed", "speed is no measure"), ("CORPUS", "/nowhere", r"no file questions\.jsonl")],
)
def test_a_wish_that_cannot_be_met_is_named(name: str, value: str, said: str) -> None:
    with pytest.raises(BadOption, match=f"{name}={value}.*{said}"):
        from_environment({name: value})


@pytest.mark.parametrize(
    ("page", "text", "right"),
    [(2, "Rent.", True), (1, "Before.\fRent.", True), (3, "Not here.", False), (None, "No pages.", False)],
)
def test_a_passage_is_right_if_it_reaches_a_page_of_the_answer(page: int | None, text: str, right: bool) -> None:
    assert QUESTION.is_answered_by(passage(text, page=page)) is right


def test_a_passage_of_another_document_is_not_right() -> None:
    assert not QUESTION.is_answered_by(passage("Rent.", document="other.pdf", page=2))


def test_only_questions_after_one_fact_count_and_only_the_first_passages() -> None:
    lines = [
        json.dumps({"kind": "specific", "text": "Rent?", "pages": {"lease.pdf": [2]}}),
        json.dumps({"kind": "broad", "text": "About?", "pages": {}}),
        json.dumps({"kind": "specific", "text": "Late?", "pages": {"lease.pdf": [9]}}),
    ]
    found = [passage("Wrong.", page=1)] * 4 + [passage("Rent.", page=2), passage("Too late.", page=9)]
    questions = specific(lines)
    assert share_found(questions, lambda text: found) == (0.5, ["Late?"])


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_quick_run_measures_everything(tmp_path: Path) -> None:
    (tmp_path / "lease.pdf").write_bytes(pdf(["Lease of a flat."], ["The monthly rent is 900 euros."]))
    line = {"kind": "specific", "text": "How much is the rent?", "pages": {"lease.pdf": [2]}}
    (tmp_path / "questions.jsonl").write_text(json.dumps(line) + "\n")
    environment = {**os.environ, "QUICK": "1", "CORPUS": str(tmp_path)}
    environment.pop("READAHEAD_EMBEDDINGS", None)
    done = subprocess.run(
        [sys.executable, "-m", "bench.intake"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    run = json.loads((ROOT / "bench-results" / "intake-quick.json").read_text())
    assert run["quick"]
    figures = {(figure["measure"], figure["name"]): figure["value"] for figure in run["figures"]}
    assert {measure for measure, _ in figures} == set(MEASURES)
    assert figures["kills", "files that did not end as they must"] == 0
    assert figures["ocr", "share of the words that were found"] > 0.9
    assert figures["quality", "right page among the first 5, by both"] == 1
    # A difference of two short times: of so few pages it may come out below nothing.
    del figures["reading", "cost of a page as pages grow fourfold"]
    assert all(value >= 0 for value in figures.values())
