"""What has arrived of a file: bytes beside the place where they belong, and a note of where they came from."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from inference.fetch import stamp
from inference.private import write_private


@dataclass(frozen=True)
class Facts:
    """What a source said about the file that has been begun.

    `mark` tells this state of the file from others at the same `origin` (an entity tag), empty when there is none;
    `total` in bytes and `sha256` are 0 and empty when nothing was said.
    """

    origin: str = ""
    mark: str = ""
    total: int = 0
    sha256: str = ""


class Part:
    """The unfinished file beside `target`; it outlives every process, and any installation may go on with it."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = part_path(target)
        self._facts_path = target.with_name(target.name + ".part.json")

    @property
    def bytes(self) -> int:
        """Bytes that have arrived."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def facts(self) -> Facts:
        """Return what is known about where the bytes came from; nothing for a file whose note cannot be read."""
        try:
            data = json.loads(self._facts_path.read_text())
            return Facts(str(data["origin"]), str(data["mark"]), int(data["total"]), str(data["sha256"]))
        except (OSError, ValueError, KeyError, TypeError):
            return Facts()

    def note(self, facts: Facts) -> None:
        """Write down where the bytes come from. Readable by the owner alone: an address may hold a key."""
        write_private(self._facts_path, json.dumps(asdict(facts)))

    def discard(self) -> bool:
        """Throw away what has arrived; return whether there was anything."""
        had = self.bytes > 0
        for path in (self.path, self._facts_path):
            path.unlink(missing_ok=True)
        return had

    def finish(self, sha256: str) -> None:
        """Give the file its name, with its checksum remembered."""
        self.path.replace(self.target)
        stamp.remember(self.target, sha256)
        with contextlib.suppress(OSError):
            self._facts_path.unlink(missing_ok=True)


def part_path(path: Path) -> Path:
    """Return where the bytes of an unfinished fetch of `path` are kept."""
    return path.with_name(path.name + ".part")
