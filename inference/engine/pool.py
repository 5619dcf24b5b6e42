"""A slot pool: one context whose sequences serve requests side by side, with a bounded line in front."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inference.engine.job import Job, Slot
from inference.engine.llama import ABORTED, DECODED, Context, Piece
from inference.engine.memory import PrefixMemory
from inference.engine.schedule import (
    FreeSlot,
    Need,
    Turns,
    aligned,
    choose_slot,
    common_prefix,
    compose,
    next_in_line,
)
from inference.engine.waits import Waits
from inference.errors import EngineFault, InferenceError

WORTH_COPYING = 64
"""Tokens; a shorter common prefix is read again sooner than a whole sequence is copied."""


@dataclass
class Speed:
    """Moving averages of what this pool computes in tokens/s; 0 until measured."""

    prefill: float = 0.0
    decode: float = 0.0

    def note(self, tokens: int, seconds: float, *, generating: int) -> None:
        """Take a batch into account: pure prefill of a fair size, or one token of one answer."""
        if seconds <= 0:
            return
        if generating == 0 and tokens >= 32:
            self.prefill = _average(self.prefill, tokens / seconds)
        elif generating == tokens == 1:
            self.decode = _average(self.decode, 1 / seconds)


def _average(old: float, new: float) -> float:
    return new if old == 0 else 0.8 * old + 0.2 * new


class Pool:
    """Continuous batching over one context. Used by the engine's thread alone."""

    def __init__(self, context: Context, memory: PrefixMemory, line: int, wake: Callable[[], None]) -> None:
        """Serve the sequences of `context`; `wake` is called from another thread when the disk has delivered."""
        self.context = context
        self.speed = Speed()
        self.line_limit = line
        self._memory = memory
        self._wake = wake
        self._line: list[Job] = []
        self._served: dict[str, int] = {}
        self._admissions = 0
        self._slots = [Slot(index) for index in range(context.spec.sequences)]
        self._turns = Turns()
        self._waits = Waits()
        self._read = 0

    @property
    def busy(self) -> bool:
        """There is something to admit, to take from the disk, or to compute."""
        if self._line and any(slot.job is None for slot in self._slots):
            return True
        return any(slot.job and (slot.job.recall is None or slot.job.recall.done) for slot in self._slots)

    @property
    def waiting(self) -> int:
        """Jobs in line."""
        return len(self._line)

    def metrics(self) -> dict[str, float]:
        """Return gauges and counters by name; `reading` are the jobs whose prompt is not read yet."""
        jobs = [job for slot in self._slots if (job := slot.job) is not None]  # slots may be freed meanwhile
        return {
            "active": len(jobs),
            "reading": sum(job.generated == 0 for job in jobs),
            "waiting": self.waiting,
            "prefill_tokens_per_second": self.speed.prefill,
            "decode_tokens_per_second": self.speed.decode,
            "read_tokens_total": self._read,
            **self._waits.metrics(),
        }

    def accept(self, job: Job) -> None:
        """Put a job in line; whether there is room was decided when it was submitted."""
        self._line.append(job)

    def step(self) -> None:
        """Admit waiting jobs, take what the disk has delivered, and compute one batch."""
        self._admit()
        self._settle()
        pieces = self._compose()
        if pieces:
            self._compute(pieces)

    def drop_cancelled(self) -> None:
        """End the jobs that were cancelled, in line or in a slot."""
        for job in [job for job in self._line if job.cancelled]:
            self._line.remove(job)
            job.finish("cancelled")
        for slot in self._slots:
            if slot.job and slot.job.cancelled:
                self._release(slot).finish("cancelled")

    def abandon(self, error: InferenceError) -> None:
        """End every job with an error, as when the engine stops."""
        for job in self._line:
            job.fail(error)
        self._line.clear()
        for slot in self._slots:
            if slot.job:
                self._release(slot).fail(error)
            # What the cache holds is not known any more.
            self._cut(slot, 0)

    # Admission

    def _admit(self) -> None:
        while self._line and any(slot.job is None for slot in self._slots):
            self._place(self._next_in_line())

    def _next_in_line(self) -> Job:
        waiting = [job.request.conversation for job in self._line]
        job = self._line.pop(next_in_line(waiting, self._served))
        self._admissions += 1
        # Only those still in line matter: without this the table would grow with every conversation there ever was.
        self._served = {name: number for name, number in self._served.items() if name in waiting}
        self._served[job.request.conversation] = self._admissions
        return job

    def _place(self, job: Job) -> None:
        """Give a job its slot, with as much of its prompt as other slots hold, and look for more on the disk.

        The end of the prompt is always computed again, because the logits of its last token are what the answer begins
        with; a whole grain of it, as `schedule.GRAIN` says.
        """
        wanted = job.prefix
        free = [
            FreeSlot(slot.index, common_prefix(slot.tokens, wanted), slot.conversation, slot.used)
            for slot in self._slots
            if slot.job is None
        ]
        slot = self._slots[choose_slot(free, job.request.conversation)]
        slot.job, slot.conversation = job, job.request.conversation
        job.admitted = time.monotonic()
        self._waits.note(job.admitted - job.arrived)
        self._reuse(slot, wanted)
        self._look_up(slot, job)

    def _reuse(self, slot: Slot, wanted: Sequence[int]) -> None:
        own = common_prefix(slot.tokens, wanted)
        donor = max(self._slots, key=lambda other: common_prefix(other.tokens, wanted))
        if common_prefix(donor.tokens, wanted) >= own + WORTH_COPYING:
            self.context.copy(donor.index, slot.index)
            slot.tokens = list(donor.tokens)
        self._cut(slot, aligned(common_prefix(slot.tokens, wanted)))

    def _look_up(self, slot: Slot, job: Job) -> None:
        """Begin to fetch a snapshot that knows more of the prompt than the slot does."""
        room = self.context.spec.window
        job.recall = self._memory.recall(job.prefix, longer_than=len(slot.tokens), room=room, wake=self._wake)
        if job.recall is None:
            job.reused = len(slot.tokens) - job.restored
            job.progress(len(slot.tokens))
            self._save_here(slot, job)

    def _settle(self) -> None:
        """Put what the disk has delivered into its slots; after a bad snapshot look for the next best one."""
        for slot in self._slots:
            job = slot.job
            if job is None or job.recall is None or not job.recall.done:
                continue
            restored = self._memory.restore(job.recall, self.context, slot.index)
            job.restored = restored or 0
            job.restore_ms = 1000 * (time.monotonic() - job.admitted)
            if restored is not None:
                slot.tokens = job.sequence[:restored]
            elif self.context.length(slot.index) != len(slot.tokens):
                self._cut(slot, 0)
            self._look_up(slot, job)

    def _cut(self, slot: Slot, length: int) -> None:
        slot.tokens = slot.tokens[:length] if self.context.cut(slot.index, length) else []

    def _release(self, slot: Slot) -> Job:
        job = slot.job
        if job is None:
            raise AssertionError("only a busy slot is released")
        slot.job, slot.used = None, time.monotonic()
        return job

    # One batch

    def _compose(self) -> list[Piece]:
        busy = [slot for slot in self._slots if slot.job and not slot.fetching]
        needs = [Need(slot.index, self._until_boundary(slot), slot.generating) for slot in busy]
        batch = compose(needs, self._turns, self.context.spec.ubatch, self.speed.prefill)
        self._turns = batch.turns
        return [self._piece(self._slots[index], share) for index, share in batch.shares.items()]

    def _until_boundary(self, slot: Slot) -> int:
        """Return the pending tokens up to the next boundary that is to be saved, so that a batch ends exactly there."""
        held, end = len(slot.tokens), len(slot.tokens) + slot.pending
        stops = [at for at in _save_points(slot.job) if held < at < end]
        return min(stops, default=end) - held

    def _piece(self, slot: Slot, share: int) -> Piece:
        held = len(slot.tokens)
        tokens = slot.job.sequence[held : held + share] if slot.job else []
        return Piece(slot.index, held, tokens, want_logits=share == slot.pending)

    def _compute(self, pieces: Sequence[Piece]) -> None:
        slots = [self._slots[piece.sequence] for piece in pieces]
        generating = sum(slot.generating for slot in slots)
        began = time.monotonic()
        try:
            code, indexes = self.context.decode(pieces)
        except EngineFault as error:
            self._fail(slots, error)
            return
        if code == ABORTED:
            self._resync(slots)
        elif code == DECODED:
            self.speed.note(sum(len(piece.tokens) for piece in pieces), time.monotonic() - began, generating=generating)
            for slot, piece, index in zip(slots, pieces, indexes, strict=True):
                self._advance(slot, piece, index)
        else:
            self._fail(slots, EngineFault("llama.cpp found no room for the batch in its cache."))

    def _resync(self, slots: Sequence[Slot]) -> None:
        """Take up what an aborted decode has kept: whole ubatches, whose tokens are those of the job.

        A last token that was computed is dropped, since its logits are lost: without them the job could not go on.
        """
        for slot in slots:
            if slot.job:
                before = len(slot.tokens)
                kept = min(self.context.length(slot.index), len(slot.job.sequence) - 1)
                slot.tokens = slot.job.sequence[:kept]
                self._cut(slot, kept if slot.job.generated else aligned(kept))
                if slot.job.generated == 0:
                    self._read += max(0, len(slot.tokens) - before)

    def _fail(self, slots: Sequence[Slot], error: EngineFault) -> None:
        for slot in slots:
            self._cut(slot, 0)
            self._release(slot).fail(error)

    def _advance(self, slot: Slot, piece: Piece, index: int) -> None:
        job = slot.job
        if job is None:
            return
        slot.tokens.extend(piece.tokens)
        if job.generated == 0:
            self._read += len(piece.tokens)
            job.progress(len(slot.tokens))
            self._save_here(slot, job)
        if piece.want_logits and not job.cancelled:
            self._choose(slot, job, index)

    def _save_here(self, slot: Slot, job: Job) -> None:
        name = _save_points(job).get(len(slot.tokens))
        if name is not None:
            self._memory.save(self.context, slot.index, slot.tokens, name)

    def _choose(self, slot: Slot, job: Job, index: int) -> None:
        token = job.sampler.sample(self.context, index)
        job.first_token = job.first_token or time.monotonic()
        chances = job.weigh(self.context, index, token)
        if self.context.model.ends(token):
            job.say("", chances)
            self._release(slot).finish("stop")
            return
        job.sequence.append(token)
        job.say(job.text.feed(self.context.model.piece(token)), chances)
        if job.text.stopped:
            self._release(slot).finish("stop")
        elif job.generated >= job.request.max_tokens:
            self._release(slot).finish("length")


def _save_points(job: Job | None) -> dict[int, str]:
    """Return where the state is to be kept, and under which name: the last grain before each boundary wanted."""
    if job is None:
        return {}
    boundaries = job.prompt.boundaries
    return {aligned(boundaries[name]): name for name in job.request.save if name in boundaries}
