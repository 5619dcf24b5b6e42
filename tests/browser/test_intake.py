"""Tests of adding documents in a real browser: each file with its progress, its fate, its cause and its next step."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, Request, expect

from bench.intake.files import scanned
from tests.browser.actions import LEASE, add_files, document, drop_files, make_project
from tests.browser.conftest import Site
from tests.pdfs import locked

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def polls(page: Page) -> list[str]:
    """Return a list that grows with each request for the list of documents."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/documents/" in request.url and request.method == "GET":
            asked.append(request.url)

    page.on("request", note)
    return asked


def test_a_drop_of_good_and_bad_files_gives_each_its_state_its_cause_and_its_next_step(page: Page, site: Site) -> None:
    make_project(page, site.url, "Mixed drop")
    files = {
        "lease.pdf": LEASE,
        "locked.pdf": locked(LEASE, "geheim", "owner"),
        "broken.pdf": b"%PDF-1.7 nothing",
        "empty.txt": b"",
        "a & b [1].txt": b"The rent is 1180 euros.",
        "租约.md": "# 租约\n\n租金 1180 欧元。".encode(),
        "n" * 196 + ".txt": b"The notice is three months.",
    }
    drop_files(page, files)
    for name in ("lease.pdf", "a & b [1].txt", "租约.md", "n" * 196):
        expect(document(page, name)).to_have_attribute("data-state", "ready")
    expect(document(page, "broken.pdf")).to_contain_text("The PDF is damaged or incomplete")
    expect(document(page, "broken.pdf").get_by_role("button", name="Read broken.pdf again")).to_be_visible()
    expect(document(page, "empty.txt")).to_contain_text("The file is empty.")
    expect(document(page, "locked.pdf")).to_contain_text("Needs a password")
    expect(page.locator("#uploads li")).to_have_count(0)

    document(page, "locked.pdf").get_by_label("Password of locked.pdf").fill("wrong")
    document(page, "locked.pdf").get_by_role("button", name="Open").click()
    expect(document(page, "locked.pdf")).to_contain_text("The password does not open it.")
    document(page, "locked.pdf").get_by_label("Password of locked.pdf").fill("geheim")
    document(page, "locked.pdf").get_by_role("button", name="Open").click()
    expect(document(page, "locked.pdf")).to_have_attribute("data-state", "ready")


def test_a_password_that_somebody_types_outlives_the_changes_of_the_list(page: Page, site: Site) -> None:
    make_project(page, site.url, "Typing")
    add_files(page, {"locked.pdf": locked(LEASE, "geheim", "owner")})
    field = page.get_by_label("Password of locked.pdf")
    field.press_sequentially("geh")
    add_files(page, {"note.txt": b"The rent is 1180 euros."})
    expect(document(page, "note.txt")).to_have_attribute("data-state", "ready")
    field.press_sequentially("eim")
    field.press("Enter")
    expect(document(page, "locked.pdf")).to_have_attribute("data-state", "ready")


def test_a_long_scan_shows_its_pages_and_an_end_in_sight_and_can_be_cancelled(page: Page, site: Site) -> None:
    make_project(page, site.url, "Scan")
    add_files(page, {"scan.pdf": scanned(40)})
    row = document(page, "scan.pdf")
    expect(row.locator(".row-reading")).to_have_text(re.compile(r"[1-9]\d* of 40 pages, .* left"))
    expect(row.get_by_role("progressbar")).to_have_attribute("max", "40")
    expect(page.locator("#overall")).to_have_text(re.compile(r"0 of 1 file ready, .* left"))

    row.get_by_role("button", name="Cancel reading scan.pdf").click()
    expect(row).to_have_attribute("data-state", "cancelled")
    expect(row.get_by_role("button", name="Read scan.pdf again")).to_be_visible()
    add_files(page, {"note.txt": b"The rent is 1180 euros."})
    expect(document(page, "note.txt")).to_have_attribute("data-state", "ready")


def test_the_list_is_asked_for_only_while_something_is_read(page: Page, site: Site) -> None:
    make_project(page, site.url, "Quiet")
    asked = polls(page)
    add_files(page, {"note.txt": b"The rent is 1180 euros."})
    expect(document(page, "note.txt")).to_have_attribute("data-state", "ready")
    before = len(asked)
    page.wait_for_timeout(4000)
    assert before > 0
    assert len(asked) == before


def test_a_chosen_folder_brings_its_files_without_the_hidden_ones(page: Page, site: Site, folder: Path) -> None:
    papers = folder / "papers"
    (papers / "2024").mkdir(parents=True)
    (papers / ".git").mkdir()
    (papers / "lease.txt").write_text("The rent is 1180 euros.")
    (papers / "2024" / "meter.txt").write_text("Cold water: 311 cubic metres.")
    (papers / ".git" / "config").write_text("Not a document.")
    (papers / ".DS_Store").write_text("Nor is this.")
    make_project(page, site.url, "Chosen folder")
    expect(page.get_by_label("Choose a folder")).to_be_visible()
    page.get_by_label("Choose a folder").set_input_files(papers)
    for name in ("lease.txt", "meter.txt"):
        expect(document(page, name)).to_have_attribute("data-state", "ready")
    expect(page.locator("[data-document]")).to_have_count(2)


def test_what_is_chosen_twice_in_a_moment_is_sent_once(page: Page, site: Site) -> None:
    make_project(page, site.url, "Twice")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/upload/") else None)
    page.evaluate(
        """() => {
            const input = document.getElementById("upload-files");
            const file = new File(["The rent is 1180 euros."], "note.txt", { lastModified: 1 });
            for (let time = 0; time < 2; time++) {
                const transfer = new DataTransfer();
                transfer.items.add(file);
                input.files = transfer.files;
                input.dispatchEvent(new Event("change"));
            }
        }"""
    )
    expect(document(page, "note.txt")).to_have_attribute("data-state", "ready")
    assert len(sent) == 1
    expect(page.locator("#uploads li")).to_have_count(0)


def test_a_file_beyond_the_limit_costs_no_byte_and_the_limit_is_stated_before(page: Page, site: Site) -> None:
    make_project(page, site.url, "Limit")
    expect(page.locator("#upload")).to_contain_text("up to 200 MB each")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/upload/") else None)
    page.evaluate("document.getElementById('upload').dataset.maxBytes = '100'")
    drop_files(page, {"lease.pdf": LEASE, "note.txt": b"The rent is 1180 euros."})
    expect(page.locator("#uploads .row-note-bad")).to_contain_text("Too large: 1 MB, and 1 MB is the most.")
    expect(document(page, "note.txt")).to_have_attribute("data-state", "ready")
    assert len(sent) == 1


def test_a_new_version_on_the_documents_page_takes_the_old_ones_place(page: Page, site: Site) -> None:
    make_project(page, site.url, "New version")
    add_files(page, {"rent.txt": b"The rent is 1180 euros."})
    expect(document(page, "rent.txt")).to_have_attribute("data-state", "ready")
    page.goto(f"{site.url}{document(page, 'rent.txt').get_by_role('link').get_attribute('href')}")
    page.get_by_text("Replace with a new version").click()
    page.get_by_label("New version").set_input_files(
        FilePayload(name="other.txt", mimeType="text/plain", buffer=b"The rent is 1250 euros.")
    )
    page.get_by_role("button", name="Replace").click()
    expect(page.get_by_text("rent.txt has new content and is being read; the old one is gone.")).to_be_visible()
    expect(page.get_by_role("heading", name="rent.txt")).to_be_visible()
