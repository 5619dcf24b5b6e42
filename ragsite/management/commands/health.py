"""`manage.py health`: say how the parts of this installation are."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from ragsite.health import HealthReport, report


class Command(BaseCommand):
    help = "Say how web, worker and model are. Exit code 0 when all is well, 1 when not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object on standard output")

    def handle(self, *args: Any, json: bool, **options: Any) -> None:
        document = report()
        self.stdout.write(_as_json(document) if json else _in_words(document))
        if document["status"] != "ok":
            raise SystemExit(1)


def _as_json(document: HealthReport) -> str:
    return json.dumps(document)


def _in_words(document: HealthReport) -> str:
    model, jobs = document["inference"], document["queue"]
    engine = " ".join(filter(None, ("model", model["model"], model["state"])))
    parts = f"web {document['web']}, worker {document['worker']}, {engine}"
    line = f"{jobs['waiting']} waiting, {jobs['running']} running, {jobs['failed']} failed"
    return "\n".join([f"{document['status']}: {parts}", f"queue: {line}", *document["problems"]])
