"""One request on its way through a pool, and the slot that holds its tokens."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field

from inference.contracts import ChatRequest, Delta, Event, Finished, FinishReason, Progress, Timings, TokenChance
from inference.engine.chances import token_chance
from inference.engine.llama import Context
from inference.engine.memory import Recall
from inference.engine.port import Sink
from inference.engine.prompt import Prompt
from inference.engine.sampler import Sampler
from inference.engine.schedule import GRAIN
from inference.engine.text import TextStream
from inference.errors import InferenceError

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class Job:
    """An accepted request.

    `sequence` is the prompt followed by what was generated: the slot computes whatever of it is not in the cache yet.
    That is also the whole of resuming after an abort: the cache has become shorter, so more is left to compute.
    """

    request: ChatRequest
    prompt: Prompt
    sampler: Sampler
    sink: Sink
    model: str
    arrived: float = field(default_factory=time.monotonic)
    cancelled: bool = False
    ended: bool = False
    sequence: list[int] = field(default_factory=list)
    recall: Recall | None = None
    text: TextStream = field(init=False)
    reused: int = 0
    restored: int = 0
    restore_ms: float = 0.0
    held: int = 0
    admitted: float = 0.0
    first_token: float = 0.0

    def __post_init__(self) -> None:
        self.sequence = list(self.prompt.tokens)
        self.text = TextStream(self.request.stop)

    @property
    def prefix(self) -> list[int]:
        """The part of the prompt that need not be computed when it is remembered."""
        return self.sequence[: max(len(self.prompt.tokens) - GRAIN, 0)]

    @property
    def generated(self) -> int:
        """Tokens of the answer so far."""
        return len(self.sequence) - len(self.prompt.tokens)

    def progress(self, held: int) -> None:
        """Report how much of the prompt is in the cache."""
        self.held = held
        total = len(self.prompt.tokens)
        self._send(Progress(min(held, total), total))

    def weigh(self, context: Context, index: int, token: int) -> tuple[TokenChance, ...]:
        """Return the chances at a batch index where `token` was chosen; nothing when they were not asked for."""
        count = self.request.logprobs
        return () if count is None else (token_chance(context, index, token, count),)

    def say(self, text: str, chances: tuple[TokenChance, ...] = ()) -> None:
        """Pass text on; without chances nothing is sent for tokens that do not complete a character yet."""
        if text or chances:
            self._send(Delta(text, chances))

    def finish(self, reason: FinishReason) -> None:
        """Send what was held back, then the end with its timings."""
        if reason != "cancelled":
            self.say(self.text.close())
        self._send(Finished(reason, self._timings(), self.model))
        self.discard()

    def fail(self, error: InferenceError) -> None:
        """Send an error as the end."""
        self._send(error)
        self.discard()

    def _send(self, event: Event | InferenceError) -> None:
        try:
            self.sink(event)
        except Exception:  # whoever listens must not be able to stop the engine
            logger.exception("An event could not be delivered; its request is cancelled")
            self.cancelled = True

    def discard(self) -> None:
        """Free what the request holds besides its slot; it has ended, or was never taken."""
        self.ended = True
        self.sampler.free()

    def _timings(self) -> Timings:
        now = time.monotonic()
        prompt = len(self.prompt.tokens)
        started = self.admitted or now
        first = self.first_token or now
        return Timings(
            prompt=prompt,
            restored=self.restored,
            reused=self.reused,
            read=max(0, self.held - self.reused - self.restored),
            generated=self.generated,
            wait_ms=1000 * (started - self.arrived),
            restore_ms=self.restore_ms,
            read_ms=1000 * (first - started) - self.restore_ms if self.admitted else 0.0,
            decode_ms=1000 * (now - self.first_token) if self.first_token else 0.0,
        )


@dataclass(eq=False)
class Slot:
    """A sequence of a context.

    `tokens` are the ids in its cache; while it has a job they are always a prefix of the job's sequence.
    """

    index: int
    tokens: list[int] = field(default_factory=list)
    job: Job | None = None
    conversation: str | None = None
    used: float = 0.0

    @property
    def fetching(self) -> bool:
        """It waits for the disk and wants nothing computed."""
        return self.job is not None and self.job.recall is not None

    @property
    def pending(self) -> int:
        """Tokens that its job wants computed before the next one can be chosen."""
        return len(self.job.sequence) - len(self.tokens) if self.job else 0

    @property
    def generating(self) -> bool:
        """Its job has begun to answer and only the newest token is missing."""
        return self.job is not None and self.job.generated > 0 and self.pending == 1
