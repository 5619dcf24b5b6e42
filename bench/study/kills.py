"""The measure of kills: what they cost in tokens, and whether everything is complete and single in the end."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from bench.report import Figure
from bench.study.installation import Installation, Metrics, Trouble
from bench.study.run import Run
from bench.texts import prose
from study.plan import STRETCH

TAIL = 200
"""Tokens of a step beside its stretch: system text, question, and what is computed again at a cut."""
ENDS_ENGINE = ("inference", "")
CHILDREN = ("reader", "worker", *ENDS_ENGINE)
"""What is killed: one child with all its processes, or with an empty name everything."""
SETTLES_S = 0.3
"""Until the engine has dropped the request of a reader that is gone; a new reader needs longer to begin."""
LONG = 220
"""Sentences of a document of our own with a step for every few pages: what comes after a kill must not begin at its
first."""


@dataclass
class Account:
    """What the engines have read for the study in all their lives, beside what its steps have stored, in tokens."""

    read: Callable[[], int]
    """By the engine that runs, since its start."""
    stored: Callable[[], int]
    kill: Callable[[str], None]
    pause: Callable[[float], None] = time.sleep
    lost: list[int] = field(default_factory=list)
    """Tokens that each kill has made vain."""
    _ended: int = 0
    """Read by engines that are gone."""

    def kill_and_note(self, child: str) -> None:
        """Kill, and note what was lost by it."""
        read, stored = self.read(), self.stored()
        self.kill(child)
        if child in ENDS_ENGINE:
            self._ended += read
            vain = self._ended - stored
        elif child == "reader":
            self.pause(SETTLES_S)
            vain = self.vain()
        else:
            vain = sum(self.lost)  # who reads goes on
        self.lost.append(max(0, vain - sum(self.lost)))

    def vain(self) -> int:
        """Return the tokens that were read and belong to no stored step: lost ones and those of the step under way."""
        return self._ended + self.read() - self.stored()


def kills(run: Run) -> list[Figure]:
    """Kill reader, worker, model service or everything at random moments of the study, until it is over."""
    draw = random.Random(7)
    long = run.folder / "long.txt"
    long.write_text(prose(1, LONG // 2 if run.options.quick else LONG))
    files = [*run.files, long]
    with run.installation("kills") as here:
        account = account_of(here)
        here.add(files, paused=False)
        while len(account.lost) < run.options.kills and not here.is_read():
            time.sleep(draw.uniform(0, run.options.between_kills_s))
            account.kill_and_note(draw.choice(CHILDREN))
            here.until(here.is_up, "everything runs again")
        here.until(here.is_read, "all is read")
        if len(account.lost) < run.options.kills:
            run.notes.append(f"The study was over after {len(account.lost)} of {run.options.kills} kills.")
        return [*_left(here, len(files)), *_again(here, account)]


def account_of(here: Installation) -> Account:
    """Return the account of an installation."""

    def read() -> int:
        heard: list[int] = []

        def is_heard() -> bool:  # right after a kill there may be no service yet
            try:
                heard.append(int(Metrics(here.service).now()["study_read_tokens_total"]))
            except (httpx.HTTPError, Trouble):
                return False
            return True

        here.until(is_heard, "the model service answers")
        return heard[0]

    def stored() -> int:
        return int(here.rows("SELECT COALESCE(SUM(tokens), 0) FROM study_studytask")[0][0])

    return Account(read, stored, here.kill)


def _left(here: Installation, files: int) -> list[Figure]:
    """Say what is missing, double, open or wrong in the end."""
    read, different = here.rows("SELECT COUNT(*), COUNT(DISTINCT document_id) FROM study_documentsummary")[0]
    sections = "SELECT COUNT(*), COUNT(DISTINCT document_id || ':' || step), SUM(error <> '') FROM study_sectionsummary"
    parts, different_parts, failed = here.rows(sections)[0]
    planned = here.rows("SELECT SUM(steps - 1) FROM study_studytask WHERE kind = 'document' AND steps > 1")[0][0] or 0
    left = here.rows("SELECT COUNT(*) FROM study_studytask WHERE state <> 'done' OR error <> ''")[0][0]
    in_digest = here.rows("SELECT MAX(json_array_length(entries)) FROM study_digest")[0][0] or 0
    detail = f"{files} documents, {planned} sections of those with several"
    missing = files - different + planned - different_parts + files - in_digest
    return [
        Figure("kills", "documents, sections and entries of the digest missing", missing, "", 0, "at most", detail),
        Figure("kills", "summaries that are there twice", read - different + parts - different_parts, "", 0, "at most"),
        Figure("kills", "tasks and sections not done, or with an error", left + (failed or 0), "", 0, "at most"),
    ]


def _again(here: Installation, account: Account) -> list[Figure]:
    """Say what was read again: by the engines beside what was stored, and by stored steps beside their text."""
    steps = here.rows("SELECT kind, steps, tokens_total FROM study_studytask")
    # A digest is drawn from one prompt, a short document read in one; of others a stretch at a time.
    largest = max(total if kind == "digest" or count == 1 else min(total, STRETCH) for kind, count, total in steps)
    beyond = here.rows("SELECT MAX(tokens - tokens_total) FROM study_studytask WHERE kind = 'document'")[0][0] or 0
    lost = account.lost
    detail = f"{len(lost)} kills, {sum(value > 0 for value in lost)} in a step; {sum(lost)} tokens in all"
    most = largest + TAIL
    return [
        Figure(
            "kills",
            "tokens lost by a kill, the most",
            max(lost, default=0),
            "",
            most,
            "at most",
            detail,
            {"tokens": lost},
        ),
        Figure("kills", "tokens read and never stored, for each kill", account.vain() / max(len(lost), 1), ""),
        Figure("kills", "tokens beyond its text that a document's steps read", beyond, "", STRETCH + TAIL, "at most"),
    ]
