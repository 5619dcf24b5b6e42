"""What a person does on the pages, in their words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.builders import pdf

LEASE = pdf(
    ["Lease of the flat at 12 Park Street.", "Landlord: Anna Berg. Tenant: Tomas Lind."],
    ["The rent is 1180 euros a month.", "It is due on the third working day of the month."],
    ["The lease ends with three months of notice."],
)


def make_project(page: Page, url: str, name: str) -> None:
    """Make a project on the list and arrive at its desk."""
    page.goto(url)
    page.get_by_label("New project").fill(name)
    page.get_by_role("button", name="Create project").click()
    expect(page.get_by_label("Your question")).to_be_visible()


def add_files(page: Page, files: Mapping[str, bytes]) -> None:
    """Choose files in the form of the desk."""
    page.locator("#upload-files").set_input_files(
        [FilePayload(name=name, mimeType="application/octet-stream", buffer=content) for name, content in files.items()]
    )


def drop_files(page: Page, files: Mapping[str, bytes]) -> None:
    """Drop files somewhere on the page."""
    expect(page.locator("form.drop-live")).to_be_attached()
    contents = {name: list(content) for name, content in files.items()}
    transfer = page.evaluate_handle(
        """contents => {
            const transfer = new DataTransfer();
            for (const [name, bytes] of Object.entries(contents)) {
                transfer.items.add(new File([new Uint8Array(bytes)], name));
            }
            return transfer;
        }""",
        contents,
    )
    page.dispatch_event("#conversation", "dragenter", {"dataTransfer": transfer})
    expect(page.locator("#drop-over")).to_be_visible()
    page.dispatch_event("#conversation", "drop", {"dataTransfer": transfer})
    expect(page.locator("#drop-over")).to_be_hidden()


def drop_paths(page: Page, *paths: Path) -> None:
    """Drop folders and files of the disk on the page."""
    expect(page.locator("form.drop-live")).to_be_attached()
    # Only the browser itself can drop a folder; a page's script cannot make one.
    browser_side = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser_side.send("Input.dispatchDragEvent", {"type": kind, "x": 700, "y": 300, "data": data})


def delete_project(page: Page, desk: str) -> None:
    """Delete a project in its settings and arrive at the list."""
    page.goto(desk)
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Delete project…").click()
    page.get_by_role("button", name="Delete the project").click()
    expect(page.get_by_label("New project")).to_be_visible()


def document(page: Page, name: str) -> Locator:
    """Return the document's row on the desk."""
    return page.locator("[data-document]").filter(has_text=name)


def ask(page: Page, question: str) -> Locator:
    """Type a question and press Enter; return the turn that appears."""
    before = page.locator(".turn").count()
    page.get_by_label("Your question").fill(question)
    page.get_by_label("Your question").press("Enter")
    turn = page.locator(".turn").nth(before)
    expect(turn).to_be_visible()
    return turn
