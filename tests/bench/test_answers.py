"""The benchmark of answering: what it can be asked, what it writes down, and that a quick run measures everything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.answers.classic import instructions
from bench.answers.options import MEASURES, QUICK_REPORTS, from_environment
from bench.answers.questions import OWN, Said, load
from bench.answers.records import Book, Cited, Record
from bench.options import BadOption
from tests.reports import REPORTS
from tests.stack import ROOT

RENT = {"id": "q1", "text": "Rent?", "kind": "specific", "lane_ok": ["passages"], "expect": [["900"]]}


def folder(path: Path, *questions: dict[str, Any]) -> Path:
    """Make a corpus of one document and these questions."""
    (path / "lease.txt").write_text("The rent is 900 euros.")
    (path / "questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions))
    return path


def test_nothing_said_measures_everything_on_the_reference_model() -> None:
    options = from_environment({})
    assert (options.model.id, options.measures, options.corpus) == ("qwen2.5-coder-1.5b", MEASURES, None)
    assert (options.early, options.name) == (5, "answers")


def test_a_quick_run_asks_what_its_few_reports_can_answer() -> None:
    asked = [question for question in from_environment({"QUICK": "1"}).questions if question.kind != "broad"]
    there = {report.file_name for report in REPORTS[:QUICK_REPORTS]}
    assert asked
    assert all(set(question.docs) <= there for question in asked)


def test_our_own_questions_are_about_our_own_reports_and_of_every_kind() -> None:
    questions = load(OWN)
    assert len({question.id for question in questions}) == len(questions)
    assert {question.kind for question in questions} == {
        *("broad", "specific", "followup", "count", "deep", "unanswerable"),
    }
    names = {report.file_name for report in REPORTS}
    assert all(set(question.docs) <= names and set(question.pages) <= names for question in questions)


def test_a_corpus_brings_its_questions(tmp_path: Path) -> None:
    history = [{"role": "user", "text": "Who?"}, {"role": "assistant", "text": "Ada."}]
    corpus = folder(tmp_path, {**RENT, "history": history, "pages": {"lease.txt": [1]}})
    (question,) = from_environment({"CORPUS": str(corpus)}).questions
    assert (question.id, question.expect, question.pages) == ("q1", (("900",),), {"lease.txt": (1,)})
    assert question.history == (Said("Who?", "Ada."),)


def test_so_many_questions_are_taken_with_the_kinds_in_turns() -> None:
    kinds = Counter(question.kind for question in from_environment({"QUESTIONS": "8"}).questions)
    assert len(kinds) == 6
    assert sum(kinds.values()) == 8


def test_questions_are_chosen_by_their_ids() -> None:
    chosen = from_environment({"QUESTIONS": "own-05, own-03"}).questions
    assert [question.id for question in chosen] == ["own-03", "own-05"]


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"ONLY": "speed"}, "speed is no measure"),
        ({"QUESTIONS": "own-03,mine"}, "no question mine"),
        ({"CORPUS": "/nowhere"}, r"no file questions\.jsonl"),
        ({"MODEL": "none"}, "no such model"),
    ],
    ids=str,
)
def test_a_wish_that_cannot_be_met_is_named(environ: dict[str, str], said: str) -> None:
    with pytest.raises(BadOption, match=said):
        from_environment(environ)


def test_a_line_that_is_no_question_is_named(tmp_path: Path) -> None:
    folder(tmp_path, RENT, {"id": "q2"})
    with pytest.raises(BadOption, match="line 2: this is no question"):
        from_environment({"CORPUS": str(tmp_path)})


RECORD = Record("questions", "q1", "Rent?", answer="900.", lane="deep", ttft_s=0.5, citations=(Cited("a.pdf", 2, "9"),))


def test_what_was_answered_is_there_after_a_run_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    book = Book.begin(path, {"model": "m"}, resume=False)
    book.add(RECORD)
    book.learn(study_s=12.5)
    with path.open("a") as file:
        file.write('{"answer": {"phase": "quest')

    again = Book.begin(path, {"model": "m"}, resume=True)

    assert again.of("questions") == [RECORD]
    assert again.facts == {"study_s": 12.5}
    assert again.lacks("questions", ["q1", "q2"]) == ["q2"]
    assert path.stat().st_mode & 0o077 == 0


def test_a_run_about_something_else_is_not_gone_on_with(tmp_path: Path) -> None:
    Book.begin(tmp_path / "answers.jsonl", {"model": "m"}, resume=False)
    with pytest.raises(BadOption, match="another model"):
        Book.begin(tmp_path / "answers.jsonl", {"model": "n"}, resume=True)


def test_a_new_run_begins_with_nothing(tmp_path: Path) -> None:
    Book.begin(tmp_path / "answers.jsonl", {"model": "m"}, resume=False).add(RECORD)
    assert Book.begin(tmp_path / "answers.jsonl", {"model": "m"}, resume=False).records == {}


def test_no_two_plain_prompts_begin_alike() -> None:
    assert instructions("q1")[:4] != instructions("q2")[:4]


@pytest.mark.slow
@pytest.mark.engine
@pytest.mark.timeout(600)
def test_a_quick_run_measures_everything() -> None:
    environment = {**os.environ, "QUICK": "1"}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, "-m", "bench.answers"]
    bench = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        _, said = bench.communicate()
    finally:
        bench.terminate()  # where the test has run out of time: it ends what it has started itself
        bench.wait()
    assert bench.returncode == 0, said
    run = json.loads((ROOT / "bench-results" / "answers-quick.json").read_text())
    figures = {(figure["measure"], figure["name"]): figure["value"] for figure in run["figures"]}
    # The smallest model may end an answer without a word; whoever asks has to come back with something all the same.
    assert not [note for note in run["notes"] if "went wrong" in note or "not running" in note]
    wanted = {
        "first question",
        "again",
        "remembered",
        "first word",
        "study",
        "router",
        "right",
        "invented",
        "citations",
    }
    assert wanted <= {measure for measure, _ in figures}
    assert Counter(answer["phase"] for answer in run["answers"]) == {
        "before": 2, "restart": 3, "questions": 5, "classic": 4
    }  # fmt: skip
    classic = [answer for answer in run["answers"] if answer["phase"] == "classic"]
    assert all(answer["prompt_tokens"] - answer["read_tokens"] < 16 for answer in classic)
    assert run["estimate"]["corpus_tokens"] > 0
