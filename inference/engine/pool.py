"""A slot pool: one context whose sequences serve requests side by side, with a bounded line in front."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from inference.contracts import PoolName
from inference.engine.job import Job, Slot
from inference.engine.llama import ABORTED, DECODED, Context, Model, Piece
from inference.engine.memory import PrefixMemory
from inference.engine.sampler import Sampler
from inference.engine.schedule import (
    FreeSlot,
    Need,
    aligned,
    choose_slot,
    common_prefix,
    compose,
    first_served,
    next_in_line,
    prefill_budget,
)
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

    def __init__(self, name: PoolName, model: Model, context: Context, memory: PrefixMemory, line: int) -> None:
        self.name = name
        self.context = context
        self.speed = Speed()
        self._model = model
        self._memory = memory
        self.line_limit = line
        self._line: list[Job] = []
        self._served: dict[str, int] = {}
        self._admissions = 0
        self._slots = [Slot(index) for index in range(context.spec.sequences)]
        self._turn = -1

    @property
    def busy(self) -> bool:
        """There is something to compute or to admit."""
        return bool(self._line) or any(slot.job for slot in self._slots)

    @property
    def waiting(self) -> int:
        """Jobs in line."""
        return len(self._line)

    @property
    def active(self) -> int:
        """Jobs in slots."""
        return sum(slot.job is not None for slot in self._slots)

    def accept(self, job: Job) -> None:
        """Put a job in line; whether there is room was decided when it was submitted."""
        self._line.append(job)

    def step(self) -> None:
        """Drop cancelled jobs, admit waiting ones, and compute one batch."""
        self._drop_cancelled()
        self._admit()
        pieces = self._compose()
        if pieces:
            self._compute(pieces)

    def abandon(self, error: InferenceError) -> None:
        """End every job with an error, as when the engine stops."""
        for job in self._line:
            job.fail(error)
        self._line.clear()
        for slot in self._slots:
            if slot.job:
                slot.job.fail(error)
                slot.job = None

    # Admission

    def _drop_cancelled(self) -> None:
        for job in [job for job in self._line if job.cancelled]:
            self._line.remove(job)
            job.finish("cancelled")
        for slot in self._slots:
            if slot.job and slot.job.cancelled:
                self._release(slot).finish("cancelled")

    def _admit(self) -> None:
        while self._line and any(slot.job is None for slot in self._slots):
            job = self._next_in_line()
            try:
                job.sampler = Sampler(self._model, job.request.sampling)
            except InferenceError as error:
                job.fail(error)
                continue
            self._place(job)

    def _next_in_line(self) -> Job:
        waiting = [job.request.conversation for job in self._line]
        job = self._line.pop(next_in_line(waiting, self._served))
        self._admissions += 1
        # Only those still in line matter: without this the table would grow with every conversation there ever was.
        self._served = {name: number for name, number in self._served.items() if name in waiting}
        self._served[job.request.conversation] = self._admissions
        return job

    def _place(self, job: Job) -> None:
        wanted = job.sequence
        free = [
            FreeSlot(slot.index, common_prefix(slot.tokens, wanted), slot.conversation, slot.used)
            for slot in self._slots
            if slot.job is None
        ]
        slot = self._slots[choose_slot(free, job.request.conversation)]
        job.admitted = time.monotonic()
        self._remember(slot, job)
        slot.job = job
        slot.conversation = job.request.conversation
        job.progress(len(slot.tokens))

    def _remember(self, slot: Slot, job: Job) -> None:
        """Bring the longest known prefix of the prompt into the slot: its own, a neighbour's, or a snapshot's.

        The last token is always computed again, because its logits are what the answer begins with.
        """
        wanted = job.sequence[:-1]
        own = common_prefix(slot.tokens, wanted)
        donor = max(self._slots, key=lambda other: common_prefix(other.tokens, wanted))
        if common_prefix(donor.tokens, wanted) >= own + WORTH_COPYING:
            self.context.copy(donor.index, slot.index)
            slot.tokens = list(donor.tokens)
        self._cut(slot, aligned(common_prefix(slot.tokens, wanted)))
        job.reused = len(slot.tokens)
        began = time.monotonic()
        restored = self._memory.restore(self.context, slot.index, wanted, longer_than=len(slot.tokens))
        if restored is not None:
            slot.tokens = wanted[:restored]
            job.reused, job.restored = 0, restored
            job.restore_ms = 1000 * (time.monotonic() - began)
        elif self.context.length(slot.index) != len(slot.tokens):
            # A snapshot that turned out to be bad has been tried and has emptied the sequence.
            self._cut(slot, 0)
            job.reused = 0

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
        busy = [slot for slot in self._slots if slot.job]
        needs = [Need(slot.index, self._until_boundary(slot), slot.generating) for slot in busy]
        generating = sum(need.generating for need in needs)
        spec = self.context.spec
        budget = prefill_budget(spec.batch - generating, spec.ubatch, generating, self.speed.prefill)
        shares = compose(needs, self._turn, budget)
        self._turn = first_served(shares, needs, self._turn)
        return [self._piece(self._slots[index], share) for index, share in shares.items()]

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
        """Take up what an aborted decode has kept: whole ubatches, whose tokens are those of the job."""
        for slot in slots:
            if slot.job:
                kept = min(self.context.length(slot.index), len(slot.job.sequence))
                slot.tokens = slot.job.sequence[:kept]
                self._cut(slot, kept)

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
            job.progress(len(slot.tokens))
            name = _save_points(job).get(len(slot.tokens))
            if name is not None:
                self._memory.save(self.context, slot.index, slot.tokens, name)
        if piece.want_logits and not job.cancelled:
            self._choose(slot, job, index)

    def _choose(self, slot: Slot, job: Job, index: int) -> None:
        if job.sampler is None:
            raise AssertionError("an admitted job has its sampler until it ends")
        token = job.sampler.sample(self.context, index)
        job.first_token = job.first_token or time.monotonic()
        if self._model.ends(token):
            self._release(slot).finish("stop")
            return
        job.sequence.append(token)
        job.say(job.text.feed(self._model.piece(token)))
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
