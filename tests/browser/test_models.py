"""The models page in a real browser: a file comes from a server on a bad day, before one's eyes, and is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import stack
from tests.inference.gguf_files import write_gguf
from tests.inference.hub import Cut, Hub, Refuse, serve_hub

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@dataclass(frozen=True)
class Models:
    """An installation that fetches, and a server to fetch from."""

    url: str
    hub: Hub


@pytest.fixture
def models(tmp_path: Path) -> Iterator[Models]:
    home, content = tmp_path / "home", write_gguf(tmp_path / "whole.gguf").read_bytes()
    stack.manage(home, "migrate")
    places = {"READAHEAD_MODELS": str(tmp_path / "models")}
    with serve_hub(content) as hub, stack.running(home, ["serve"], ["fetcher"], **places) as running:
        hub.tagged = True
        yield Models(running.url, hub)


def test_a_model_of_ones_own_from_its_address_to_being_chosen(page: Page, models: Models) -> None:
    models.hub.behaviours.extend([Cut(after=60_000), Refuse(429, {"Retry-After": "4"})])
    page.goto(models.url)
    page.get_by_role("link", name="Models").click()
    page.get_by_label("From an address").fill(f"{models.hub.endpoint}/own.gguf")
    page.get_by_role("button", name="Fetch", exact=True).click()

    # From here on the page moves by itself.
    expect(page.locator("#models")).to_contain_text("rate-limited, goes on at")
    expect(page.locator("#models")).to_contain_text("60.0 kB of ")
    use = page.get_by_role("button", name="Use this model: own")
    expect(use).to_be_visible()
    assert models.hub.ranges[1:] == ["bytes=60000-", "bytes=60000-"]

    use.click()
    expect(page.get_by_text("own is chosen")).to_be_visible()
    expect(page.get_by_role("link", name="Delete: own")).to_have_count(0)


def test_what_is_no_model_is_refused_before_ones_eyes(page: Page, models: Models) -> None:
    models.hub.content = b"<!doctype html>" + b" " * 100_000
    page.goto(f"{models.url}/models/")
    page.get_by_label("From an address").fill(f"{models.hub.endpoint}/page.gguf")
    page.get_by_role("button", name="Fetch", exact=True).click()
    expect(page.locator("#models")).to_contain_text("page.gguf is not a GGUF file")
    page.get_by_role("button", name="Take off the list: page.gguf").click()
    expect(page.locator("#models")).not_to_contain_text("page.gguf")
