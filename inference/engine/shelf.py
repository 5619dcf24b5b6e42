"""The folder of the snapshots: names of files, space, and which of them goes first."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any


class Shelf:
    """Snapshots of all models in one folder, named `<key>-<tokens>-<boundary>.kv` by short hashes.

    One state that is kept under two boundary names is one file with two names (hard links), so that forgetting one of
    them leaves the other. The time of last use is the file's modification time.
    """

    def __init__(self, folder: Path, key: str, quota: int) -> None:
        """Make the folder for its owner alone and sweep what a crash left half written. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.evicted = 0
        self._folder = folder
        self._key = key[:16]
        self.quota = quota
        for draft in folder.glob("*.draft"):
            draft.unlink(missing_ok=True)

    def path(self, ids: Any, name: str) -> Path:
        """Return where the state of these tokens (numpy int32) is kept under a boundary name."""
        return self._folder / f"{self._stem(ids)}-{_hash(name.encode())}.kv"

    def pattern(self, ids: Any) -> str:
        """Return a glob pattern for the state of these tokens under any name."""
        return f"{self._stem(ids)}-*.kv"

    def has(self, path: Path, *, like: str) -> bool:
        """Tell whether a state is kept under this name; if it is under another one, give it this name too."""
        if path.exists():
            self.touch(path)
            return True
        for other in self._folder.glob(like):
            try:
                os.link(other, path)
            except OSError:  # gone meanwhile, or a file system without links: it is written then
                continue
            self.touch(path)
            return True
        return False

    def touch(self, path: Path) -> None:
        """Note that a snapshot was used."""
        try:
            os.utime(path)
        except FileNotFoundError:
            return

    def own(self) -> list[Path]:
        """Return the files of this key."""
        return sorted(self._folder.glob(f"{self._key}-*.kv"))

    def named(self, name: str) -> list[Path]:
        """Return the files kept under a boundary name, whatever their key."""
        return _named(self._folder, name)

    def usage(self) -> int:
        """Return the bytes on disk; a file with two names counts once."""
        return sum(self._sizes().values())

    def make_room(self, wanted: int) -> list[Path]:
        """Return the least recently used files whose deletion makes `wanted` bytes fit under the quota.

        Raises OSError when they never will.
        """
        if wanted > self.quota:
            raise OSError(f"it takes {wanted:,} bytes and the quota for snapshots is {self.quota:,}")
        sizes, doomed = self._sizes(), []
        total = sum(sizes.values())
        for inode, paths in self._by_use().items():
            if total + wanted <= self.quota:
                break
            doomed += paths
            total -= sizes[inode]
            self.evicted += 1
        return doomed

    def _stem(self, ids: Any) -> str:
        return f"{self._key}-{hashlib.sha256(ids.tobytes()).hexdigest()[:32]}"

    def _statuses(self) -> list[tuple[Path, os.stat_result]]:
        statuses = []
        for path in self._folder.glob("*.kv"):
            try:
                statuses.append((path, path.stat()))
            except FileNotFoundError:
                continue
        return statuses

    def _sizes(self) -> dict[int, int]:
        return {status.st_ino: status.st_size for _, status in self._statuses()}

    def _by_use(self) -> dict[int, list[Path]]:
        """Return the names of each file, the file unused for longest first."""
        files: dict[int, list[Path]] = {}
        for path, status in sorted(self._statuses(), key=lambda file: file[1].st_mtime):
            files.setdefault(status.st_ino, []).append(path)
        return files


def delete_named(folder: Path, name: str) -> int:
    """Delete the files kept under a boundary name in a folder that no service has open; return how many."""
    gone = _named(folder, name)
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


def _named(folder: Path, name: str) -> list[Path]:
    return sorted(folder.glob(f"*-{_hash(name.encode())}.kv"))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
