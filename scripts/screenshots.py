"""Makes the pictures of docs/screenshots: every page, at the desk and on a phone, light and dark.

`python -m scripts.screenshots` runs the whole product over a temporary folder with the model of READAHEAD_MODEL and
documents written for the purpose.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import urljoin

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from tests import stack
from tests.browser.actions import add_files, ask, document, make_project
from tests.browser.conftest import ARGUMENTS
from tests.browser.example import FILES
from tests.chromium import find_chromium

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "screenshots"
DESK = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=844)
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
ANSWER_MS = 300_000
ELSEWHERE = {"X-Forwarded-For": "192.0.2.7"}
"""A call that came through a proxy is not the owner's, so it gets the sign-in page."""


def main() -> int:
    """Return 0 when all pictures are made."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, stack.running(Path(home), ["up"]) as running, sync_playwright() as play:
        stack.wait_for(lambda: running.health()["status"] == "ok", "everything is well")
        browser = play.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport=DESK)
        page.set_default_timeout(ANSWER_MS)
        expect.set_options(timeout=ANSWER_MS)
        for name, address, headers in places(page, running):
            shoot(browser, urljoin(running.url, address), name, headers)
            if name == "desk-answer":
                shoot_pane(browser, page.url)
        browser.close()
    return 0


def places(page: Page, running: stack.Stack) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Use the product like a person and yield each page (name, address, headers) when it shows what it is for."""
    yield "projects-empty", "/", {}
    yield "sign-in", "/sign-in/", ELSEWHERE
    yield "not-found", "/projects/404/", {}
    make_project(page, running.url, "Flat in Park Street")
    desk = page.url
    yield "desk-empty", desk, {}
    add_files(page, FILES)
    expect(page.locator("[data-document] .badge-good")).to_have_count(len(FILES) - 1)
    expect(document(page, "Scan of the keys.pdf")).to_contain_text("Failed")
    yield "desk-new", desk, {}
    turn = ask(page, "How much is the rent, and when is it due?")
    expect(turn).to_have_attribute("data-state", "done")
    yield "desk-answer", page.url, {}
    yield "source", str(turn.locator(".citation a").first.get_attribute("href")), {}
    yield "document", str(document(page, "Lease 12 Park Street.pdf").locator("a").first.get_attribute("href")), {}
    yield "table", f"{document(page, 'Settlement 2024.docx').locator('a').first.get_attribute('href')}source/", {}
    yield "search", f"{desk}search/?q=rent+and+water", {}
    yield "activity", "/activity/", {}
    failed = str(document(page, "Scan of the keys.pdf").locator("a").first.get_attribute("href"))
    yield "document-failed", failed, {}
    yield "document-delete", f"{failed}delete/", {}
    yield "project-settings", f"{desk}settings/", {}
    yield "projects", "/", {}
    page.goto(desk)
    broken = ask(page, "What does the handover record say about damage?")
    expect(broken.locator("[data-status]")).to_have_text(re.compile("^(Reading|Answering)"))
    os.kill(running.health()["inference"]["pid"], signal.SIGKILL)
    expect(broken).to_have_attribute("data-state", "failed")
    yield "desk-failed", page.url, {}


def shoot(browser: Browser, address: str, name: str, headers: dict[str, str]) -> None:
    """Take the four pictures of one page."""
    for place, viewport in (("desk", DESK), ("phone", PHONE)):
        for theme in THEMES:
            with browser.new_context(
                viewport=viewport,
                has_touch=place == "phone",
                is_mobile=place == "phone",
                color_scheme=theme,
                extra_http_headers=headers,
            ) as context:
                page = context.new_page()
                page.goto(address, wait_until=settled(address))
                for picture in page.locator("img").all():
                    picture.evaluate("image => image.decode()")
                page.screenshot(path=FOLDER / f"{name}-{place}-{theme}.png")


def shoot_pane(browser: Browser, desk: str) -> None:
    """Take the two pictures of a source that is open beside its answer; a phone has no room for that."""
    for theme in THEMES:
        with browser.new_context(viewport=DESK, color_scheme=theme) as context:
            page = context.new_page()
            page.goto(desk, wait_until="networkidle")
            page.locator("a.cite").first.click()
            expect(page.locator("#pane mark")).to_be_visible()
            page.locator("#pane img").evaluate("image => image.decode()")
            page.screenshot(path=FOLDER / f"desk-source-desk-{theme}.png")


def settled(address: str) -> Literal["load", "networkidle"]:
    """Return when a page is complete; the activity page asks for news for ever."""
    return "load" if address.endswith("/activity/") else "networkidle"


if __name__ == "__main__":
    sys.exit(main())
