"""`manage.py estimate`: what a question would cost without reading ahead, and what has been saved."""

from __future__ import annotations

import json as jsonlib
from argparse import ArgumentParser
from typing import Any, TypedDict

from django.core.management.base import CommandError

from projects.management.base import DataCommand
from projects.models import Project
from projects.owner import local_owner
from projects.savings import NothingMeasured, Savings, savings_of


class EstimateReport(TypedDict):
    """The whole document; tokens, tokens/s and seconds."""

    corpus_tokens: int
    prefill_tps: float
    classic_s_per_question: float
    paid_in_advance_s: float
    saved_s: float


class Command(DataCommand):
    help = "Say what a question would cost without reading ahead, and what has been saved so far."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")
        parser.add_argument("--json", action="store_true", help="one JSON object on standard output")

    def handle(self, *args: Any, project: str, json: bool, **options: Any) -> None:
        found = Project.objects.filter(owner=local_owner(), name=project.strip()).first()
        if found is None:
            raise CommandError(f"There is no project called {project.strip()}.")
        try:
            savings = savings_of(found)
        except NothingMeasured as error:
            raise CommandError(str(error)) from error
        self.stdout.write(jsonlib.dumps(_report(savings)) if json else _told(savings))


def _report(savings: Savings) -> EstimateReport:
    return {
        "corpus_tokens": savings.corpus_tokens,
        "prefill_tps": round(savings.prefill_tps, 1),
        "classic_s_per_question": round(savings.classic_s, 1),
        "paid_in_advance_s": round(savings.paid_s, 1),
        "saved_s": round(savings.saved_s, 1),
    }


def _told(savings: Savings) -> str:
    return (
        f"The documents have {savings.corpus_tokens:,} tokens; the model reads {savings.prefill_tps:,.0f} a second.\n"
        f"Without reading ahead, a question about all of them would wait {_time(savings.classic_s)} for its first "
        "word.\n"
        f"Reading ahead has taken {_time(savings.paid_s)} and has saved {_time(savings.saved_s)} in "
        f"{savings.answers:,} answers."
    )


def _time(seconds: float) -> str:
    """Return seconds as a person says them."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:,.0f} minutes" if seconds < 5400 else f"{seconds / 3600:,.1f} hours"
