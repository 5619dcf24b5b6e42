"""The queue: what is in line, and what is done before a worker's first job."""

from __future__ import annotations

import pytest
from django.db import transaction
from django_q.signals import post_spawn

from study.queue import at_worker_start, enqueue, ids_in_line

pytestmark = pytest.mark.django_db


def test_jobs_in_line_are_told_by_function_and_id() -> None:
    with transaction.atomic():
        enqueue("projects.jobs.ingest_document", 7)
        enqueue("projects.jobs.ingest_document", 8)
        enqueue("projects.jobs.other", 9)

    assert ids_in_line("projects.jobs.ingest_document") == {7, 8}


def test_a_worker_starts_even_if_what_comes_before_fails(caplog: pytest.LogCaptureFixture) -> None:
    calls = []

    def broken() -> None:
        calls.append("called")
        raise RuntimeError("no such luck")

    at_worker_start(broken)
    try:
        post_spawn.send(sender="django_q", proc_name="worker")
    finally:
        post_spawn.disconnect(dispatch_uid=f"{broken.__module__}.{broken.__qualname__}")

    assert calls == ["called"]
    assert "no such luck" in caplog.text
