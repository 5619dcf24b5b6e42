"""Hands out the uploaded bytes, so that no browser runs them as a page of ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from projects import access
from projects.intake import store
from projects.models import Document

BLOCK = 256 * 1024
PDF = "application/pdf"
SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'none'; sandbox"


@require_GET
async def document_download(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """The original as a file to save."""
    document = await sync_to_async(access.document_for)(await request.auser(), pk)
    return _response(document, "application/octet-stream", attachment=True)


@require_GET
async def document_original(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """The original to look at: a PDF opens in the browser's viewer, anything else is a file to save."""
    document = await sync_to_async(access.document_for)(await request.auser(), pk)
    if document.media_type != PDF:
        return _response(document, "application/octet-stream", attachment=True)
    return _response(document, PDF, attachment=False)


def _response(document: Document, media_type: str, *, attachment: bool) -> StreamingHttpResponse:
    path = store.path_of(document.sha256)
    if not path.exists():
        raise Http404("The stored file is missing.")
    response = StreamingHttpResponse(_blocks(path), content_type=media_type)
    response["Content-Length"] = str(document.size)
    response["Content-Disposition"] = content_disposition_header(attachment, document.name) or "attachment"
    response["Content-Security-Policy"] = SANDBOX
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "private, no-store"
    return response


async def _blocks(path: Path) -> AsyncIterator[bytes]:
    # A plain FileResponse would be read into memory as a whole under ASGI before the first byte went out.
    with await asyncio.to_thread(path.open, "rb") as file:
        while block := await asyncio.to_thread(file.read, BLOCK):
            yield block
