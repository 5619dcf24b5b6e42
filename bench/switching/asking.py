"""A steady stream of questions through the web process, each of which is pursued until it is answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.study.desk import Desk, has_ended
from tests.reports import REPORTS

MOST_TRIES = 50
AGAIN_S = 1.0
"""A person who is told to try again takes a moment."""
PAUSE_S = 0.2
SILENT = "empty"
"""Code of a turn whose model was asked and said nothing, as the smallest ones do at times: that is an answer here."""


@dataclass
class Asked:
    """What became of a question; `told` are the failures before the answer, `plainly` those that say to try again."""

    number: int
    began: float
    ended: float = 0.0
    told: int = 0
    plainly: int = 0
    answered: bool = False

    @property
    def seconds(self) -> float:
        """From asking to the answer, trying again included."""
        return self.ended - self.began


@dataclass
class Stream:
    """Asks one question after the other until it is stopped; `code_of` returns the code of a turn that failed."""

    desk: Desk
    code_of: Callable[[int], str]
    asked: list[Asked] = field(default_factory=list)
    stopped: bool = False

    @property
    def answered(self) -> int:
        """How many questions have an answer."""
        return sum(question.answered for question in self.asked)

    async def run(self) -> None:
        """Ask until `stopped`; the question that is under way then is pursued to its end."""
        while not self.stopped:
            question = Asked(len(self.asked), time.monotonic())
            self.asked.append(question)
            await self._pursue(question)
            await asyncio.sleep(PAUSE_S)

    async def _pursue(self, question: Asked) -> None:
        report = REPORTS[question.number % len(REPORTS)]
        # Each is another one: what was asked before would be answered without the model.
        text = f"What was the registration of the {report.aircraft}? ({question.number})"
        for _ in range(MOST_TRIES):
            # By passages: their prompt is short with every model, and what is measured is not the answer.
            turn, _ = await self.desk.ask(text, lane="passages")
            frame, _ = await self.desk.until(has_ended)
            if frame["state"] == "done" or self.code_of(turn) == SILENT:
                question.answered, question.ended = True, time.monotonic()
                return
            question.told += 1
            question.plainly += "try again" in str(frame["html"]).lower()
            await asyncio.sleep(AGAIN_S)
