"""Tests of sources in a real browser: from a citation, a search and a passport, beside the desk and alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.actions import add_files, ask, document, make_project
from tests.browser.conftest import Site
from tests.builders import pdf

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

RENT = "The rent is 1180 euros a month [1]."
LEASE = pdf(
    [("Lease agreement", 16), "", "Landlord: Anna Berg", "Tenant: Tomas Lind", "The lease begins on 1 April 2024."],
    [("Rent", 13), "", "The rent is 1180 euros a month.", "It is due on the third working day of the month."],
)
PHONE = {"width": 390, "height": 844}


def with_answer(page: Page, site: Site, name: str) -> Locator:
    """Make a project with the lease and return the turn about its rent."""
    site.engine.default = RENT
    make_project(page, site.url, name)
    add_files(page, {"lease.pdf": LEASE})
    expect(document(page, "lease.pdf")).to_contain_text("Ready")
    turn = ask(page, "What is the rent?")
    expect(turn).to_have_attribute("data-state", "done")
    return turn


def is_loaded(picture: Locator) -> bool:
    return bool(picture.evaluate("async image => { await image.decode(); return image.naturalWidth > 0 }"))


def overlap(one: Locator, other: Locator) -> bool:
    """Tell whether the one lies within the other."""
    inner, outer = one.bounding_box(), other.bounding_box()
    assert inner
    assert outer
    return outer["x"] <= inner["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"]


def test_a_citation_opens_beside_the_conversation_with_its_words_marked(page: Page, site: Site) -> None:
    turn = with_answer(page, site, "Pane")
    desk = page.url
    turn.locator("a.cite").click()
    pane = page.locator("#pane")
    expect(pane.locator("mark")).to_have_text("The rent is 1180 euros a month.")
    expect(pane.locator("h1")).to_be_focused()
    assert is_loaded(pane.locator(".printed img"))
    expect(pane.locator("[data-place]")).to_have_count(1)
    expect(pane.locator("[data-place]")).to_be_in_viewport()
    assert overlap(pane.locator("[data-place]"), pane.locator(".printed img"))
    assert page.url == desk
    expect(turn).to_be_visible()

    pane.get_by_role("link", name="Page before").click()
    expect(pane.locator(".sheet")).to_contain_text("Landlord: Anna Berg")
    pane.get_by_label("Page", exact=True).fill("2")
    pane.get_by_label("Page", exact=True).press("Enter")
    expect(pane.locator("mark")).to_have_text("The rent is 1180 euros a month.")
    page.keyboard.press("Escape")
    expect(pane).to_be_hidden()
    expect(turn.locator("a.cite")).to_be_focused()
    turn.get_by_role("link", name="lease.pdf, page 2").click()
    pane.get_by_role("link", name="Full page").click()
    expect(page).to_have_url(re.compile(r"/documents/\d+/source/\?.*citation=\d+"))
    expect(page.locator("main mark")).to_have_text("The rent is 1180 euros a month.")


def test_a_document_of_the_list_opens_beside_the_conversation(page: Page, site: Site) -> None:
    with_answer(page, site, "List")
    document(page, "lease.pdf").get_by_role("link", name="lease.pdf").click()
    pane = page.locator("#pane")
    expect(pane.get_by_role("heading", name="How it was read")).to_be_visible()
    pane.get_by_role("link", name="Show its pages").click()
    expect(pane.locator(".sheet")).to_contain_text("Landlord: Anna Berg")
    pane.get_by_role("button", name="Close").click()
    expect(pane).to_be_hidden()


def test_on_a_phone_a_citation_opens_a_page_of_its_own(page: Page, site: Site) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.goto(site.url)
    site.engine.default = RENT
    make_project(page, site.url, "Cited on a phone")
    page.get_by_role("link", name="Documents", exact=True).click()
    add_files(page, {"lease.pdf": LEASE})
    expect(document(page, "lease.pdf")).to_contain_text("Ready")
    page.get_by_role("link", name="Conversation", exact=True).click()
    turn = ask(page, "What is the rent?")
    expect(turn).to_have_attribute("data-state", "done")
    turn.get_by_role("link", name="lease.pdf, page 2").click()
    expect(page).to_have_url(re.compile(r"/documents/\d+/source/\?citation=\d+#quote$"))
    expect(page.locator("mark")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="Back to the answer").click()
    expect(turn).to_be_in_viewport()


def test_a_search_finds_while_typing_and_opens_the_source(page: Page, site: Site) -> None:
    with_answer(page, site, "Found")
    page.get_by_role("link", name="Search").click()
    expect(page.get_by_label("Search these documents")).to_be_focused()
    page.keyboard.type("working days")
    hit = page.get_by_role("link", name="lease.pdf, page 2")
    expect(hit).to_be_visible()
    expect(page.locator(".hit mark")).to_have_text(["working", "day"])
    expect(page).to_have_url(re.compile(r"q=working(\+|%20)days"))
    page.get_by_label("Search these documents").fill("landlord")
    expect(page.locator(".hit mark")).to_have_text(["Landlord"])
    page.go_back()
    expect(page.locator(".hit mark")).to_have_text(["working", "day"])
    expect(page.get_by_label("Search these documents")).to_have_value("working days")
    hit.click()
    expect(page.locator(".sheet mark")).to_have_text(["working", "day"])
    assert is_loaded(page.locator(".printed img"))
    expect(page.locator("[data-place]")).to_have_count(2)
    page.get_by_role("link", name="Back to the search").click()
    expect(hit).to_be_visible()


def test_a_passport_is_corrected_in_its_place_and_taken_back(page: Page, site: Site) -> None:
    with_answer(page, site, "Passport")
    page.set_viewport_size({"width": 1000, "height": 800})
    document(page, "lease.pdf").get_by_role("link", name="lease.pdf").click()
    language = page.locator("#field-language")
    expect(language).to_contain_text("English")
    language.get_by_text("Change").click()
    language.get_by_label("Language", exact=True).fill("fr")
    language.get_by_role("button", name="Save").click()
    expect(language).to_contain_text("French")
    expect(language).to_contain_text("corrected by you")
    page.reload()
    expect(language).to_contain_text("corrected by you")
    language.get_by_text("Change").click()
    language.get_by_role("button", name="Go back to what was found").click()
    expect(language).to_contain_text("English")

    page.get_by_text("Add a field").click()
    form = page.locator("form[action$='/passport/add/']")
    form.get_by_label("Kind").select_option("identifier")
    form.get_by_label("Name").fill("File")
    form.get_by_label("Value").fill("X-42")
    form.get_by_role("button", name="Add").click()
    expect(page.locator("#passport")).to_contain_text("X-42")


def test_without_javascript_the_source_and_the_passport_work_alike(page: Page, browser: Browser, site: Site) -> None:
    with_answer(page, site, "Without")
    with browser.new_context(java_script_enabled=False) as profile:
        plain = profile.new_page()
        plain.goto(page.url)
        plain.get_by_role("link", name="lease.pdf, page 2").click()
        expect(plain.locator("mark")).to_have_text("The rent is 1180 euros a month.")
        plain.get_by_role("link", name="Page before").click()
        expect(plain.locator(".sheet")).to_contain_text("Landlord: Anna Berg")
        plain.get_by_role("heading", name="lease.pdf").get_by_role("link").click()
        language = plain.locator("#field-language")
        language.get_by_text("Change").click()
        language.get_by_label("Language", exact=True).fill("fr")
        language.get_by_role("button", name="Save").click()
        expect(language).to_contain_text("corrected by you")
