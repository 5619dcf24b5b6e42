"""A small project to look at: the papers of a flat, written for the pictures."""

from __future__ import annotations

from typing import Any

from tests.builders import docx, pdf

LEASE = pdf(
    [
        ("Lease agreement", 16),
        "",
        "Between Anna Berg, Hill Road 4 (landlord), and Tomas Lind (tenant),",
        "for the flat on the second floor of 12 Park Street, three rooms, 74 square metres.",
        "",
        "The lease begins on 1 April 2024 and runs without a fixed end.",
    ],
    [
        ("Rent and charges", 13),
        "",
        "The rent is 1,180 euros a month. It is due on the third working day of each month",
        "and is paid to the landlord's account. Heating and water are paid in advance with",
        "140 euros a month and settled once a year against the meter readings.",
        "",
        "The rent may rise once a year with the consumer price index, by written notice,",
        "for the first time on 1 April 2026.",
        "",
        ("Deposit", 13),
        "",
        "The deposit is 2,360 euros. It is returned within six months of the end of the lease.",
    ],
    [
        ("Ending the lease", 13),
        "",
        "Either side may end the lease with three months of notice to the end of a month.",
        "The tenant returns the flat clean, with all keys, and with damage beyond wear repaired.",
    ],
)

HANDOVER = """\
# Handover record, 12 Park Street

Date: 1 April 2024. Present: Anna Berg, Tomas Lind.

## Condition

- Kitchen: worktop scratched left of the sink, otherwise good.
- Bathroom: one cracked tile behind the door, known to the landlord.
- Living room: parquet sanded in March 2024, no damage.

## Meters and keys

Electricity 48,210 kWh. Cold water 311.4 cubic metres. Four house keys, two letterbox keys.
"""

MAIL = """\
From: Anna Berg
To: Tomas Lind
Subject: Boiler

Dear Mr Lind,

the boiler is serviced on 14 November between 9 and 12. Please let the fitter in; the cost of 96 euros is mine.

Kind regards
Anna Berg
"""


def _letter(document: Any) -> None:
    document.add_heading("Settlement of heating and water 2024", level=1)
    document.add_paragraph("Dear Mr Lind, here is the settlement for April to December 2024.")
    table = document.add_table(rows=0, cols=2)
    for item, amount in (
        ("Heating", "1,004.20"),
        ("Water", "287.15"),
        ("Paid in advance", "1,260.00"),
        ("Due", "31.35"),
    ):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = item, f"{amount} euros"
    document.add_paragraph("Please pay the 31.35 euros by 28 February 2025.")


FILES = {
    "Lease 12 Park Street.pdf": LEASE,
    "Handover record.md": HANDOVER.encode(),
    "Boiler.txt": MAIL.encode(),
    "Settlement 2024.docx": docx(_letter),
    "Scan of the keys.pdf": b"%PDF-1.7 cut off in the mail",
}
