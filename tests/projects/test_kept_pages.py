"""Pages that were recognised are read once, whatever happens between two readings of a file."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projects.intake.extract.base import Context
from projects.intake.extract.kept_pages import WORTH_KEEPING, read_pages
from projects.intake.extract.layout import Line, Page
from projects.intake.extract.page_report import How, PageRead

lines = st.builds(Line, st.text(), st.floats(0, 99), st.booleans(), st.booleans())
counts = st.integers(0, 99)
pages = st.builds(
    PageRead,
    st.builds(Page, st.just(1), st.lists(lines).map(tuple)),
    st.sampled_from(list(How)),
    counts,
    counts,
    counts,
)


def noting(how: How, read: list[int]) -> Callable[[int], PageRead]:
    """Return a reader that notes which pages it was asked for."""

    def read_one(number: int) -> PageRead:
        read.append(number)
        return PageRead(Page(number, (Line(f"Page {number}."),)), how)

    return read_one


@given(pages)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_page_comes_back_as_it_was(tmp_path: Path, page: PageRead) -> None:
    for path in tmp_path.iterdir():
        path.unlink()
    context = Context(kept=tmp_path)
    first = list(read_pages(1, context, lambda _: page))
    again = list(read_pages(1, context, lambda _: page))
    assert first == again == [page]


@pytest.mark.parametrize("how", list(How), ids=lambda how: how.name)
def test_what_was_recognised_is_not_recognised_again(tmp_path: Path, how: How) -> None:
    read: list[int] = []
    for _ in range(2):
        list(read_pages(3, Context(kept=tmp_path), noting(how, read)))
    assert read == ([1, 2, 3] if how in WORTH_KEEPING else [1, 2, 3, 1, 2, 3])


def test_what_is_kept_is_for_the_owner_alone(tmp_path: Path) -> None:
    list(read_pages(1, Context(kept=tmp_path), noting(How.OCR, [])))
    assert [stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()] == [0o600]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"lines": 1}', '{"lines": [], "how": "MAGIC"}'])
def test_a_page_that_was_not_kept_whole_is_read(tmp_path: Path, content: str) -> None:
    (tmp_path / "1.json").write_text(content)
    read: list[int] = []
    (page,) = read_pages(1, Context(kept=tmp_path), noting(How.OCR, read))
    assert (read, page.page.lines[0].text) == ([1], "Page 1.")


def test_without_a_folder_nothing_is_kept() -> None:
    read: list[int] = []
    list(read_pages(2, Context(), noting(How.OCR, read)))
    assert read == [1, 2]
