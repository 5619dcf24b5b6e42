"""What the browser tests share: a Chromium, and Readahead running over a folder of its own with a fake engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from inference.fake import FakeEngine
from tests import stack
from tests.chromium import find_chromium
from tests.serving import serve_engine

# Chromium's sandbox needs rights that root in a container does not give away; the rest keeps it from calling home.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # What it asks for on its own account is no request of a page: no name but the test's address leads anywhere.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
PATIENCE_MS = 120_000
expect.set_options(timeout=PATIENCE_MS)


@dataclass(frozen=True)
class Site:
    """Readahead with a fake engine: what the engine answers is the test's choice."""

    url: str
    engine: FakeEngine


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, or whichever the machine has."""
    program = find_chromium()
    assert program, "The browser tests need Chromium; `make test` installs it where it can."
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Web process and worker of their own, and the real inference service over a fake engine."""
    home = tmp_path_factory.mktemp("readahead")
    engine = FakeEngine()
    stack.manage(home, "migrate")
    with serve_engine(engine, home / "run"), stack.running(home, ["serve"], ["qcluster"]) as running:
        yield Site(running.url, engine)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh browser profile. Fails the test if a page logs an error or asks another machine for anything."""
    profile = browser.new_context(viewport={"width": 1280, "height": 800})
    profile.set_default_timeout(PATIENCE_MS)
    troubles: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and "ERR_CONNECTION" not in message.text:
            troubles.append(message.text)

    def watch(request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "blob:", "data:")):
            troubles.append(f"A request left the machine: {request.url}")

    profile.on("console", hear)
    profile.on("weberror", lambda error: troubles.append(str(error.error)))
    profile.on("request", watch)
    yield profile
    profile.close()
    assert not troubles


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A tab."""
    return context.new_page()


@pytest.fixture
def held(site: Site) -> Iterator[threading.Event]:
    """Holds a scripted answer in its middle; let go at the end whatever happens."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for files to upload."""
    return tmp_path
