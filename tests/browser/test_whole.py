"""Tests of the whole product as a person runs it: `manage.py up`, the real small model, a real browser."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from inference.supervise import status
from tests import stack
from tests.browser.actions import add_files, ask, document, make_project
from tests.reports import PIPER, QUESTION, REPORTS
from tests.wall import behind_wall, noted_attempts, walled

pytestmark = [pytest.mark.browser, pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]

MODEL = "smollm2-135m"
WALL_NOTES = "wall.txt"
LONG = "\n\n".join(
    f"Clause {number}. The tenant keeps item {number} of the inventory in order and reports damage in {number} days."
    for number in range(1, 200)
).encode()


@pytest.fixture(scope="module")
def readahead(tmp_path_factory: pytest.TempPathFactory) -> Iterator[stack.Stack]:
    """Supervisor, web process, worker and model, as started by `make run`, and a wall around them."""
    home = tmp_path_factory.mktemp("whole")
    with stack.running(home, ["up"], READAHEAD_MODEL=MODEL, **walled(home / WALL_NOTES)) as running:
        stack.wait_for(lambda: running.health()["status"] == "ok", "everything is well")
        yield running


def notes_of(running: stack.Stack) -> Path:
    """Return the file in which the processes note what they try to reach."""
    return running.home / WALL_NOTES


def pids(running: stack.Stack) -> dict[str, int | None]:
    """Return the process ids of web and worker."""
    supervisor = status.read(running.home / "run")
    assert supervisor
    return {name: child.pid for name, child in supervisor.children.items() if name in ("web", "worker")}


def test_nine_reports_through_the_page_and_an_answer_with_its_file_and_page(page: Page, readahead: stack.Stack) -> None:
    make_project(page, readahead.url, "Accidents")
    add_files(page, {report.file_name: report.file() for report in REPORTS})
    for report in REPORTS:
        expect(document(page, report.file_name)).to_contain_text("Ready")
    expect(page.locator("[data-engine=READY]")).to_contain_text(MODEL)

    turn = ask(page, QUESTION)
    expect(turn).to_have_attribute("data-state", "done")
    expect(turn.locator(".answer-text")).to_contain_text(PIPER.registration)
    page.reload()
    expect(turn.locator(".answer-text")).to_contain_text(PIPER.registration)
    # The smallest model may be sure of no line: then its answer is the list of the nearest, and this is among them.
    cited = turn.get_by_role("listitem").filter(has=page.locator("blockquote", has_text=PIPER.sentence))
    cited.get_by_role("link", name=f"{PIPER.file_name}, page 2").click(timeout=15_000)
    expect(page.locator("#pane mark")).to_have_text(PIPER.sentence)

    processes = "\n".join(behind_wall(notes_of(readahead)))
    assert all(words in processes for words in ("manage.py serve", "manage.py qcluster", "inference.service"))
    assert noted_attempts(notes_of(readahead)) == []


def test_a_killed_model_is_said_comes_back_and_the_second_try_answers(page: Page, readahead: stack.Stack) -> None:
    before = pids(readahead)
    make_project(page, readahead.url, "Killed")
    add_files(page, {"inventory.txt": LONG})
    expect(document(page, "inventory.txt")).to_contain_text("Ready")
    turn = ask(page, "Which damage does the tenant report for each item of the inventory?")
    expect(turn.locator("[data-status]")).to_have_text(re.compile("^(Reading|Answering)"))
    killed = readahead.health()["inference"]["pid"]
    os.kill(killed, signal.SIGKILL)

    expect(turn).to_have_attribute("data-state", "failed")
    expect(turn.get_by_role("alert")).to_contain_text("The model stopped in the middle of the answer")
    stack.wait_for(lambda: readahead.health()["inference"]["state"] == "READY", "the model is back")
    expect(page.locator("[data-engine=READY]")).to_be_visible()
    turn.get_by_role("button", name="Try again").click()
    second = page.locator(".turn").nth(1)
    expect(second).to_have_attribute("data-state", "done")
    expect(second.locator(".answer-text")).not_to_be_empty()
    assert readahead.health()["inference"]["pid"] != killed
    assert pids(readahead) == before
