"""OCR: pages a second of PDFs whose pages are pictures, and the memory it takes."""

from __future__ import annotations

import time

from bench.intake.files import page_lines, scanned
from bench.intake.measures.reading import watched
from bench.intake.run import Intake
from bench.report import Figure
from projects.intake.extract import Context
from projects.intake.extract.isolated import extract_isolated

MEMORY_MIB = 1536
WORDS_FOUND = 0.95


def run(intake: Intake) -> list[Figure]:
    """Read a scanned document; the first page pays for loading the models."""
    pages = intake.options.sizes.scanned
    path = intake.folder / "scanned.pdf"
    path.write_bytes(scanned(pages))
    moments = [time.perf_counter()]
    with watched() as memory:
        context = Context(path.name, progress=lambda *_: moments.append(time.perf_counter()))
        extraction = extract_isolated(path, context)
    spent = time.perf_counter() - moments[0]
    found = _words_found(" ".join(block.text for block in extraction.blocks), pages)
    detail = f"{pages} full pages at 200 dots an inch, the loading of the models within"
    return [
        Figure("ocr", "scanned pages read", pages / spent, "pages/s", detail=detail),
        Figure("ocr", "share of the words that were found", found, "", WORDS_FOUND),
        Figure("ocr", "memory of the process that reads", memory.most / 2**20, "MiB", MEMORY_MIB, "at most"),
    ]


def _words_found(text: str, pages: int) -> float:
    """Return which share of the words on the pages is in the text."""
    there = set(text.split())
    words = [word for number in range(pages) for line in page_lines(1 + number) for word in line.split()]
    return sum(word in there for word in words) / len(words)
