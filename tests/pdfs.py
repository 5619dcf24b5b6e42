"""Builds PDFs with what makes them hard to read: places, pictures, broken fonts, forms, locks and damage."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from projects.intake.extract import pdf
from projects.intake.extract.base import Context, Extraction

LEASE = (
    "The tenant shall pay the monthly rent of",
    "nine hundred euros on the first working",
    "day of every month to the account that",
    "the landlord has named in writing, and",
    "informs the landlord of any delay.",
)
"""A sentence that is wrapped."""


@dataclass(frozen=True)
class At:
    """Text at a place in points from the bottom left of the page."""

    x: float
    y: float
    text: str
    size: float = 11


@dataclass(frozen=True)
class Leaf:
    """A page: what is drawn, in this order; a picture as wide as it; how far it is turned; annotations."""

    texts: Sequence[At] = ()
    picture: Image.Image | None = None
    turned: int = 0
    annotations: Sequence[str] = ()
    drawing: str = ""


@dataclass
class _Objects:
    """The numbered objects of a file: 1 is the catalogue, 2 the tree of pages, 3 the font."""

    bodies: dict[int, bytes] = field(default_factory=dict)
    last: int = 3

    def add(self, body: bytes | str) -> int:
        self.last += 1
        self.bodies[self.last] = body.encode("latin-1") if isinstance(body, str) else body
        return self.last

    def file(self) -> bytes:
        out = b"%PDF-1.7\n"
        places: dict[int, int] = {}
        for number in sorted(self.bodies):
            places[number] = len(out)
            out += b"%d 0 obj\n%s\nendobj\n" % (number, self.bodies[number])
        table = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        out += b"".join(b"%010d 00000 n \n" % places[number] for number in sorted(places))
        trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        return out + trailer % (len(places) + 1, table)


def pdf_of(*leaves: Leaf, shown_as: Mapping[str, str] | None = None, form: str = "") -> bytes:
    """Return a PDF of pages. `shown_as` maps characters drawn to characters told: a broken ToUnicode of the font.

    `form` is what else is in the dictionary of the form.
    """
    objects = _Objects()
    told = f"/ToUnicode {objects.add(_stream(_to_unicode(shown_as)))} 0 R" if shown_as else ""
    objects.bodies[3] = (
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding {told} >>".encode()
    )
    pages, widgets = [], []
    for leaf in leaves:
        notes = [objects.add(body) for body in leaf.annotations]
        widgets += [number for number, body in zip(notes, leaf.annotations, strict=True) if "/Widget" in body]
        picture = f"/XObject << /Im {objects.add(_picture(leaf.picture))} 0 R >>" if leaf.picture else ""
        content = objects.add(_stream(_content(leaf)))
        pages.append(
            objects.add(
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate {leaf.turned} /Contents {content} 0 R"
                f" /Annots [{_references(notes)}] /Resources << /Font << /F1 3 0 R >> {picture} >> >>"
            )
        )
    fields = f"/AcroForm << /Fields [{_references(widgets)}] {form} >>" if widgets or form else ""
    drawn_by_form = "/NeedsRendering true" if "/XFA" in form else ""
    objects.bodies[1] = f"<< /Type /Catalog /Pages 2 0 R {fields} {drawn_by_form} >>".encode()
    objects.bodies[2] = f"<< /Type /Pages /Kids [{_references(pages)}] /Count {len(pages)} >>".encode()
    return objects.file()


def written(*lines: str) -> Leaf:
    """Return a page with these lines below each other."""
    return Leaf([At(50, 700 - 16 * number, line) for number, line in enumerate(lines)])


def read_pdf(
    folder: Path, content: bytes, password: str = "", progress: Callable[[int, int], None] | None = None
) -> Extraction:
    """Read the bytes of a PDF, stored in `folder`."""
    path = folder / "stored"
    path.write_bytes(content)
    return pdf.extract(path, Context("a.pdf", password, progress or (lambda done, total: None)))


def text_of(extraction: Extraction) -> str:
    return "\n".join(block.text for block in extraction.blocks)


def text_field(name: str, value: str, told: str = "") -> str:
    """Return a filled text field; `told` is what a person sees when pointing at it."""
    shown = f"/TU ({told})" if told else ""
    return f"<< /Type /Annot /Subtype /Widget /FT /Tx /T ({name}) {shown} /V ({value}) /Rect [0 0 9 9] >>"


def box(name: str, state: str, kind: str = "") -> str:
    """Return a box to tick whose states are /Off and /Yes, or those of a `kind` such as /monthly."""
    on = kind or "/Yes"
    return (
        f"<< /Type /Annot /Subtype /Widget /FT /Btn /T ({name}) /V {state} /AS {state} /Rect [0 0 9 9]"
        f" /AP << /N << {on} << >> /Off << >> >> >> >>"
    )


def typed_on(text: str, kind: str = "FreeText") -> str:
    """Return text that somebody put onto a page with a viewer."""
    return f"<< /Type /Annot /Subtype /{kind} /Contents ({text}) /Rect [100 100 300 120] /DA (/F1 11 Tf) >>"


def picture_of(*lines: str, width: int = 1000, size: int = 30) -> Image.Image:
    """Return a picture of black text on white."""
    picture = Image.new("RGB", (width, (len(lines) + 1) * size * 2), "white")
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((size, size + number * size * 2), line, fill="black", font=ImageFont.load_default(size))
    return picture


def locked(content: bytes, user: str, owner: str) -> bytes:
    """Return a PDF encrypted with AES-256; an empty user password opens by itself."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(content)))
    writer.encrypt(user, owner, algorithm="AES-256")
    buffer = BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def with_files(content: bytes, files: Mapping[str, bytes]) -> bytes:
    """Return a PDF with files within it."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(content)))
    for name, attached in files.items():
        writer.add_attachment(name, attached)
    buffer = BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def saved(picture: Image.Image, kind: str, **options: Any) -> bytes:
    """Return a picture as the bytes of a file."""
    buffer = BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def _references(numbers: Sequence[int]) -> str:
    return " ".join(f"{number} 0 R" for number in numbers)


def _stream(content: bytes) -> bytes:
    packed = zlib.compress(content)
    return b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(packed), packed)


def _picture(picture: Image.Image) -> bytes:
    packed = zlib.compress(picture.convert("RGB").tobytes())
    head = f"<< /Type /XObject /Subtype /Image /Width {picture.width} /Height {picture.height} /ColorSpace /DeviceRGB"
    tail = f" /BitsPerComponent 8 /Filter /FlateDecode /Length {len(packed)} >>\nstream\n"
    return (head + tail).encode() + packed + b"\nendstream"


def _content(leaf: Leaf) -> bytes:
    drawn = [leaf.drawing]
    if leaf.picture:
        height = 612 * leaf.picture.height / leaf.picture.width
        drawn.append(f"q 612 0 0 {height:.1f} 0 {792 - height:.1f} cm /Im Do Q")
    for at in leaf.texts:
        escaped = at.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        drawn.append(f"BT /F1 {at.size} Tf {at.x} {at.y} Td ({escaped}) Tj ET")
    return "\n".join(drawn).encode("cp1252")


def _to_unicode(shown_as: Mapping[str, str]) -> bytes:
    pairs = "\n".join(
        f"<{drawn.encode('cp1252').hex()}> <{told.encode('utf-16-be').hex()}>" for drawn, told in shown_as.items()
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Broken def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <FF> endcodespacerange\n{len(shown_as)} beginbfchar\n{pairs}\nendbfchar\n"
        "endcmap CMapName currentdict /CMap defineresource pop end end"
    ).encode()
