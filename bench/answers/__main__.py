"""Entry point of the benchmark of answering (`make bench`): runs it, shows and writes the figures and every answer."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from bench.answers import elsewhere, figures, promises
from bench.answers.classic import PHASE as CLASSIC
from bench.answers.judging import Judged, judge
from bench.answers.options import QUICK_REPORTS, Options, documents, from_environment
from bench.answers.records import Book
from bench.answers.run import Run, measure
from bench.children import ChildDied
from bench.machine import describe
from bench.options import BadOption
from bench.report import Figure
from bench.running import RESULTS, show, write
from bench.study.installation import Trouble
from inference.fetch import FetchError, ensure_installed
from inference.fetch.console import ConsoleReport
from ragsite.home import models_folder
from tests.reports import REPORTS

OCCUPIED = "The answers are being measured already, in another process."
OWN_REPORTS = "The documents are reports of our own making, too short to judge the cost by; name others: CORPUS="


def main() -> int:
    """Return 0, or 1 when something could not be measured or, with STRICT=1, a target was missed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as with Ctrl-C, with what was started
    try:
        options = from_environment(os.environ)
        with alone(options):
            return measured(options)
    except (BadOption, FetchError, Trouble, ChildDied) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nStopped. What was answered is in {RESULTS.name}; RESUME=1 goes on from there.", file=sys.stderr)
        return 130


@contextmanager
def alone(options: Options) -> Iterator[None]:
    """Hold the folder of the installation and delete it at the end: it has the documents' text. Raises BadOption."""
    RESULTS.mkdir(exist_ok=True)
    lock = FileLock(RESULTS / f"{options.name}.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise BadOption(OCCUPIED) from None
    try:
        shutil.rmtree(scratch(options), ignore_errors=True)
        yield
    finally:
        shutil.rmtree(scratch(options), ignore_errors=True)
        lock.release()


def scratch(options: Options) -> Path:
    """Return the folder of the measured installation and of documents of our own making."""
    return RESULTS / f"scratch-{options.name}"


def measured(options: Options) -> int:
    """Measure, show and write; return the exit code."""
    run = prepare(options)
    machine = describe()
    measure(run)
    judged = judge(options.questions, run.book.records.values(), run.texts)
    found = drawn(run, judged)
    answers = [one.to_json() for one in judged]
    about = {**about_run(options, run.files), "machine": machine, "estimate": run.estimate, "answers": answers}
    path = write(f"{options.name}.json", about, found, run.notes)
    path.chmod(0o600)  # it quotes the documents
    failures = show(found, run.notes, path)
    return int(options.strict and bool(failures))


def prepare(options: Options) -> Run:
    """Bring the model and lay out the documents. Raises FetchError, BadOption."""
    files = scratch(options) / "files"
    files.mkdir(parents=True)
    report = ConsoleReport(sys.stderr, options.model.id)
    try:
        ensure_installed(options.model, models_folder(), report)
    finally:
        report.close()
    if options.corpus is None:
        for made in REPORTS[: QUICK_REPORTS if options.quick else None]:
            (files / made.file_name).write_bytes(made.file())
    papers = documents(options.corpus or files)
    book = Book.begin(RESULTS / f"{options.name}.jsonl", about_run(options, papers), resume=options.resume)
    run = Run(options, papers, scratch(options) / "home", book)
    if options.corpus is None:
        run.notes.append(OWN_REPORTS)
    return run


def about_run(options: Options, papers: Sequence[Path]) -> dict[str, Any]:
    """Return what tells a run from others: model, documents and questions."""
    content = hashlib.sha256(repr((options.questions, [file.stat().st_size for file in papers])).encode())
    return {
        "model": options.model.id,
        "quick": options.quick,
        "documents": [file.name for file in papers],
        "questions": len(options.questions),
        "key": content.hexdigest()[:16],
    }


def drawn(run: Run, judged: Sequence[Judged]) -> list[Figure]:
    """Return all figures, the promises of the whole first; put what a reader must see besides into the notes."""
    options, book = run.options, run.book
    ids = {question.id for question in options.questions}
    ours = [one for one in judged if one.record.phase != CLASSIC]
    plain = [one for one in judged if one.record.phase == CLASSIC]
    answered = [one for one in ours if one.record.phase == "questions" and one.question.id in ids]
    compared = [one for one in plain if one.question.id in ids]
    others, notes = elsewhere.figures(RESULTS, options.model.id)
    run.notes += notes + [note for one in ours for note in remarks(one)]
    return [
        *promises.figures(book, [question.id for question in options.questions if question.kind == "specific"]),
        *others,
        *figures.router(answered),
        *figures.right(answered, compared),
        *figures.inventions(ours, plain),
        *figures.pages(answered),
        *figures.remembered("right after upload", book.of("before")),
        *figures.remembered("once read", [one.record for one in answered]),
        *figures.predictions([one.record for one in answered]),
        *figures.speed(answered, compared),
        *figures.failures(list(book.records.values())),
    ]


def remarks(one: Judged) -> list[str]:
    """Return what a person should look at in an answer."""
    where = f"{one.record.phase} {one.record.id}"
    return [
        *([f"{where} failed: {one.record.error}"] if one.record.error else []),
        *(f"{where} has a figure that is in no document: {value}" for value in one.findings.invented),
        *(f"{where}: {value} was taken for a number of documents" for value in one.findings.counts),
        *(f"{where} names what it should leave out: {word}" for word in one.named),
        *([f"{where} is right only within a longer number"] if one.by_length else []),
    ]


if __name__ == "__main__":
    sys.exit(main())
