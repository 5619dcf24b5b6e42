"""Tests in a real browser of the ways to an answer: chosen beside the field, and asked for below an answer."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.actions import LEASE, add_files, ask, document, make_project
from tests.browser.conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

RENT = "The rent is 1180 euros a month [1]."


def test_a_way_is_chosen_for_one_question_and_more_is_asked_for_below_the_answer(page: Page, site: Site) -> None:
    site.engine.default = RENT
    make_project(page, site.url, "Ways")
    add_files(page, {"lease.pdf": LEASE})
    expect(document(page, "lease.pdf")).to_contain_text("Ready")
    way = page.get_by_label("Way:")
    expect(way.locator("option[value=passages]")).to_contain_text("≈")

    way.select_option("passages")
    first = ask(page, "What is the rent?")
    expect(first).to_have_attribute("data-state", "done")
    expect(first.locator(".figures")).to_contain_text("predicted")
    expect(way).to_have_value("")

    first.get_by_role("button", name="Read it properly").click()
    second = page.locator(".turn").nth(1)
    expect(second).to_have_attribute("data-state", "done")
    expect(second.locator(".question")).to_have_text("What is the rent?")

    way.select_option("passages")
    again = ask(page, "what is the rent")
    expect(again.locator(".figures")).to_contain_text("answered before, documents unchanged")
    again.get_by_role("button", name="Ask again").click()
    afresh = page.locator(".turn").nth(3)
    expect(afresh).to_have_attribute("data-state", "done")
    expect(afresh.locator(".figures")).not_to_contain_text("answered before")


def test_without_scripts_the_ways_are_plain_forms(browser: Browser, page: Page, site: Site) -> None:
    site.engine.default = RENT
    make_project(page, site.url, "Plain ways")
    add_files(page, {"lease.pdf": LEASE})
    expect(document(page, "lease.pdf")).to_contain_text("Ready")
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(page.url)
    plain.get_by_label("Way:").select_option(label="from passages")
    plain.get_by_label("Your question").fill("What is the rent?")
    plain.get_by_role("button", name="Ask", exact=True).click()
    plain.get_by_role("button", name="Read it properly").click()
    expect(plain.locator(".turn")).to_have_count(2)
    expect(plain.locator('.turn[data-state="done"]')).to_have_count(2)  # the page loads itself anew until then
    plain.context.close()
