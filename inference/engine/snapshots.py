"""The snapshot store: sequences' states on disk, found again by their tokens, under a quota."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.engine import snapshot_file
from inference.engine.llama import Context
from inference.engine.schedule import aligned
from inference.engine.snapshot_file import BadSnapshot, Header

logger = logging.getLogger(__name__)

WORTH_RESTORING = 32
"""Tokens that a snapshot must save: below this reading is as quick as the disk."""


def compatibility_key(facts: Mapping[str, str | int | float | bool | None]) -> str:
    """Return a key over everything that must be equal for a state to mean the same.

    Facts: the model's SHA-256, llama.cpp's build, KV types, flash attention, RoPE and window settings.
    """
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@dataclass
class Entry:
    """A snapshot on disk: its tokens (numpy int32), size in bytes and time of last use (seconds since the epoch)."""

    path: Path
    name: str
    tokens: Any
    size: int
    used: float


class SnapshotStore:
    """Prefix memory on disk for one model under one set of flags.

    Only the index is held in memory. The engine's thread calls `restore` and `save`; files are written by a thread of
    the store, so that an answer does not wait for the disk. Snapshots of other models lie in the same folder under
    their own keys: they count towards the quota and are left alone otherwise.
    """

    def __init__(self, folder: Path, key: str, quota: int, *, cuttable: bool = True) -> None:
        """Open `folder`. `quota` in bytes over all keys. `cuttable`: a prefix of a snapshot may be used.

        A sliding-window cache that is not kept whole can be restored at its snapshot points only.
        """
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder
        self._key = key
        self._quota = quota
        self._cuttable = cuttable
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="snapshots")
        self._pending: Future[None] | None = None
        self._counts = {"saved": 0.0, "restored": 0.0, "rejected": 0.0, "failed": 0.0, "evicted": 0.0}
        self.trouble = ""
        """Why the last save failed, for a person; empty when it did not."""
        self._entries = self._scan()

    # Prefix memory

    def restore(self, context: Context, sequence: int, wanted: Sequence[int], *, longer_than: int) -> int | None:
        """See `memory.PrefixMemory`. A snapshot with anything wrong is deleted and the next best one tried."""
        import numpy as np

        prompt = np.asarray(wanted, dtype="<i4")
        touched = False
        while (found := self._best(prompt, longer_than)) is not None:
            entry, usable = found
            try:
                self._load(context, sequence, entry, usable)
            except (BadSnapshot, OSError) as error:
                touched = True
                self._reject(entry, error)
            else:
                self._counts["restored"] += 1
                return usable
        if touched:
            context.cut(sequence, 0)
        return None

    def save(self, context: Context, sequence: int, tokens: Sequence[int], name: str) -> None:
        """See `memory.PrefixMemory`. Waits for the write before last, so that at most two states are in memory."""
        import numpy as np

        ids = np.asarray(tokens, dtype="<i4")
        if self._touch_known(ids):
            return
        if self._pending is not None:
            self._pending.result()
        self._pending = self._writer.submit(self._write, ids, context.state(sequence), name)

    def flush(self) -> None:
        """Return when everything that was saved is on disk."""
        if self._pending is not None:
            self._pending.result()

    def close(self) -> None:
        """Finish writing."""
        self._writer.shutdown(wait=True)

    # Upkeep

    def forget(self, name: str) -> int:
        """Delete the snapshots saved under a boundary name, of every model; return how many."""
        self.flush()
        gone = 0
        for path in self._files():
            if _name(path) == name:
                self._remove(path)
                gone += 1
        return gone

    def usage(self) -> int:
        """Bytes on disk over all keys."""
        return sum(size for _, size, _ in self._sizes())

    def metrics(self) -> dict[str, float]:
        """Counters by Prometheus name, and the space taken."""
        counts = {f"snapshots_{name}_total": value for name, value in self._counts.items()}
        return {**counts, "snapshots": float(len(self._entries)), "snapshot_bytes": float(self.usage())}

    # Finding

    def _best(self, prompt: Any, longer_than: int) -> tuple[Entry, int] | None:
        with self._lock:
            candidates = [(entry, self._usable(entry, prompt)) for entry in self._entries.values()]
        best = max(candidates, key=lambda candidate: (candidate[1], -len(candidate[0].tokens)), default=None)
        if best is None or best[1] < longer_than + WORTH_RESTORING:
            return None
        return best

    def _usable(self, entry: Entry, prompt: Any) -> int:
        """Return how many tokens of the prompt a snapshot stands for, compared token by token."""
        limit = min(len(entry.tokens), len(prompt))
        differing = (entry.tokens[:limit] != prompt[:limit]).nonzero()[0]
        shared = int(differing[0]) if len(differing) else limit
        if shared == len(entry.tokens):
            return shared
        return aligned(shared) if self._cuttable else 0

    def _load(self, context: Context, sequence: int, entry: Entry, usable: int) -> None:
        import numpy as np

        header, tokens, state = snapshot_file.read(entry.path)
        if header.key != self._key:
            raise BadSnapshot("it belongs to another model or other settings")
        if not np.array_equal(tokens, entry.tokens):
            raise BadSnapshot("its tokens have changed")
        if not context.set_state(sequence, state) or context.length(sequence) != len(tokens):
            raise BadSnapshot("llama.cpp does not accept its state")
        if not context.cut(sequence, usable):
            raise BadSnapshot("its state cannot be cut to the prefix")
        entry.used = time.time()
        os.utime(entry.path)

    def _reject(self, entry: Entry, error: Exception) -> None:
        logger.warning("Snapshot %s is deleted: %s", entry.path.name, error)
        self._counts["rejected"] += 1
        self._remove(entry.path)

    # Writing

    def _touch_known(self, ids: Any) -> bool:
        with self._lock:
            entry = self._entries.get(self._path(ids))
        if entry is None:
            return False
        entry.used = time.time()
        try:
            os.utime(entry.path)
        except FileNotFoundError:
            self._remove(entry.path)
            return False
        return True

    def _write(self, ids: Any, state: Any, name: str) -> None:
        path = self._path(ids)
        crc = snapshot_file.checksum(self._key, name, ids, state)
        header = Header(self._key, name, len(ids), int(state.size), crc)
        try:
            self._make_room(int(state.size))
            snapshot_file.write(path, header, ids, state)
        except OSError as error:
            self._counts["failed"] += 1
            self.trouble = f"What was read could not be kept on disk ({error.strerror or error})."
            logger.warning("A snapshot could not be saved: %s", error)
            return
        self.trouble = ""
        self._counts["saved"] += 1
        with self._lock:
            self._entries[path] = Entry(path, name, ids, path.stat().st_size, time.time())

    def _make_room(self, wanted: int) -> None:
        """Delete the least recently used snapshots until `wanted` bytes fit. Raises OSError when they never will."""
        if wanted > self._quota:
            raise OSError(f"it takes {wanted:,} bytes and the quota for snapshots is {self._quota:,}")
        files = sorted(self._sizes(), key=lambda file: file[2])
        total = sum(size for _, size, _ in files)
        for path, size, _ in files:
            if total + wanted <= self._quota:
                return
            self._remove(path)
            self._counts["evicted"] += 1
            total -= size

    def _remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        with self._lock:
            self._entries.pop(path, None)

    # The folder

    def _path(self, ids: Any) -> Path:
        return self._folder / f"{self._key[:16]}-{hashlib.sha256(ids.tobytes()).hexdigest()[:32]}.kv"

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.kv"))

    def _sizes(self) -> list[tuple[Path, int, float]]:
        sizes = []
        for path in self._files():
            try:
                status = path.stat()
            except FileNotFoundError:
                continue
            sizes.append((path, status.st_size, status.st_mtime))
        return sizes

    def _scan(self) -> dict[Path, Entry]:
        """Read the index: heads of this key's files; drafts and unreadable files of a crash are deleted."""
        for draft in self._folder.glob("*.draft"):
            draft.unlink(missing_ok=True)
        entries = {}
        for path, size, used in self._sizes():
            if not path.name.startswith(self._key[:16]):
                continue
            try:
                header, tokens = snapshot_file.read_head(path)
            except (BadSnapshot, OSError) as error:
                logger.warning("Snapshot %s is deleted: %s", path.name, error)
                self._counts["rejected"] += 1
                path.unlink(missing_ok=True)
                continue
            entries[path] = Entry(path, header.name, tokens, size, used)
        return entries


def _name(path: Path) -> str | None:
    try:
        return snapshot_file.read_head(path)[0].name
    except (BadSnapshot, OSError):
        return None
