"""The snapshot store: sequences' states on disk, found again by their tokens, under a quota."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.engine import snapshot_file
from inference.engine.llama import Context
from inference.engine.memory import Keeping
from inference.engine.schedule import aligned
from inference.engine.shelf import Shelf
from inference.engine.snapshot_file import BadSnapshot, Header
from inference.errors import EngineFault

logger = logging.getLogger(__name__)

WORTH_RESTORING = 32
"""Tokens that a snapshot must save: below this reading is as quick as the disk."""

WRITES_IN_FLIGHT = 2
"""States that may be in memory on their way to the disk; one more is not kept, since nobody waits for a disk here."""


def compatibility_key(facts: Mapping[str, str | int | float | bool | None]) -> str:
    """Return a key over everything that must be equal for a state to mean the same.

    Facts: the model's SHA-256 (which covers its RoPE and window settings), llama.cpp's version and what it computes
    with, KV types, flash attention.
    """
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@dataclass
class Entry:
    """A snapshot in the index: its file and its tokens (numpy int32)."""

    path: Path
    tokens: Any


@dataclass
class Fetch:
    """A recall under way: the entry, the tokens of it that are wanted, and the state when it has been read."""

    entry: Entry
    usable: int
    future: Future[Any]

    @property
    def done(self) -> bool:
        """The file has been read and checked, or found to be bad."""
        return self.future.done()


class SnapshotStore:
    """Prefix memory on disk for one model under one set of flags.

    Only the index is held in memory. Files are read, checked and written by threads of the store: the engine's thread
    copies states in and out of llama.cpp and never waits for the disk. Snapshots of other models lie in the same folder
    under their own keys: they count towards the quota and are left alone otherwise.
    """

    def __init__(self, folder: Path, key: str, quota: int, *, cuttable: bool = True) -> None:
        """Open `folder`; raises OSError when it cannot be used. `quota` in bytes over all keys.

        `cuttable`: a prefix of a snapshot may be used. The state of a sliding-window model holds the last window of its
        local layers alone, so such a model can be restored at its snapshot points only.
        """
        self.trouble = ""
        """Why the last save failed, for a person; empty when it did not."""
        self._key = key
        self._cuttable = cuttable
        self._shelf = Shelf(folder, key, quota)
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="snapshot-writer")
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="snapshot-reader")
        self._writes: list[Future[None]] = []
        self._counts = {"saved": 0.0, "restored": 0.0, "rejected": 0.0, "failed": 0.0}
        self._entries: dict[Path, Entry] = {}
        self._scan()

    # Prefix memory

    def recall(self, wanted: Sequence[int], *, longer_than: int, room: int, wake: Callable[[], None]) -> Fetch | None:
        """See `memory.PrefixMemory`."""
        import numpy as np

        found = self._best(np.asarray(wanted, dtype="<i4"), longer_than, room)
        if found is None:
            return None
        entry, usable = found
        fetch = Fetch(entry, usable, self._reader.submit(self._read, entry))
        fetch.future.add_done_callback(lambda _future: wake())
        return fetch

    def restore(self, recall: Fetch, context: Context, sequence: int) -> int | None:
        """See `memory.PrefixMemory`."""
        path = recall.entry.path
        try:
            refused = _put(context, sequence, recall)
        except MemoryError:
            logger.warning("There is no memory to restore a snapshot of %d tokens", len(recall.entry.tokens))
            self._unindex(path)
            return None
        except (BadSnapshot, OSError) as error:
            refused = str(error)
        if refused:
            self._reject(path, refused)
            return None
        self._counts["restored"] += 1
        self._shelf.touch(path)
        return recall.usable

    def save(self, context: Context, sequence: int, tokens: Sequence[int], name: str) -> None:
        """See `memory.PrefixMemory`."""
        import numpy as np

        ids = np.asarray(tokens, dtype="<i4")
        path = self._shelf.path(ids, name)
        if self._shelf.has(path, like=self._shelf.pattern(ids)):
            self._index(path, ids)
            return
        self._writes = [write for write in self._writes if not write.done()]
        if len(self._writes) >= WRITES_IN_FLIGHT:
            self._failed("the disk is too slow for it")
            return
        try:
            state = context.state(sequence)
        except (EngineFault, MemoryError) as error:
            self._failed(str(error) or "there is no memory for it")
            return
        self._writes.append(self._writer.submit(self._write, path, ids, state, name))

    def flush(self) -> None:
        """Return when everything that was saved is on disk."""
        self._writer.submit(lambda: None).result()

    def close(self) -> None:
        """Finish writing."""
        self._reader.shutdown(wait=True, cancel_futures=True)
        self._writer.shutdown(wait=True)

    # Upkeep

    def forget(self, name: str) -> int:
        """Delete the snapshots saved under a boundary name, of every model; return how many."""
        self.flush()
        gone = self._shelf.named(name)
        for path in gone:
            self._drop(path)
        return len(gone)

    def usage(self) -> int:
        """Bytes on disk over all keys."""
        return self._shelf.usage()

    def keeping(self) -> Keeping:
        """See `memory.PrefixMemory`."""
        return Keeping(self.usage(), self._shelf.quota, self.trouble)

    def metrics(self) -> dict[str, float]:
        """Counters by Prometheus name, and the space taken."""
        counts = {f"snapshots_{name}_total": value for name, value in self._counts.items()}
        sizes = {"snapshots": float(len(self._entries)), "snapshot_bytes": float(self.usage())}
        return {**counts, "snapshots_evicted_total": float(self._shelf.evicted), **sizes}

    # Finding and reading

    def _best(self, prompt: Any, longer_than: int, room: int) -> tuple[Entry, int] | None:
        with self._lock:
            entries = [entry for entry in self._entries.values() if len(entry.tokens) <= room]
        candidates = [(entry, self._usable(entry, prompt)) for entry in entries]
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

    def _read(self, entry: Entry) -> Any:
        """Return the state of a snapshot after every check that can be made on the file."""
        import numpy as np

        header, tokens, state = snapshot_file.read(entry.path)
        if header.key != self._key:
            raise BadSnapshot("it belongs to another model or other settings")
        if not np.array_equal(tokens, entry.tokens):
            raise BadSnapshot("its tokens have changed")
        return state

    def _reject(self, path: Path, cause: str) -> None:
        logger.warning("Snapshot %s is deleted: %s", path.name, cause)
        self._counts["rejected"] += 1
        self._drop(path)

    # Writing

    def _write(self, path: Path, ids: Any, state: Any, name: str) -> None:
        header = Header(self._key, len(ids), int(state.size), snapshot_file.checksum(self._key, ids, state))
        try:
            for evicted in self._shelf.make_room(int(state.size)):
                self._drop(evicted)
            snapshot_file.write(path, header, ids, state)
        except OSError as error:
            self._failed(error.strerror or str(error))
        except Exception:  # the edge of the writer's thread: nobody looks at its result
            logger.exception("A snapshot could not be saved")
            self._failed("of an error that the log describes")
        else:
            self.trouble = ""
            self._counts["saved"] += 1
            self._index(path, ids)
            self._supersede(ids, name)

    def _supersede(self, ids: Any, name: str) -> None:
        """Delete the states of the same name that stand for a beginning of these tokens."""
        for path in self._shelf.named(name):
            with self._lock:
                entry = self._entries.get(path)
            if entry is not None and len(entry.tokens) < len(ids) and (ids[: len(entry.tokens)] == entry.tokens).all():
                self._drop(path)

    def _failed(self, cause: str) -> None:
        self._counts["failed"] += 1
        self.trouble = f"What was read could not be kept on disk ({cause})."
        logger.warning("A snapshot could not be saved: %s", cause)

    # The index

    def _index(self, path: Path, ids: Any) -> None:
        with self._lock:
            self._entries[path] = Entry(path, ids)

    def _drop(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._unindex(path)

    def _unindex(self, path: Path) -> None:
        with self._lock:
            self._entries.pop(path, None)

    def _scan(self) -> None:
        """Read the heads of this key's files; those that a crash left unreadable are deleted."""
        for path in self._shelf.own():
            try:
                _, tokens = snapshot_file.read_head(path)
            except (BadSnapshot, OSError) as error:
                self._reject(path, str(error))
            else:
                self._index(path, tokens)


def _put(context: Context, sequence: int, fetch: Fetch) -> str:
    """Put a fetched state into a sequence; return why llama.cpp does not take it, empty when it does."""
    if not context.set_state(sequence, fetch.future.result()):
        return "llama.cpp does not accept its state"
    if context.length(sequence) != len(fetch.entry.tokens) or not context.cut(sequence, fetch.usable):
        return "its state is not of the length that it claims"
    return ""
