"""One attempt to get further with a file: open a transfer, judge what is said about it, write down what comes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from inference.fetch import stamp
from inference.fetch.delivery import Delivery, Held, Source
from inference.fetch.errors import Changed, ComeLater, DiskFull, Interrupted, SourceFailed, Unreachable
from inference.fetch.events import Checking, Report
from inference.fetch.meter import Meter
from inference.fetch.part import Facts, Part
from inference.fetch.policy import Ending, Outcome
from inference.fetch.sizes import human_bytes

SPARE_BYTES = 64_000_000
"""Left free on the disk, so that a model never takes the last byte from everything else."""
LOOKS = (64 << 10, 32 << 20)
"""Bytes after which `Wanted.look` is asked: what is no model at all shows at once, most else by the end of a header."""


@dataclass(frozen=True)
class Wanted:
    """Which file it must be: its size in bytes and its SHA-256, 0 and empty where the sources have the say.

    `look` judges what has arrived so far and raises `Unusable`.
    """

    bytes: int = 0
    sha256: str = ""
    look: Callable[[Path], None] | None = None


class Attempt:
    """One attempt at one source.

    Bytes of earlier attempts are kept when the checksum of the whole is known, which then tells in the end; without one
    only when the source says that it is still the same file. `sha256` is that of the bytes once all are there.
    """

    def __init__(self, source: Source, part: Part, wanted: Wanted, report: Report) -> None:
        self._source = source
        self._part = part
        self._wanted = wanted
        self._report = report
        self._facts = part.facts()
        self._got = 0
        self._lost = False
        self.sha256 = ""

    def run(self) -> Outcome:
        """Return how it ended. Raises DiskFull, Unusable and OSError, which no other attempt can change."""
        try:
            self._drop_what_cannot_be_continued()
            continued = self._part.bytes > 0
            if not self._total or self._part.bytes < self._total:
                self._transfer()
            return self._verdict(continued=continued and not self._lost)
        except ComeLater as error:
            return self._ended(Ending.LATER, error, error.wait_s)
        except Interrupted as error:
            return self._ended(Ending.TIRED if isinstance(error, Unreachable) else Ending.INTERRUPTED, error)
        except Changed as error:
            self._throw_away()
            return self._ended(Ending.CHANGED, error)
        except SourceFailed as error:
            return self._ended(Ending.REFUSED, error)

    @property
    def _total(self) -> int:
        return self._wanted.bytes or self._facts.total

    @property
    def _checksum(self) -> str:
        """What the whole must have; empty when nobody has said."""
        return self._wanted.sha256 or self._facts.sha256

    def _ended(self, ending: Ending, error: Exception, wait_s: float | None = None) -> Outcome:
        return Outcome(ending, str(error), self._got, self._lost, wait_s)

    def _throw_away(self) -> None:
        self._lost = self._part.discard() or self._lost
        self._facts = Facts()

    def _drop_what_cannot_be_continued(self) -> None:
        of_another = not self._wanted.sha256 and self._facts.origin != self._source.address
        unsure = not self._checksum and not self._facts.mark
        if of_another or unsure or (self._total and self._part.bytes > self._total):
            self._throw_away()

    def _transfer(self) -> None:
        # Where a checksum tells in the end, servers that mark one file in several ways do no harm.
        held = Held(self._part.bytes, "" if self._checksum else self._facts.mark)
        meter = Meter(self._total, self._report)
        self._require_room()
        with self._source.deliver(held, meter) as delivery:
            self._agree(delivery)
            self._require_room()
            meter.expect(self._total)
            meter.update(self._part.bytes)
            self._receive(delivery, meter)
        if self._part.bytes < self._total:
            raise Interrupted("the connection was cut")

    def _agree(self, delivery: Delivery) -> None:
        """Hold what the source says about its file against what is wanted, and against what it said before."""
        wanted, said, before = self._wanted, Facts(self._source.address, delivery.mark, *_said(delivery)), self._facts
        if wanted.bytes and said.total and said.total != wanted.bytes:
            sizes = f"{human_bytes(said.total)} instead of {human_bytes(wanted.bytes)}"
            raise SourceFailed(f"there is another file at the source ({sizes})")
        if wanted.sha256 and said.sha256 not in ("", wanted.sha256):
            raise SourceFailed("there is another file at the source (by its checksum)")
        if self._part.bytes and not wanted.sha256 and not _same(said, before):
            if delivery.start:
                raise Changed
            self._throw_away()
            before = Facts()
        self._facts = Facts(said.origin, said.mark, said.total or before.total, said.sha256 or before.sha256)
        if not self._total:
            raise SourceFailed("the server does not say how large the file is")
        if delivery.start > self._part.bytes:
            raise SourceFailed("the server skips bytes that were asked for")
        self._part.target.parent.mkdir(parents=True, exist_ok=True)
        self._part.note(self._facts)

    def _require_room(self) -> None:
        if not self._total:
            return  # the source has not said yet
        needed = self._total - self._part.bytes + self._source.extra_bytes + SPARE_BYTES
        folder = self._part.target.parent
        if (free := shutil.disk_usage(folder).free) < needed:
            raise DiskFull(folder, needed, free)

    def _receive(self, delivery: Delivery, meter: Meter) -> None:
        skip = self._part.bytes - delivery.start
        with self._part.path.open("ab") as file:
            for block in delivery.blocks:
                fresh, skip = block[skip:], max(0, skip - len(block))
                before = file.tell()
                if before + len(fresh) > self._total:
                    raise SourceFailed("the server sends more than the whole file")
                file.write(fresh)
                self._got += len(fresh)
                if self._wanted.look and any(before < size <= file.tell() for size in LOOKS):
                    file.flush()
                    self._wanted.look(self._part.path)
                meter.update(file.tell())
            file.flush()
            os.fsync(file.fileno())

    def _verdict(self, *, continued: bool) -> Outcome:
        total = self._part.bytes
        # Of what is on the disk, not of what passed by: this also finds what the disk did to it.
        self.sha256 = stamp.compute(self._part.path, lambda done: self._report(Checking(done, total)))
        if self._checksum in ("", self.sha256):
            return Outcome(Ending.WHOLE, got=self._got)
        self._part.discard()
        promised = "of the catalogue" if self._wanted.sha256 else "that the server announces"
        cause = f"what was sent is not the file {promised} (wrong checksum), so it was deleted"
        return Outcome(Ending.WRONG, cause, self._got, lost=continued)


def _said(delivery: Delivery) -> tuple[int, str]:
    return delivery.total, delivery.sha256


def _same(said: Facts, before: Facts) -> bool:
    """Tell whether a source still has the file that was begun; without a checksum only an equal mark says so."""
    if said.total and before.total and said.total != before.total:
        return False
    if said.sha256 and before.sha256:
        return said.sha256 == before.sha256
    return bool(said.mark) and said.mark == before.mark
