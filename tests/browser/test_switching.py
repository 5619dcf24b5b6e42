"""The models page in a real browser while the model is changed: each step is shown without a reload."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from inference.supervise import status
from inference.switching.machine import Failure, Purpose, Step
from inference.switching.report import ModelReport
from tests import stack

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[stack.Stack]:
    """The pages alone; the test itself is the supervisor that they read of."""
    home = tmp_path / "home"
    stack.manage(home, "migrate")
    with stack.running(home, ["serve"], READAHEAD_MODELS=str(tmp_path / "models")) as pages:
        yield pages
    status.remove(home / "run")


def say(running: stack.Stack, report: ModelReport) -> None:
    status.write(running.home / "run", status.own_status(running.url, {}, report))


def test_a_change_and_its_failure_are_followed_without_a_reload(page: Page, running: stack.Stack) -> None:
    say(running, ModelReport(Step.STOPPING, Purpose.SWITCH, "A", goal="B"))
    page.goto(f"{running.url}/models/")
    engine = page.locator("#model-engine")
    expect(engine).to_contain_text("Ending A.")
    say(running, ModelReport(Step.LOADING, Purpose.SWITCH, "B", percent=40))
    expect(engine).to_contain_text("Loading B: 40 %.")
    say(running, ModelReport(Step.LOADING, Purpose.SWITCH, "B", percent=80))
    expect(engine.get_by_role("progressbar")).to_have_attribute("value", "80")
    failures = (Failure("B", "The file is damaged."),)
    say(running, ModelReport(Step.IN_USE, Purpose.ROLL_BACK, "A", failures=failures))
    expect(engine).to_contain_text("B did not start: The file is damaged. A is in use again.")
