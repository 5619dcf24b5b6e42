"""`manage.py ask`: ask a project's documents a question."""

from __future__ import annotations

import asyncio
import json as jsonlib
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.http import Http404

from projects.answering.events import Ended, Text
from projects.answering.pipeline import answer
from projects.answering.report import AnswerReport, report
from projects.answering.router import Lane
from projects.answering.turns import Wishes
from projects.asking import QuestionRefused
from projects.asking import ask as open_question
from projects.management.base import DataCommand
from projects.models import Project, Turn
from projects.owner import local_owner
from projects.presentation.words import cut_off_line


class Command(DataCommand):
    help = "Ask a project's documents a question; the answer is stored as one asked on the page."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")
        parser.add_argument("question")
        parser.add_argument("--lane", default="", help=f"way to the answer: {', '.join(Lane)} (default: the best one)")
        parser.add_argument("--fresh", action="store_true", help="make the answer anew, even if one was prepared")
        parser.add_argument("--conversation", type=int, metavar="ID", help="go on with this conversation")
        parser.add_argument("--json", action="store_true", help="one JSON object on standard output")

    def handle(self, *args: Any, project: str, question: str, json: bool, **options: Any) -> None:
        if options["lane"] not in {"", *Lane}:
            raise CommandError(f"There is no lane '{options['lane']}'. There are {', '.join(Lane)}.")
        turn = _open(project, question, options["conversation"], Wishes(options["lane"], options["fresh"]))
        try:
            # Not async_to_sync: asyncio.run turns Ctrl-C into a cancellation, which stops the model and keeps the text.
            ended = asyncio.run(self._answer(turn.pk, stream=not json))
        except KeyboardInterrupt:
            raise CommandError("Stopped.") from None
        if ended.state != Turn.State.DONE:
            raise CommandError(ended.error or "The answer was stopped.")
        turn.refresh_from_db()
        result = report(turn)
        self.stdout.write(jsonlib.dumps(result) if json else _sources(result, cut_off_line(turn)))

    async def _answer(self, turn_id: int, *, stream: bool) -> Ended:
        """Run the answer to its end, writing the text as it comes if wanted."""
        ended = Ended(Turn.State.INTERRUPTED)
        async for event in answer(turn_id):
            if isinstance(event, Text) and stream:
                self.stdout.write(event.text, ending="")
                self.stdout.flush()
            elif isinstance(event, Ended):
                ended = event
        return ended


def _open(name: str, question: str, conversation: int | None, wishes: Wishes) -> Turn:
    owner = local_owner()
    project = Project.objects.filter(owner=owner, name=name).first()
    if project is None:
        known = ", ".join(Project.objects.filter(owner=owner).values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no project '{name}'. Projects: {known}.")
    try:
        return open_question(owner, project, question, conversation, wishes)
    except QuestionRefused as error:
        raise CommandError(error.message) from error
    except Http404:
        raise CommandError(f"Project '{name}' has no conversation {conversation}.") from None


def _sources(result: AnswerReport, cut_off: str) -> str:
    """Return what stands under a streamed answer: its sources, whether it was cut off, and the time that it took."""
    lines = ["", ""]
    for citation in result["citations"]:
        page = f", page {citation['page']}" if citation["page"] is not None else ""
        lines.append(f"- {citation['document']}{page}: “{' '.join(citation['quote'].split())}”")
    if cut_off:
        lines.append(cut_off)
    lines.append(f"({result['ttft_s']} s to the first word, {result['total_s']} s in all)")
    return "\n".join(lines)
