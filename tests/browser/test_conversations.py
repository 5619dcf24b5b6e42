"""Tests of conversations in a real browser: a second tab, the list, and changing a question, without scripts too."""

from __future__ import annotations

import re
import threading

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from inference.fake import FakeAnswer
from tests.browser.actions import LEASE, add_files, ask, document, make_project
from tests.browser.conftest import PATIENCE_MS, Site

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

RENT = "The rent is 1180 euros a month [1]."


def with_answer(page: Page, site: Site, name: str) -> None:
    site.engine.default = RENT
    make_project(page, site.url, name)
    add_files(page, {"lease.pdf": LEASE})
    expect(document(page, "lease.pdf")).to_contain_text("Ready")
    expect(ask(page, "What is the rent?")).to_have_attribute("data-state", "done")


def row(page: Page, title: str) -> Locator:
    return page.locator("#conversation-list .row").filter(has_text=title)


def test_what_is_asked_in_one_tab_is_shown_in_the_other_as_it_comes(
    page: Page, context: BrowserContext, site: Site, held: threading.Event
) -> None:
    with_answer(page, site, "Two tabs")
    second = context.new_page()
    second.goto(page.url)
    expect(second.locator("form.ask-live")).to_be_attached()
    site.engine.answers.append(FakeAnswer("1180 euros, as agreed.", gate=held))
    ask(page, "What does the flat cost a month?")
    there = second.locator(".turn").nth(1)
    expect(there.locator("[data-answer]")).to_have_text("1180")
    held.set()
    expect(there).to_have_attribute("data-state", "done")
    expect(there.locator(".question")).to_have_text("What does the flat cost a month?")

    page.locator(".turn").nth(0).get_by_role("link", name="Change the question").click()
    expect(page.get_by_text("This answer and the question after it will leave the conversation.")).to_be_visible()
    page.get_by_label("Your question").fill("When does the lease end?")
    page.get_by_role("button", name="Ask again").click()
    for tab in (page, second):
        expect(tab.locator(".turn")).to_have_count(1)
        expect(tab.locator(".turn")).to_have_attribute("data-state", "done")
        expect(tab.locator(".question")).to_have_text("When does the lease end?")
    page.get_by_role("link", name="Earlier version").click()
    expect(page.locator(".question")).to_have_text(["What is the rent?", "What does the flat cost a month?"])


def test_the_list_finds_renames_saves_and_deletes(page: Page, site: Site) -> None:
    with_answer(page, site, "The list")
    page.get_by_role("link", name="New conversation").click()
    expect(ask(page, "Who is the landlord?")).to_have_attribute("data-state", "done")
    expect(page.locator("#conversation-list .row")).to_have_count(2)

    page.get_by_placeholder("Search in conversations").fill("LANDLORD")
    expect(page.locator("#conversation-list .row")).to_have_count(1)
    expect(page.locator("#conversation-list mark")).to_have_text("landlord")
    page.get_by_placeholder("Search in conversations").fill("")
    expect(page.locator("#conversation-list .row")).to_have_count(2)

    row(page, "What is the rent?").locator("summary").click()
    row(page, "What is the rent?").get_by_role("link", name="Rename").click()
    page.get_by_label("Title").fill("My flat")
    page.get_by_role("button", name="Rename").click()
    expect(row(page, "My flat")).to_be_visible()

    row(page, "My flat").locator("summary").click()
    with page.expect_download() as saved:
        row(page, "My flat").get_by_role("link", name="Save as Markdown").click()
    assert saved.value.suggested_filename == "My flat.md"
    assert "The rent is 1180 euros" in saved.value.path().read_text()

    row(page, "My flat").get_by_role("link", name="Delete…").click()
    page.get_by_role("button", name="Delete the conversation").click()
    expect(page.locator("#conversation-list .row")).to_have_count(1)
    expect(row(page, "Who is the landlord?")).to_be_visible()


def test_all_of_it_works_without_scripts(page: Page, browser: Browser, site: Site) -> None:
    with_answer(page, site, "No scripts")
    with browser.new_context(java_script_enabled=False) as profile:
        profile.set_default_timeout(PATIENCE_MS)
        plain = profile.new_page()
        plain.goto(page.url)
        plain.get_by_role("button", name="Answer once more").click()
        expect(plain.locator(".turn")).to_have_attribute("data-state", re.compile("done|waiting|answering"))
        expect(plain.locator(".turn")).to_have_count(1)

        row(plain, "What is the rent?").locator("summary").click()
        row(plain, "What is the rent?").get_by_role("link", name="Rename").click()
        plain.get_by_label("Title").fill("My flat")
        plain.get_by_role("button", name="Rename").click()
        expect(row(plain, "My flat")).to_be_visible()

        plain.get_by_placeholder("Search in conversations").fill("1180")
        plain.get_by_placeholder("Search in conversations").press("Enter")
        expect(plain.locator("#conversation-list mark").first).to_have_text("1180")
        row(plain, "My flat").locator("summary").click()
        row(plain, "My flat").get_by_role("link", name="Delete…").click()
        plain.get_by_role("button", name="Delete the conversation").click()
        expect(plain.get_by_text("What you ask is kept here.")).to_be_visible()
