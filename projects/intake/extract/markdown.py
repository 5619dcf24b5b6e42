"""Reads Markdown: its text as written, its headings as headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from projects.intake.extract.base import Block, Context, Extraction, Report
from projects.intake.extract.plain import read_text
from projects.intake.extract.sniff import MARKDOWN

_ATX = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)\s*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def extract(path: Path, context: Context) -> Extraction:
    """Read a Markdown file; marks of emphasis, links and tables stay in the text."""
    decoded = read_text(path)
    report = Report(replaced=decoded.replaced)
    return Extraction(MARKDOWN, tuple(_blocks(decoded.text)), warnings=decoded.warnings, report=report)


def _blocks(text: str) -> Iterator[Block]:
    paragraph: list[str] = []
    fence = ""
    for line in text.split("\n"):
        fence = _fence_after(line, fence)
        atx = None if fence else _ATX.match(line)
        underline = None if fence or len(paragraph) != 1 else _UNDERLINE.match(line)
        if atx or not line.strip():
            yield from _paragraph(paragraph)
            paragraph = []
        if atx and atx.group(2):
            yield Block(atx.group(2), level=len(atx.group(1)))
        elif underline and paragraph:
            yield Block(paragraph.pop().strip(), level=1 if underline.group(1).startswith("=") else 2)
        elif line.strip() and not atx:
            paragraph.append(line)
    yield from _paragraph(paragraph)


def _paragraph(lines: list[str]) -> Iterator[Block]:
    if lines:
        yield Block("\n".join(lines))


def _fence_after(line: str, fence: str) -> str:
    """Return the open code fence after this line; a '#' within code is no heading."""
    match = _FENCE.match(line)
    if not match:
        return fence
    if not fence:
        return match.group(1)
    closes = match.group(1).startswith(fence) and line.strip() == match.group(1)
    return "" if closes else fence
