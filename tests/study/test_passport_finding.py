"""Tests of what a passport says about real documents: leases, invoices, letters, minutes, reports in four languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from projects.intake.extract import docx, eml, pdf, xlsx
from projects.intake.extract.base import Context, Extractor
from projects.intake.sections import sections_of
from study.passports.finding import find
from study.passports.values import Field, Found, Kind
from tests import builders
from tests.reports import REPORTS, Report
from tests.study.passport_material import Case, cases, found, identities, scores

CASES = cases()
# What was measured when the rules were last changed; they may get better and not worse.
FLOORS = {
    Kind.PARTY: 0.96,
    Kind.DATE: 0.97,
    Kind.AMOUNT: 0.97,
    Kind.IDENTIFIER: 0.95,
    Kind.PLACE: 0.95,
    Kind.SUBJECT: 0.95,
}


def read(reader: Extractor, path: Path, content: bytes) -> Found:
    """Return the passport of a file in some format, as intake would have it made."""
    path.write_bytes(content)
    extraction = reader(path, Context(name=path.name))
    return find(path.name, sections_of(extraction.blocks), extraction.pages)


def field(result: Found, kind: Kind, label: str) -> Field:
    """Return the one field of a kind with a label."""
    (only,) = [field for field in result.fields if field.kind == kind and field.label.lower() == label]
    return only


def values(result: Found, kind: Kind) -> list[str]:
    return [field.value for field in result.fields if field.kind == kind]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_type_and_language_are_found(case: Case) -> None:
    result = found(case.name)
    assert (result.type, result.language) == (case.type, case.language)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_sides_sums_and_dates_that_matter_are_exact(case: Case) -> None:
    """What stands first in the list of what is expected, which is what a person would look for first."""
    for kind in (Kind.PARTY, Kind.DATE, Kind.AMOUNT):
        seen = identities(found(case.name), kind)
        expected = [item for item in case.fields[kind].items() if item[0] not in case.missed]
        for identity, label in expected[:2]:
            assert identity in seen
            assert not label or label in seen[identity]


@pytest.mark.parametrize("kind", FLOORS, ids=str)
def test_measure_over_all_documents_stays_above_its_floor(kind: Kind) -> None:
    score = scores()[kind]
    assert min(score.precision, score.recall, score.labels) >= FLOORS[kind]


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.number)
def test_accident_report_is_known_by_number_place_and_registration(report: Report, tmp_path: Path) -> None:
    result = read(pdf.extract, tmp_path / report.file_name, report.file())
    assert (result.type, result.language, result.pages) == ("accident report", "en", 3)
    assert field(result, Kind.IDENTIFIER, "report number").value == report.number
    assert field(result, Kind.PLACE, "place").value == report.place
    registration = field(result, Kind.IDENTIFIER, "registration")
    assert (registration.value, registration.page) == (report.registration, 2)


def test_form_with_two_labels_to_a_line_gives_each_its_value(tmp_path: Path) -> None:
    content = builders.pdf(
        [
            ("National Transportation Safety Board Aviation Accident Final Report", 16),
            "",
            "Location: Larchmont, NY Accident Number: NYC08CA099",
            "Date & Time: 12/08/2007, 1730 EST Registration: N5921D",
            "Aircraft: Piper PA-22-150 Aircraft Damage: Substantial",
            "The airplane hit trees. The pilot said that the airplane was fine. The aircraft was sold.",
        ],
        ["Registered Owner: Ada Byron Rated Power: 150 hp", "Report Date: 01/31/2008"],
    )
    result = read(pdf.extract, tmp_path / "20071229X02007.pdf", content)
    assert field(result, Kind.IDENTIFIER, "accident number").value == "NYC08CA099"
    assert field(result, Kind.PLACE, "location").value == "Larchmont, NY"
    assert field(result, Kind.SUBJECT, "aircraft").value == "Piper PA-22-150"
    date = field(result, Kind.DATE, "date & time")
    assert (date.value, date.normalised, date.page) == ("12/08/2007, 1730 EST", "2007-12-08", 1)
    assert (field(result, Kind.PARTY, "registered owner").value, field(result, Kind.DATE, "report date").page) == (
        "Ada Byron",
        2,
    )


def test_foreign_registration_is_found_behind_the_type_of_the_aircraft(tmp_path: Path) -> None:
    lines = [
        "Aviation Accident Factual Report",
        "Aircraft: Cessna 210 Aircraft Damage: Destroyed",
        "A Cessna 210, XB-GTS, hit the ground. The pilot and the airplane were lost. The aircraft burned.",
    ]
    result = read(pdf.extract, tmp_path / "a.pdf", builders.pdf(lines))
    assert field(result, Kind.IDENTIFIER, "registration").value == "XB-GTS"


def test_word_document_with_a_table_of_facts(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        document.add_heading("Mietvertrag", 1)
        rows = [("Vermieter", "Karin Albers"), ("Mieter", "Yusuf Kaya"), ("Mietbeginn", "01.05.2024")]
        rows += [("Kaltmiete", "720,50 €"), ("Kaution", "2.161,50 €")]
        table = document.add_table(rows=len(rows), cols=2)
        for cells, row in zip(table.rows, rows, strict=True):
            cells.cells[0].text, cells.cells[1].text = row
        document.add_heading("Kündigung", 2)
        document.add_paragraph("Die Kündigung ist schriftlich zu erklären, und zwar bis zum dritten Werktag.")

    result = read(docx.extract, tmp_path / "vertrag.docx", builders.docx(build))
    assert (result.type, result.language) == ("lease", "de")
    assert field(result, Kind.PARTY, "mieter").value == "Yusuf Kaya"
    assert field(result, Kind.DATE, "mietbeginn").normalised == "2024-05-01"
    assert field(result, Kind.AMOUNT, "kaltmiete").normalised == "720.50 EUR"
    assert "Kündigung" in [entry.text for entry in result.contents]


def test_workbook_is_a_table_with_its_sheets_as_contents(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "Stock"
    for row in [("Item", "Count", "Shelf"), ("Bolt", 400, 12), ("Nut", 380, 12), ("Washer", 90, 14)]:
        book.active.append(row)
    book.create_sheet("Orders").append(("Nothing yet",))
    path = tmp_path / "stock.xlsx"
    book.save(path)
    result = read(xlsx.extract, path, path.read_bytes())
    assert result.type == "table"
    assert [(entry.text, entry.page) for entry in result.contents] == [("Stock", 1), ("Orders", 2)]
    assert values(result, Kind.AMOUNT) == values(result, Kind.IDENTIFIER) == []


def test_mail_is_known_by_its_headers(tmp_path: Path) -> None:
    content = (
        "From: Berta Klein <berta@example.org>\nTo: Max Orth <max@example.org>\nSubject: Angebot für das Dach\n"
        "Date: Tue, 06 Feb 2024 09:14:00 +0100\nContent-Type: text/plain; charset=utf-8\n\n"
        "Hallo Max,\n\nder Dachdecker verlangt 4.750,00 € für die ganze Arbeit.\n\nBerta\n"
    )
    result = read(eml.extract, tmp_path / "dach.eml", content.encode())
    assert result.type == "e-mail"
    assert field(result, Kind.PARTY, "from").value == "Berta Klein"
    assert field(result, Kind.PARTY, "to").value == "Max Orth"
    assert field(result, Kind.SUBJECT, "subject").value == "Angebot für das Dach"
    assert field(result, Kind.DATE, "date").normalised == "2024-02-06"


def test_same_value_twice_is_one_field_on_the_page_that_names_it(tmp_path: Path) -> None:
    pages = [["Invoice 2024-118", "Page 1 of 2"], ["Invoice 2024-118", "Total: $1,234.56", "Page 2 of 2"]]
    result = read(pdf.extract, tmp_path / "bill.pdf", builders.pdf(*pages))
    assert [(field.value, field.page) for field in result.fields if field.kind == Kind.IDENTIFIER] == [("2024-118", 1)]
    total = field(result, Kind.AMOUNT, "total")
    assert (total.normalised, total.page) == ("1234.56 USD", 2)


def test_empty_document_is_just_a_document() -> None:
    result = find("x.bin", [])
    assert (result.type, result.language, result.contents, result.pages) == ("document", "", (), None)
    assert [field.kind for field in result.fields] == [Kind.TYPE]
