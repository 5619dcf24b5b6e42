"""Who is reading a document right now, and the changes of its row that only this reader may make."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet
from django.utils import timezone

from projects.intake import kept
from projects.models import Document

State = Document.State
RUNNING = (State.EXTRACTING, State.INDEXING)

LOOK_EVERY_S = 0.4
"""How often the row is looked at while the file is read: someone who cancels waits no longer than a second."""


class ClaimLost(Exception):
    """The document was cancelled, removed, or taken over by another reader."""


@dataclass
class Claim:
    """A reader's hold on a document, named by the moment at which it took it.

    Everybody who takes a document away from its reader (cancelling, recovery, a second reader) changes or empties
    `stage_began` or the state, so each conditional update below tells whether the hold lasts.
    """

    document_id: int
    began: datetime
    _done: int = 0
    _total: int = 0
    _stored: tuple[int, int] = (0, 0)
    _looked: float = field(default_factory=time.monotonic)

    def move(self, before: State, after: State, **values: Any) -> None:
        """Leave `before` for `after`, with other fields set in the same update. Raises ClaimLost."""
        if not self._rows().filter(state=before).update(state=after, **values):
            raise ClaimLost

    def hear(self, done: int, total: int) -> None:
        """Note how far the stage is; `lasts` stores it."""
        self._done, self._total = done, total

    def lasts(self) -> bool:
        """Tell whether the document is still this reader's, and store how far it is; asks the database now and then."""
        if time.monotonic() - self._looked < LOOK_EVERY_S:
            return True
        self._looked = time.monotonic()
        far = (self._done, self._total)
        if far == self._stored:
            return self._rows().exists()
        self._stored = far
        return bool(self._rows().update(stage_done=self._done, stage_total=self._total))

    def put_back(self) -> bool:
        """Put the document back in line, to be taken up where it is; False if it is not this reader's any more."""
        reading = self._rows().filter(state=State.EXTRACTING)
        far = {"stage_done": self._done, "stage_total": self._total}
        return bool(reading.update(state=State.QUEUED, stage_began=None, starts=F("starts") - 1, **far))

    def end(self, state: State, **values: Any) -> bool:
        """End in a state that waits for a person; False if somebody else has ended it already."""
        return bool(self._rows().update(state=state, updated=timezone.now(), **values))

    def _rows(self) -> QuerySet[Document]:
        return Document.objects.filter(pk=self.document_id, stage_began=self.began, state__in=RUNNING)


def take(document_id: int) -> Claim | None:
    """Take an unfinished document for reading, also from a reader that may be dead; None if there is none to take."""
    claim = Claim(document_id, timezone.now())
    unfinished = Document.objects.filter(pk=document_id, state__in=Document.UNFINISHED)
    taken = unfinished.update(
        state=State.EXTRACTING,
        starts=F("starts") + 1,
        stage_began=claim.began,
        stage_done=0,
        stage_total=0,
        stage_from=kept.count(document_id),
    )
    return claim if taken else None
