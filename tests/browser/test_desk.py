"""Tests of the desk in a real browser: from the first visit to an answer with its source, and what may go wrong."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, WebSocketRoute, expect

from inference.errors import ServiceLost
from inference.fake import FakeAnswer
from tests.browser.actions import LEASE, add_files, ask, delete_project, document, drop_files, drop_paths, make_project
from tests.browser.conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

RENT = "The rent is 1180 euros a month [1]."


def with_lease(page: Page, site: Site, name: str) -> None:
    make_project(page, site.url, name)
    add_files(page, {"lease.pdf": LEASE})
    expect(document(page, "lease.pdf")).to_contain_text("Ready")


def test_from_the_first_visit_to_the_highlighted_source(page: Page, site: Site) -> None:
    site.engine.default = RENT
    make_project(page, site.url, "First visit")
    expect(page.get_by_text("The desk is empty")).to_be_visible()
    add_files(page, {"lease.pdf": LEASE})
    expect(document(page, "lease.pdf")).to_contain_text("Ready")
    expect(document(page, "lease.pdf")).to_contain_text("3 pages")
    expect(page.get_by_text("What do you want to know?")).to_be_visible()

    turn = ask(page, "What is the rent?")
    expect(turn).to_have_attribute("data-state", "done")
    expect(turn.locator(".answer-text")).to_have_text("The rent is 1180 euros a month. 1")
    expect(turn).to_contain_text("first word after")
    expect(page.locator("#conversation-list")).to_contain_text("What is the rent?")

    page.reload()
    expect(turn.locator(".answer-text")).to_have_text("The rent is 1180 euros a month. 1")
    turn.get_by_role("link", name="lease.pdf, page 2").click()
    expect(page.locator("#pane mark")).to_have_text("The rent is 1180 euros a month.")


def test_many_dropped_files_each_have_their_own_fate(page: Page, site: Site) -> None:
    make_project(page, site.url, "Dropped")
    files = {f"note {number}.md": f"# Note {number}\n\nText {number}.".encode() for number in range(1, 7)}
    drop_files(page, {**files, "broken.pdf": b"%PDF-1.7 nothing", "lease.pdf": LEASE})
    for name in [*files, "lease.pdf"]:
        expect(document(page, name)).to_contain_text("Ready")
    expect(document(page, "broken.pdf")).to_contain_text("Failed")
    expect(document(page, "broken.pdf").locator(".row-note-bad")).not_to_be_empty()

    drop_files(page, {"copy.pdf": LEASE})
    expect(page.locator("#uploads")).to_contain_text("Here already")
    expect(page.locator("[data-document]")).to_have_count(8)


def test_a_dropped_folder_brings_the_files_of_all_its_folders(page: Page, site: Site, folder: Path) -> None:
    (folder / "papers" / "2024").mkdir(parents=True)
    (folder / "papers" / "lease.txt").write_text("The rent is 1180 euros.")
    (folder / "papers" / "2024" / "meter.txt").write_text("Cold water: 311 cubic metres.")
    (folder / "papers" / ".hidden").write_text("The file manager's own.")
    make_project(page, site.url, "Folder")
    drop_paths(page, folder / "papers")
    for name in ("lease.txt", "meter.txt"):
        expect(document(page, name)).to_contain_text("Ready")
    expect(page.locator("[data-document]")).to_have_count(2)


def test_what_cannot_be_read_of_a_dropped_folder_is_said_and_the_rest_is_added(
    page: Page, site: Site, folder: Path
) -> None:
    (folder / "papers").mkdir()
    names = ("cover.txt", "papers/before.txt", "papers/locked.txt", "papers/then.txt")
    for name in names:
        (folder / name).write_text(f"This is {name}.")
    make_project(page, site.url, "Locked")
    # Rights do not keep root, as whom tests may run, from reading: the browser is made to say what it would say.
    page.evaluate(
        """() => addEventListener("drop", (event) => {
            const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry());
            const kind = Object.getPrototypeOf(entries.find((entry) => entry.isFile));
            const read = kind.file;
            kind.file = function (done, failed) {
                if (this.name === "locked.txt") failed(new DOMException("no", "NotReadableError"));
                else read.call(this, done, failed);
            };
        }, { capture: true })"""
    )
    drop_paths(page, folder / "papers", folder / "cover.txt")
    for name in ("cover.txt", "before.txt", "then.txt"):
        expect(document(page, name)).to_contain_text("Ready")
    expect(page.locator("#uploads li")).to_have_count(1)
    expect(page.locator("#uploads li")).to_contain_text("papers/locked.txt")
    expect(page.locator("#uploads .row-note-bad")).to_contain_text("It could not be read.")


def test_a_refused_question_stays_in_its_field(page: Page, site: Site) -> None:
    make_project(page, site.url, "Refused")
    field = page.get_by_label("Your question")
    field.evaluate("field => field.removeAttribute('maxlength')")
    question = "why " * 1200
    field.fill(question)
    expect(page.locator("form.ask-live")).to_be_attached()  # before that it goes as a plain form
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#ask-error")).to_contain_text("The question has 4,799 characters")
    expect(field).to_have_value(question)
    expect(field).to_be_editable()


def test_a_page_whose_project_is_gone_does_not_knock_for_ever(browser: Browser, site: Site) -> None:
    routes: list[WebSocketRoute] = []

    def serve(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        routes.append(socket)

    with browser.new_context() as profile:
        page, other = profile.new_page(), profile.new_page()
        page.route_web_socket("**/ws/**", serve)
        make_project(page, site.url, "Gone")
        delete_project(other, page.url)
        routes[0].close()
        expect(page.get_by_text("This desk is closed to this page.")).to_be_visible()
    assert len(routes) == 1


def test_a_lost_connection_is_said_and_comes_back(page: Page, site: Site) -> None:
    there = threading.Event()

    def serve(socket: WebSocketRoute) -> None:
        if there.is_set():
            socket.connect_to_server()
        else:
            socket.close()

    page.route_web_socket("**/ws/**", serve)
    make_project(page, site.url, "Lost")
    lost = page.get_by_text("The connection to Readahead is lost")
    expect(lost).to_be_visible()
    there.set()
    expect(lost).to_be_hidden()


def test_a_file_beyond_the_limit_is_refused_before_it_is_sent(page: Page, site: Site) -> None:
    make_project(page, site.url, "Too large")
    page.evaluate("document.getElementById('upload').dataset.maxBytes = '10'")
    add_files(page, {"lease.pdf": LEASE})
    expect(page.locator("#uploads .row-note-bad")).to_contain_text("Too large")
    expect(page.locator("[data-document]")).to_have_count(0)


def test_a_reload_and_a_second_tab_take_up_the_running_answer(
    page: Page, context: BrowserContext, site: Site, held: threading.Event
) -> None:
    with_lease(page, site, "Taken up")
    site.engine.answers.append(FakeAnswer("Eleven hundred and eighty euros.", gate=held))
    turn = ask(page, "What is the rent?")
    expect(turn.locator("[data-answer]")).to_have_text("Eleven")
    page.reload()
    expect(turn.locator("[data-answer]")).to_have_text("Eleven")
    second = context.new_page()
    second.goto(page.url)
    expect(second.locator("[data-answer]")).to_have_text("Eleven")
    held.set()
    for tab in (page, second):
        expect(tab.locator(".answer-text")).to_have_text("Eleven hundred and eighty euros.")
        expect(tab.locator(".turn")).to_have_attribute("data-state", "done")


def test_a_stopped_answer_stays_and_can_be_asked_again(page: Page, site: Site, held: threading.Event) -> None:
    with_lease(page, site, "Stopped")
    site.engine.answers.append(FakeAnswer("Eleven hundred and eighty euros.", gate=held))
    site.engine.default = RENT
    turn = ask(page, "What is the rent?")
    expect(turn.locator("[data-answer]")).to_have_text("Eleven")
    turn.get_by_role("button", name="Stop").click()
    expect(turn).to_have_attribute("data-state", "stopped")
    expect(turn.locator(".answer-text")).to_have_text("Eleven")
    turn.get_by_role("button", name="Ask again").click()
    expect(page.locator(".turn").nth(1)).to_have_attribute("data-state", "done")
    expect(page.locator(".turn").nth(1).locator(".question")).to_have_text("What is the rent?")


def test_a_model_that_dies_is_said_and_the_second_try_answers(page: Page, site: Site) -> None:
    with_lease(page, site, "Died")
    site.engine.answers.append(FakeAnswer("Eleven hundred and", fail=ServiceLost(), fail_after=2))
    site.engine.default = RENT
    turn = ask(page, "What is the rent?")
    expect(turn).to_have_attribute("data-state", "failed")
    expect(turn.get_by_role("alert")).to_contain_text(ServiceLost.default_message)
    turn.get_by_role("button", name="Try again").click()
    expect(page.locator(".turn").nth(1).locator(".answer-text")).to_have_text("The rent is 1180 euros a month. 1")


def test_enter_asks_and_shift_enter_begins_a_line(page: Page, site: Site) -> None:
    with_lease(page, site, "Keys")
    site.engine.default = RENT
    field = page.get_by_label("Your question")
    field.press("Enter")
    expect(page.locator(".turn")).to_have_count(0)
    field.type("What is")
    field.press("Shift+Enter")
    field.type("the rent?")
    field.press("Enter")
    expect(page.locator(".turn .question")).to_have_text("What is\nthe rent?", use_inner_text=True)
    expect(field).to_be_empty()


def test_a_reader_who_scrolled_up_is_left_there(page: Page, site: Site, held: threading.Event) -> None:
    with_lease(page, site, "Scrolled")
    site.engine.default = "\n\n".join(["Another line of a long answer."] * 60)
    expect(ask(page, "First?")).to_have_attribute("data-state", "done")
    site.engine.answers.append(FakeAnswer("\n".join(["Some more text."] * 60), gate=held))
    turn = ask(page, "Second?")
    expect(turn.locator("[data-answer]")).to_have_text("Some")
    page.evaluate("scrollTo(0, 0)")
    held.set()
    expect(turn).to_have_attribute("data-state", "done")
    assert page.evaluate("scrollY") == 0


def test_on_a_phone_one_part_is_shown_at_a_time(page: Page, site: Site) -> None:
    with_lease(page, site, "Phone")
    page.set_viewport_size({"width": 390, "height": 780})
    expect(page.get_by_label("Your question")).to_be_visible()
    expect(document(page, "lease.pdf")).to_be_hidden()
    page.get_by_role("link", name="Documents").click()
    expect(document(page, "lease.pdf")).to_be_visible()
    expect(page.get_by_label("Your question")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_javascript_a_document_is_added_and_a_question_answered(
    browser: Browser, site: Site, held: threading.Event
) -> None:
    site.engine.answers.append(FakeAnswer(RENT, gate=held))
    with browser.new_context(java_script_enabled=False) as plain:
        page = plain.new_page()
        make_project(page, site.url, "Plain")
        add_files(page, {"lease.pdf": LEASE})
        page.get_by_role("button", name="Add files", exact=True).click()
        expect(page.get_by_text("1 file added; reading has begun.")).to_be_visible()
        while not document(page, "lease.pdf").get_by_text("Ready").count():
            page.reload()  # until the test's own time limit
        page.get_by_label("Your question").fill("What is the rent?")
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.get_by_text("Waiting for an answer…")).to_be_visible()
        held.set()
        expect(page.locator(".answer-text")).to_have_text("The rent is 1180 euros a month. 1")
        page.get_by_role("link", name="lease.pdf, page 2").click()
        expect(page.locator("mark")).to_have_text("The rent is 1180 euros a month.")
