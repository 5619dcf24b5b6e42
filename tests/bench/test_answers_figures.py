"""The figures that the benchmark of answering draws from the answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.answers import elsewhere, figures, promises
from bench.answers.judging import Judged, judge
from bench.answers.questions import Question
from bench.answers.records import Book, Record
from bench.report import Figure

QUESTIONS = [
    Question("s1", "Rent?", "specific", ("passages", "deep"), expect=(("950",),)),
    Question("s2", "Deposit?", "specific", ("passages", "deep"), expect=(("1900",),)),
    Question("b1", "About?", "broad", ("digest",), expect=(("lease",),)),
]


def record(record_id: str, answer: str, lane: str, phase: str = "questions", **more: float) -> Record:
    return Record.of({**more}, phase=phase, id=record_id, question=record_id, answer=answer, lane=lane)


def judged(*records: Record) -> list[Judged]:
    return judge(QUESTIONS, records, {"a.pdf": "A lease: rent 950, deposit 1900."})


def values(found: list[Figure]) -> dict[str, float]:
    return {figure.name: round(figure.value, 3) for figure in found}


def test_ways_that_may_not_be_taken_are_counted() -> None:
    found = figures.router(judged(record("s1", "950", "digest"), record("s2", "1900", "deep"), record("b1", "x", "")))
    assert values(found) == {"way within those allowed": 0.333, "specific from the digest": 1}
    assert "s1 digest" in found[0].detail
    assert [figure.passed for figure in found] == [False, False]


def test_right_answers_stand_beside_those_of_plain_prompting() -> None:
    ours = judged(record("s1", "950", "passages"), record("s2", "900", "deep"), record("b1", "a lease", "digest"))
    plain = judged(record("s1", "950", "passages", "classic"), record("s2", "1900", "passages", "classic"))
    found = {figure.name: figure for figure in figures.right(ours, plain)}
    assert found["specific"].value == 0.5
    assert found["specific"].detail == "1/2; passages 1/1, deep 0/1"
    assert found["specific"].passed is False
    assert found["specific, above plain prompting"].value == -0.5
    assert found["specific, above plain prompting"].detail == "1/2 beside 2/2"
    assert found["broad"].passed is True
    assert "broad, above plain prompting" not in found


def test_invented_figures_are_counted_wherever_they_were_given() -> None:
    found = figures.inventions(judged(record("s1", "950 or 951 or 952", "deep")), [])
    assert (found[0].value, found[0].passed) == (2, False)


def test_predicted_seconds_are_held_against_the_real_ones() -> None:
    records = [
        Record("questions", "s1", "", predicted_s=3.0, total_s=2.0),
        Record("questions", "s2", "", predicted_s=4.0, total_s=8.0),
        Record("questions", "b1", "", total_s=1.0),
    ]
    assert values(figures.predictions(records)) == {"mean error": 2.5, "mean error over the real seconds": 0.5}
    assert figures.predictions(records[2:]) == []


def test_what_was_not_read_again_is_told_by_lane() -> None:
    records = [
        record("s1", "", "deep", prompt_tokens=1000, restored_tokens=800, reused_tokens=100, read_tokens=100),
        record("s2", "", "passages", prompt_tokens=400, read_tokens=400),
    ]
    assert values(figures.remembered("once read", records)) == {"once read, deep": 0.9, "once read, passages": 0.0}


def test_questions_without_an_answer_are_named() -> None:
    found = figures.failures([Record("before", "s1", "Rent?", error="The model is away.")])
    assert (found[0].value, found[0].detail) == (1, "before s1")


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book.begin(tmp_path / "answers.jsonl", {"model": "m"}, resume=False)


def test_promises_are_held_against_the_answers_of_their_moment(book: Book) -> None:
    about = "What are these documents about?"
    book.add(Record("before", "s1", "Rent?", ttft_s=13.0, prompt_tokens=1000, reused_tokens=500, read_tokens=500))
    book.add(Record("restart", "about", about, ttft_s=0.1, total_s=0.2, from_cache=True))
    book.add(Record("restart", "about-again", about, seconds=0.2, from_cache=True))
    book.add(Record("restart", "about-anew", about, ttft_s=0.9, total_s=9.0, prompt_tokens=900, read_tokens=60))
    book.add(Record("questions", "s1", "Rent?", ttft_s=1.5, prompt_tokens=1000, restored_tokens=900, read_tokens=100))
    book.add(Record("classic", "b1", about, ttft_s=190.0, total_s=196.0))
    book.learn(corpus_tokens=1000, study_tokens=1290, study_s=20.0)

    found = promises.figures(book, ["s1", "s2"])

    assert [(round(figure.value, 2), figure.passed) for figure in found] == [
        (0.2, True),
        (0.1, True),
        (0, True),
        (9.0, False),
        (0.9, True),
        (60, True),
        (0.2, False),
        (0.5, False),
        (0.9, True),
        (1.5, True),
        (13.0, False),
        (1.29, True),
    ]
    assert "plain prompting: 190.0 s and 196.0 s" in found[0].detail


def test_a_question_without_an_answer_keeps_no_promise(book: Book) -> None:
    about = "What are these documents about?"
    why = "The model is away."
    book.add(Record("restart", "about", about, error=why))
    book.add(Record("restart", "about-again", about, error=why))
    book.add(Record("questions", "s1", "Rent?", error=why, ttft_s=0.1))
    assert promises.figures(book, ["s1"]) == []


def test_a_run_of_some_measures_promises_nothing_else(book: Book) -> None:
    assert promises.figures(book, ["s1"]) == []


def test_what_other_benchmarks_measure_comes_from_their_results(tmp_path: Path) -> None:
    theirs = Figure("live", "until its decode starts", 12.0, "ms", 50, "at most", "40 questions")
    one = {**vars(theirs), "data": {}}
    (tmp_path / "study.json").write_text(json.dumps({"when": "2026-11-30", "model": "m", "figures": [one]}))

    found, notes = elsewhere.figures(tmp_path, "m")

    assert [(figure.measure, figure.value, figure.passed) for figure in found] == [("live", 12.0, True)]
    assert found[0].detail == "measured on 2026-11-30; 40 questions"
    missing = ["bench-study ONLY=reading", "bench-study ONLY=kills", "bench-engine ONLY=throughput"]
    assert [note.split("make ")[1] for note in notes] == missing
    assert elsewhere.figures(tmp_path, "another")[0] == []
