"""A server in place of the local model, in a real browser: tested, used and given up again, without a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import stack
from tests.browser.actions import make_project
from tests.inference.openai_like import OpenAILike, serving

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    home = tmp_path / "home"
    stack.manage(home, "migrate")
    with stack.running(home, ["serve"], READAHEAD_MODELS=str(tmp_path / "models")) as running:
        yield running.url


def test_a_server_is_tested_used_and_given_up_again(page: Page, url: str) -> None:
    with serving(OpenAILike(key="secret-key")) as served:
        page.goto(f"{url}/models/")
        address = page.get_by_label("Address", exact=True)
        expect(address).to_be_hidden()
        page.get_by_role("heading", name="A server in place of the local model").click()
        address.fill(served.url)
        page.get_by_label("Key, if it asks for one").fill("secret-key")
        page.get_by_role("button", name="Test the connection").click()

        expect(page.get_by_text("large answered")).to_be_visible()
        expect(address).to_have_value(served.url)
        assert "secret-key" not in page.content()
        page.get_by_role("button", name="Use this server").click()

        expect(page.locator("#model-engine")).to_contain_text("ready large")
        expect(address).to_be_hidden()
        make_project(page, url, "Flat")
        expect(page.get_by_text(f"large at {served.url.removesuffix('/v1')} is ready")).to_be_visible()

        page.goto(f"{url}/models/")
        page.get_by_role("heading", name="A server in place of the local model").click()
        page.get_by_role("button", name="Back to the model on this machine").click()
        expect(page.locator("#model-engine")).to_contain_text("not running")
