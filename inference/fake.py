"""An engine without a model: scripted answers, delays and failures, and a history of what was asked.

It stands in for the real engine behind the real HTTP service, so that flows are tested over the whole way.
"""

from __future__ import annotations

import math
import re
import threading
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from inference.contracts import (
    LEAST_LOGPROB,
    Chance,
    ChatRequest,
    Delta,
    EngineState,
    Finished,
    FinishReason,
    Health,
    PoolName,
    Progress,
    Timings,
    TokenChance,
)
from inference.engine.port import Sink
from inference.errors import EngineFault, InferenceError, ModelFailed, ModelLoading, ServiceUnavailable, UnknownModel


@dataclass(frozen=True)
class FakeAnswer:
    """One scripted answer.

    `gate` holds the answer after its first word until it is set, so that a test decides what happens in the middle;
    `fail` is raised instead of the rest, after `fail_after` words. `chances` are the probabilities of some tokens in
    the place of each word, for who asks for them: `({"Yes": 0.9, "No": 0.1},)`; a word without any was certain.
    """

    text: str = "An answer."
    gate: threading.Event | None = None
    fail: InferenceError | None = None
    fail_after: int = 0
    reused: int = 0
    chances: Sequence[Mapping[str, float]] = ()

    def chance(self, place: int, word: str, count: int) -> TokenChance:
        """Return what is said about a word of the answer, with the `count` likeliest beside it."""
        scripted = self.chances[place] if place < len(self.chances) else {word: 1.0}
        ranked = sorted(scripted, key=lambda token: -scripted[token])[:count]
        named = {token: Chance(token.encode(), _logprob(share)) for token, share in scripted.items()}
        own = named.get(word) or Chance(word.encode(), LEAST_LOGPROB)
        return TokenChance(own.data, own.logprob, tuple(named[token] for token in ranked))


def _logprob(probability: float) -> float:
    return max(math.log(probability), LEAST_LOGPROB) if probability > 0 else LEAST_LOGPROB


@dataclass
class FakeTicket:
    """A request under way."""

    cancelled: threading.Event = field(default_factory=threading.Event)
    _gate: threading.Event | None = None

    def cancel(self) -> None:
        """Ask for the end; a held answer is let go so that it can notice."""
        self.cancelled.set()
        if self._gate is not None:
            self._gate.set()


class FakeEngine:
    """Answers from a queue; when that is empty, with `default`.

    `requests` lists everything that was asked; `tickets` the same requests' tickets, so that a test can see a
    cancellation arrive. One word counts as one token.
    """

    def __init__(self, answers: Iterable[str | FakeAnswer] = (), *, model: str = "fake-model") -> None:
        self.answers: deque[str | FakeAnswer] = deque(answers)
        self.default: str | FakeAnswer = "An answer."
        self.requests: list[ChatRequest] = []
        self.tickets: list[FakeTicket] = []
        self.forgotten: list[str] = []
        self.silent_for = 0.0
        self.state = EngineState.READY
        self.refuse: InferenceError | None = None
        self.model_key = "fake-key"
        self.window = 4096
        self.trouble = ""
        self._model = model
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Nothing to load."""

    def stop(self) -> None:
        """End what is under way and wait for it."""
        for ticket in self.tickets:
            ticket.cancel()
        for thread in self._threads:
            thread.join()

    def retire(self, keep: Collection[PoolName] = ()) -> None:
        """Take no more requests, and end those of the other pools."""
        self.refuse = ServiceUnavailable()
        for request, ticket in zip(self.requests, self.tickets, strict=True):
            if request.pool not in keep:
                ticket.cancel()

    def submit(self, request: ChatRequest, sink: Sink) -> FakeTicket:
        """Accept a request, or refuse it the way the real engine would."""
        self._check()
        if self.refuse is not None:
            raise self.refuse
        if request.model not in ("", self._model):
            raise UnknownModel
        scripted = self.answers.popleft() if self.answers else self.default
        answer = FakeAnswer(scripted) if isinstance(scripted, str) else scripted
        ticket = FakeTicket(_gate=answer.gate)
        self.requests.append(request)
        self.tickets.append(ticket)
        thread = threading.Thread(target=self._play, args=(request, answer, ticket, sink), daemon=True)
        self._threads.append(thread)
        thread.start()
        return ticket

    def _play(self, request: ChatRequest, answer: FakeAnswer, ticket: FakeTicket, sink: Sink) -> None:
        prompt = sum(self.count_tokens([message.text for message in request.messages])) + len(request.prompt.split())
        sink(Progress(prompt, prompt))
        said = 0
        # Words with the spaces before them: joined they give the text again.
        for word in re.findall(r"\s*\S+|\s+$", answer.text):
            if ticket.cancelled.is_set() or (answer.fail is not None and said >= answer.fail_after):
                break
            count = request.logprobs
            sink(Delta(word, () if count is None else (answer.chance(said, word, count),)))
            said += 1
            if answer.gate is not None and said == 1:
                answer.gate.wait()
        if answer.fail is not None and not ticket.cancelled.is_set():
            sink(answer.fail)
            return
        reason: FinishReason = "cancelled" if ticket.cancelled.is_set() else "stop"
        reused = min(answer.reused, prompt)
        timings = Timings(
            prompt=prompt, reused=reused, read=prompt - reused, generated=said, read_ms=1.0, decode_ms=1.0
        )
        sink(Finished(reason, timings, self._model))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count words."""
        self._check()
        return [len(text.split()) for text in texts]

    def silence(self) -> float:
        """Return the scripted silence."""
        return self.silent_for

    def forget(self, name: str) -> int:
        """Note that something is to be forgotten."""
        self.forgotten.append(name)
        return 1

    def _check(self) -> None:
        if self.state is EngineState.FAILED:
            raise ModelFailed
        if self.state is not EngineState.READY:
            raise ModelLoading

    def health(self) -> Health:
        """Say the scripted state."""
        return Health(
            self.state,
            self._model,
            window=self.window,
            prefill_tps=1000.0,
            decode_tps=1000.0,
            model_key=self.model_key,
            trouble=self.trouble,
        )

    def metrics(self) -> Mapping[str, float]:
        """Count requests."""
        return {"requests_total": float(len(self.requests))}


def broken() -> FakeAnswer:
    """Return an answer that fails after three words, as an engine whose decode goes wrong."""
    return FakeAnswer("one two three four", fail=EngineFault(), fail_after=3)
