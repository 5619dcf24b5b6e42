"""The source of an answer or of a search hit: one page of a document, as printed and as text, with the words marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from projects import access
from projects.facsimile.pages import Original, PageNotDrawn, Printed, has_pictures, printed
from projects.intake import store
from projects.models import Citation, Document
from projects.presentation.quotes import Span
from projects.presentation.reading import Leaf, Place, Sought, leaf_of, sought_by_citation, sought_by_hit
from projects.views.fragments import wants_fragment

MOST = 9
"""Digits of a number in an address."""
MAX_QUESTION = 500
LOST = "The cited words are not in the text as it is now: the document was read again since."


@dataclass(frozen=True)
class Seeking:
    """What the address asks to be marked, and the part of the address that says so."""

    kept: Mapping[str, str]
    citation: Citation | None = None
    sought: Sought | None = None

    @property
    def is_lost(self) -> bool:
        """Whether an answer quoted words that are not there any more."""
        return self.citation is not None and bool(self.citation.quote) and self.sought is None

    @property
    def place(self) -> Place | None:
        """Where a citation is that has no words to be found by, if it has a page."""
        cited = self.citation
        return Place(cited.page) if cited and cited.page and not self.sought else None


@require_GET
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def source(request: HttpRequest, pk: int) -> HttpResponse:
    """A page of the document, or a part of one without pages; as a fragment for the pane of the desk.

    `?page=` and `?part=` say which. `?citation=` marks the words that an answer quoted, `?section=&from=&to=&q=` those
    that were searched for in a passage.
    """
    document = access.document_for(request.user, pk)
    seeking = _seeking(request, document)
    leaf = leaf_of(document, _place(request) or seeking.place, seeking.sought)
    picture, no_picture = _printed(document, leaf)
    context = {
        "document": document,
        "project": document.project,
        "citation": seeking.citation,
        "question": seeking.sought.question if seeking.sought else "",
        "lost": LOST if seeking.is_lost else "",
        "leaf": leaf,
        "by_ocr": leaf.place.page in document.report.get("ocr", ()),
        "picture": picture,
        "no_picture": no_picture,
        "kept": seeking.kept,
        "before": _address(document, leaf.before, seeking),
        "after": _address(document, leaf.after, seeking),
        "here": _address(document, leaf.place, seeking),
    }
    template = "projects/_source.html" if wants_fragment(request) else "projects/source.html"
    return render(request, template, context)


@require_GET
def page_picture(request: HttpRequest, pk: int, page: int) -> HttpResponse:
    """The picture of a page as printed (WebP); 422 with a sentence when it cannot be drawn."""
    document = access.document_for(request.user, pk)
    if not has_pictures(document.media_type):
        raise Http404("Such documents have no pages as printed.")
    try:
        drawn = printed(_original(document), page, draw=True)
    except PageNotDrawn as error:
        response = HttpResponse(error.message, content_type="text/plain; charset=utf-8", status=422)
    else:
        response = HttpResponse(drawn.picture, content_type="image/webp")
    # Nothing of a document is left in the browser's cache on the disk.
    response["Cache-Control"] = "private, no-store"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def _seeking(request: HttpRequest, document: Document) -> Seeking:
    if number := _number(request, "citation"):
        citations = document.citations.select_related("chunk__section", "turn", "document")
        if citation := citations.filter(pk=number).first():
            return Seeking({"citation": str(citation.pk)}, citation, sought_by_citation(citation))
    if number := _number(request, "section"):
        question = request.GET.get("q", "")[:MAX_QUESTION]
        passage = Span(_number(request, "from") or 0, _number(request, "to") or 0)
        if section := document.sections.filter(pk=number).first():
            kept = {"section": str(section.pk), "from": str(passage.start), "to": str(passage.end), "q": question}
            return Seeking(kept, sought=sought_by_hit(section, passage, question))
    return Seeking({})


def _place(request: HttpRequest) -> Place | None:
    page, part = _number(request, "page"), _number(request, "part")
    return Place(page, part or 1) if page or part else None


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")[:MOST]
    return int(text) if text.isdecimal() else None


def _printed(document: Document, leaf: Leaf) -> tuple[Printed | None, str]:
    """Return the page as printed, or why there is none; neither for formats without pictures of pages."""
    page = leaf.place.page
    if page is None or not has_pictures(document.media_type):
        return None, ""
    try:
        return printed(_original(document), page, leaf.wanted), ""
    except PageNotDrawn as error:
        return None, error.message


def _original(document: Document) -> Original:
    return Original(store.path_of(document.sha256), document.media_type, document.password)


def _address(document: Document, place: Place | None, seeking: Seeking) -> str:
    if place is None:
        return ""
    where = {"page": str(place.page)} if place.page is not None else {}
    if place.part > 1 or place.page is None:
        where["part"] = str(place.part)
    return f"{reverse('projects:source', args=[document.pk])}?{urlencode({**where, **seeking.kept})}"
