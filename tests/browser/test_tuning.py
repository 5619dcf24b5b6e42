"""How a model runs, in a real browser: its panel is opened, something is set, and it is measured before one's eyes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import stack
from tests.inference.gguf_files import write_gguf

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PATIENCE_MS = 120_000


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """The address of an installation that has a model of a hundred kilobytes, and measures."""
    home, models = tmp_path / "home", tmp_path / "models"
    models.mkdir()
    write_gguf(models / "tiny.gguf")
    stack.manage(home, "migrate")
    with stack.running(home, ["serve"], ["fetcher"], READAHEAD_MODELS=str(models)) as running:
        yield running.url


def test_a_panel_is_opened_something_is_set_and_the_model_is_measured(page: Page, site: str) -> None:
    page.goto(f"{site}/models/")
    card = page.locator("li.model").filter(has_text="tiny.gguf")
    card.get_by_text("How it runs").click()
    kv = card.get_by_role("group", name="Type of the cache")
    expect(kv).to_contain_text("automatic: f16")
    expect(kv).to_contain_text("not measured yet")

    kv.get_by_label("q8_0").check()
    card.get_by_role("spinbutton", name="Threads").fill("1")
    card.get_by_role("button", name="Set").click()
    expect(page.get_by_text("Set, from the next start of tiny on.")).to_be_visible()
    expect(card.locator("summary")).to_contain_text("q8_0 · 1 thread")

    card.get_by_text("How it runs").click()
    card.get_by_role("button", name="Measure this model on this machine").click()
    expect(page.get_by_text("tiny is being measured.")).to_be_visible()
    # From here on the page moves by itself.
    expect(card).to_contain_text("tokens a second", timeout=PATIENCE_MS)
    card.get_by_text("How it runs").click()
    table = card.get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(6)
    expect(card.get_by_role("group", name="Type of the cache")).to_contain_text("bytes a token")

    # The sizes of its heads make llama.cpp refuse quantized keys: it says so, and what it runs with instead.
    expect(card).to_contain_text("This model does not run with q8_0 keys and q8_0 values")
    card.get_by_role("button", name="Make all automatic").click()
    expect(page.get_by_text("All is automatic again.")).to_be_visible()


def test_nonsense_is_refused_before_it_is_sent_and_after(page: Page, site: str) -> None:
    page.goto(f"{site}/models/settings/?model=tiny")
    window = page.get_by_role("spinbutton", name="Window")
    window.fill("12")
    page.get_by_role("button", name="Set").click()
    assert window.evaluate("field => field.validity.rangeUnderflow")
    page.locator("form.stack").first.evaluate("form => { form.noValidate = true }")
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_text("must be at least 2,048")).to_be_visible()
