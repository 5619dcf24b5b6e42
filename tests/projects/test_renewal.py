"""What an older version has left is brought up to date when the worker starts."""

from __future__ import annotations

import pytest

from projects.intake.recovery import recover
from projects.models import Document
from study.models import Passport
from study.passports.service import passport_of
from study.queue import counts
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db(transaction=True)

LEASE = "Lease agreement\n\nLandlord: Anna Weber\n\nMonthly rent: 900.00 EUR"


def test_a_document_read_before_texts_had_keys_is_read_again() -> None:
    document = add_read(make_project(), "lease.txt", LEASE)
    Document.objects.filter(pk=document.pk).update(text_key="")
    before = counts().waiting
    recover()
    document.refresh_from_db()
    assert document.state == Document.State.QUEUED
    assert counts().waiting == before + 1


def test_a_passport_made_by_older_rules_is_made_anew() -> None:
    document = add_read(make_project(), "lease.txt", LEASE)
    Passport.objects.update(made_with=0, type="letter")
    recover()
    passport = passport_of(document.pk)
    assert passport is not None
    assert passport.type == "lease"


def test_what_is_up_to_date_is_left_alone() -> None:
    document = add_read(make_project(), "lease.txt", LEASE)
    before = counts().waiting
    recover()
    document.refresh_from_db()
    assert (document.state, counts().waiting) == (Document.State.READY, before)
