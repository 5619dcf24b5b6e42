"""What was learned about a project as a whole, for those who answer questions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from inference.contracts import ChatMessage, Part
from study.digest_steps import entries_of
from study.digests import Entry, Level, shown
from study.keys import Learner
from study.models import Digest, PreparedAnswer, StudyTask
from study.prompts import asking, digest_boundary, digest_parts
from study.tasks import Kind


@dataclass(frozen=True)
class DigestPrompt:
    """The digest of a project as a prompt.

    `messages(question)` is the whole prompt; up to `boundary` it is token for token what the model has read if
    `is_current`, and its state there is on the disk if there was room. `documents` are the ids by mark, [1] the first.
    `covers` says how many of the project's documents are in it, of `total`. `key` changes with every word of it.
    """

    project_id: int
    level: Level
    boundary: str
    documents: tuple[int, ...]
    content: tuple[Part, ...]
    tokens: int
    key: str
    total: int
    is_current: bool
    entries: tuple[Entry, ...]

    @property
    def covers(self) -> int:
        """Documents that it tells of."""
        return len(self.documents)

    def messages(self, question: str, concerned: Collection[int] = ()) -> tuple[ChatMessage, ...]:
        """Return the prompt that asks a question at the end of the digest.

        Where the digest holds a line of each document or less, passport and summary of the `concerned` ones (ids, those
        that retrieval finds) are put between it and the question; where it is full they are in it already.
        """
        return asking((*self.content, *self.details(concerned)), question)

    def details(self, concerned: Collection[int]) -> tuple[Part, ...]:
        """Return passports and summaries of documents, under their marks; none where the digest has them anyway."""
        if self.level is Level.FULL:
            return ()
        numbered = enumerate(self.entries, start=1)
        return tuple(Part(entry.text(n, Level.FULL)) for n, entry in numbered if entry.document_id in concerned)


@dataclass(frozen=True)
class Opening:
    """A question that people ask first; `answer` is empty while it has not been prepared, or is out of date."""

    question: str
    answer: str
    digest_key: str


def digest_for(project_id: int, learner: Learner) -> DigestPrompt | None:
    """Return the digest of a project: made by this learner, else by another model (whose words hold, whose state does
    not); None when there is none yet.
    """
    rows = Digest.objects.filter(project_id=project_id).order_by("-updated")
    own = rows.filter(**learner.filter).first()
    row = own or rows.first()
    if row is None or not row.entries:
        return None
    entries = tuple(entries_of(row))
    level = Level(row.level)
    return DigestPrompt(
        project_id,
        level,
        digest_boundary(project_id),
        tuple(entry.document_id for entry in entries),
        digest_parts(project_id, shown(entries, level)),
        row.tokens,
        row.key,
        StudyTask.objects.filter(kind=Kind.DOCUMENT, project_id=project_id).count(),
        is_current=row is own and bool(row.key),
        entries=entries,
    )


def opening_questions(project_id: int) -> list[Opening]:
    """Return the questions that were answered in advance and still hold, the overview first."""
    keys = set(Digest.objects.filter(project_id=project_id).exclude(key="").values_list("key", flat=True))
    rows = PreparedAnswer.objects.filter(project_id=project_id, digest_key__in=keys).exclude(answer="")
    newest = {row.question: row for row in rows.order_by("created")}
    ordered = sorted(newest.values(), key=lambda row: row.position)
    return [Opening(row.question, row.answer, row.digest_key) for row in ordered]
