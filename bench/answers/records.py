"""What came back for each question, written down as it comes so that a run that is cut off has not been for nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.options import BadOption


@dataclass(frozen=True)
class Cited:
    """Where a mark of an answer leads; `page` None for formats without pages."""

    document: str
    page: int | None
    quote: str


@dataclass(frozen=True)
class Record:
    """One answer in one phase. `seconds` are those of whoever asks, from sending to the stored answer.

    The other seconds are as stored with the answer; `error` says why there is none.
    """

    phase: str
    id: str
    question: str
    answer: str = ""
    error: str = ""
    seconds: float = 0.0
    lane: str = ""
    lane_reason: str = ""
    predicted_s: float | None = None
    ttft_s: float | None = None
    total_s: float | None = None
    prompt_tokens: int = 0
    restored_tokens: int = 0
    reused_tokens: int = 0
    read_tokens: int = 0
    answer_tokens: int = 0
    from_cache: bool = False
    citations: tuple[Cited, ...] = ()

    @property
    def kept(self) -> int:
        """Tokens of the prompt that were not read again."""
        return self.restored_tokens + self.reused_tokens

    @classmethod
    def of(cls, data: Mapping[str, Any], **more: Any) -> Record:
        """Make one of what `ask --json` says or `asdict` made; keys that it does not know are left out."""
        known = {key: data[key] for key in cls.__dataclass_fields__ if key in data} | more
        known["citations"] = tuple(Cited(**citation) for citation in known.get("citations") or ())
        return cls(**known)


@dataclass
class Book:
    """All records of a run by phase and id, and facts about it, each on the disk as soon as it is known."""

    path: Path
    records: dict[tuple[str, str], Record] = field(default_factory=dict)
    facts: dict[str, float] = field(default_factory=dict)

    @classmethod
    def begin(cls, path: Path, about: Mapping[str, Any], *, resume: bool) -> Book:
        """Begin a file, or go on with one whose run was about the same. Raises BadOption when it was not."""
        path.parent.mkdir(parents=True, exist_ok=True)
        book = cls(path)
        if resume and path.exists():
            book._take(path.read_text(encoding="utf-8").splitlines(), about)
            return book
        path.unlink(missing_ok=True)
        book._write({"about": about})
        return book

    def add(self, record: Record) -> None:
        """Write an answer down."""
        self.records[record.phase, record.id] = record
        self._write({"answer": asdict(record)})

    def learn(self, **facts: float) -> None:
        """Write facts down."""
        self.facts.update(facts)
        self._write({"facts": facts})

    def of(self, phase: str) -> list[Record]:
        """Return the answers of a phase in their order."""
        return [record for (theirs, _), record in self.records.items() if theirs == phase]

    def lacks(self, phase: str, ids: Iterable[str]) -> list[str]:
        """Return those of the ids that have no answer in a phase yet."""
        return [one for one in ids if (phase, one) not in self.records]

    def _take(self, lines: Iterable[str], about: Mapping[str, Any]) -> None:
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # the run was cut off while it was writing this line
            if entry.get("about", about) != about:
                raise BadOption(
                    f"RESUME=1: {self.path.name} is of a run with another model, corpus or set of questions."
                )
            self.facts.update(entry.get("facts", {}))
            if "answer" in entry:
                record = Record.of(entry["answer"])
                self.records[record.phase, record.id] = record

    def _write(self, entry: Mapping[str, Any]) -> None:
        # What is quoted from documents is for the eyes of the user who runs this.
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
