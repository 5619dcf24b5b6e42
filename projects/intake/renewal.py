"""Bringing what an older version has made of documents up to date, before a worker's first job."""

from __future__ import annotations

import logging

from django.db import transaction

from projects.intake.sections import SectionText
from projects.intake.service import retry_document
from projects.models import Document
from study.passports.service import make_passport, outdated
from study.service import passport_changed

logger = logging.getLogger(__name__)


def renew() -> None:
    """Read again what was read before texts had keys, and look for passports again by today's rules."""
    again = [document for document in _without_key() if retry_document(document)]
    passports = [document for document in Document.objects.filter(pk__in=outdated()) if document.is_answerable]
    for document in passports:
        _find_anew(document)
    if passports:
        passport_changed()
    if again or passports:
        logger.info("%d documents are read again, %d passports were made anew", len(again), len(passports))


def _without_key() -> list[Document]:
    return list(Document.objects.filter(state__in=Document.ANSWERABLE, text_key=""))


@transaction.atomic
def _find_anew(document: Document) -> None:
    rows = document.sections.order_by("ordinal")
    sections = [SectionText(tuple(row.heading), row.page_start, row.text) for row in rows]
    make_passport(document.pk, document.name, sections, document.pages)
