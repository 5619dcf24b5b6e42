"""A process that stays and asks an installation's documents as `manage.py ask` does (`-m bench.answers.asker`)."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bench.children import answer_lines

if TYPE_CHECKING:
    from projects.answering.events import Ended
    from projects.models import Conversation, Project


class Asker:
    """What can be asked; needs a Django that is set up."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._loop = asyncio.Runner()

    def handle(self, wish: dict[str, Any]) -> dict[str, Any]:
        """Do what is wished for."""
        match wish["do"]:
            case "ask":
                return self.ask(wish["question"], wish["history"], fresh=wish["fresh"])
            case "passages":
                return {"passages": self.passages(wish["question"], wish["limit"])}
            case _:
                return {"ready": self.is_ready()}

    def ask(self, question: str, history: Sequence[tuple[str, str]], *, fresh: bool) -> dict[str, Any]:
        """Ask in a conversation of its own, behind what was said before; return what is stored of the answer."""
        from projects import asking
        from projects.answering.report import report
        from projects.answering.turns import Wishes

        conversation = self._conversation(history)
        began = time.perf_counter()
        turn = asking.ask(self._project.owner, self._project, question, conversation.pk, Wishes(fresh=fresh))
        ended = self._loop.run(_answered(turn.pk))
        seconds = time.perf_counter() - began
        turn.refresh_from_db()
        error = "" if ended.state == turn.State.DONE else ended.error or ended.state
        return {**report(turn), "seconds": seconds, "error": error}

    def passages(self, question: str, limit: int) -> list[dict[str, Any]]:
        """Return the passages that a search finds, best first."""
        from projects.retrieval.search import find

        found = find(self._project.pk, question, limit=limit).passages
        return [{"document": one.document, "page": one.page, "text": one.text} for one in found]

    def is_ready(self) -> bool:
        """Tell whether searches are what they will be: by words and meaning, or by words alone where that is chosen."""
        from inference import embeddings
        from inference.contracts import EngineState
        from projects.retrieval import indexes
        from projects.retrieval.meaning import warm_up

        if embeddings.is_off():
            return True
        if warm_up().state is EngineState.FAILED:
            raise SystemExit(warm_up().message)
        built = indexes.progress()
        return warm_up().state is EngineState.READY and built.done >= built.total > 0

    def _conversation(self, history: Sequence[tuple[str, str]]) -> Conversation:
        from projects.models import Conversation, Turn

        conversation = Conversation.objects.create(project=self._project, title="Measured")
        for question, answer in history:
            Turn.objects.create(conversation=conversation, question=question, answer=answer, state=Turn.State.DONE)
        return conversation


async def _answered(turn_id: int) -> Ended:
    from projects.answering.events import Ended
    from projects.answering.pipeline import answer

    ended = Ended("")
    async for event in answer(turn_id):
        if isinstance(event, Ended):
            ended = event
    return ended


def main(home: str, project: str) -> None:
    """Answer wishes over the data folder `home` until the pipe is closed."""
    os.environ["READAHEAD_HOME"] = home
    os.environ["DJANGO_SETTINGS_MODULE"] = "ragsite.settings"
    import django

    django.setup()
    from projects.models import Project

    asker = Asker(Project.objects.select_related("owner").get(name=project))
    answer_lines({"ready": True}, asker.handle)


if __name__ == "__main__":
    main(*sys.argv[1:])
