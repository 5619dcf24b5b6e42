"""The real engine on the small test model, loaded once per test process."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from inference import catalogue
from inference.contracts import ChatMessage, ChatRequest, Delta, EngineState, Event, Finished, PoolName, Progress
from inference.engine.engine import LlamaEngine
from inference.engine.memory import NoMemory, PrefixMemory
from inference.engine.plan import Plan, simple_plan
from inference.engine.port import Ticket
from inference.errors import InferenceError


def model_file(model_id: str) -> Path:
    """Return a model's file out of the shared cache, or fail with what to do."""
    entry = next(entry for entry in (*catalogue.CATALOGUE, *catalogue.TEST_FILES) if entry.id == model_id)
    path: Path = settings.MODELS_DIR / entry.file
    if not path.exists():
        pytest.fail(f"{path.name} is missing: `make test` fetches it, or `python -m tests.prepare`.")
    return path


SERVICE_LINE = 3
"""Requests that may wait for the service pool here: few, so that the line can be filled."""


def _plan(window: int) -> Plan:
    plan = simple_plan(window, 2)
    service = replace(plan.pools[PoolName.SERVICE], line=SERVICE_LINE)
    return replace(plan, pools={**plan.pools, PoolName.SERVICE: service})


def load(path: Path, memory: PrefixMemory | None = None, *, window: int = 2048) -> LlamaEngine:
    """Start an engine and wait until it is ready."""
    keep = memory or NoMemory()
    engine = LlamaEngine(path, lambda _model: _plan(window), lambda _model, _plan: keep)
    engine.start()
    wait_until_ready(engine)
    return engine


def wait_until_ready(engine: LlamaEngine) -> None:
    """Return when the engine can be asked."""
    while engine.health().state is EngineState.LOADING:
        time.sleep(0.01)
    assert engine.health().state is EngineState.READY, engine.health().message


@pytest.fixture(scope="session")
def engine() -> Iterator[LlamaEngine]:
    """The small model with a window of 2,048 tokens, two conversations and nothing on disk."""
    running = load(model_file("smollm2-135m"))
    yield running
    running.stop()


@dataclass
class Asked:
    """A request under way in a test."""

    ticket: Ticket
    events: queue.Queue[Event | InferenceError]

    def until(self, kind: type[Any]) -> Any:
        """Return the first event of a kind, reading past the others."""
        while not isinstance(event := self.events.get(timeout=60), kind):
            pass
        return event

    def result(self) -> tuple[str, Finished]:
        """Return the text that is still to come, and the end. Raises what the engine reported."""
        text = ""
        while True:
            event = self.events.get(timeout=60)
            if isinstance(event, InferenceError):
                raise event
            if isinstance(event, Finished):
                return text, event
            if not isinstance(event, Progress):
                text += event.text


def ask(engine: LlamaEngine, *texts: str, pool: PoolName = PoolName.CONVERSATION, **options: Any) -> Asked:
    """Submit alternating user and assistant messages; `options` are fields of ChatRequest."""
    messages = tuple(ChatMessage("assistant" if index % 2 else "user", text) for index, text in enumerate(texts))
    events: queue.Queue[Event | InferenceError] = queue.Queue()
    options.setdefault("max_tokens", 16)
    return Asked(engine.submit(ChatRequest(messages=messages, pool=pool, **options), events.put), events)


__all__ = ["SERVICE_LINE", "Asked", "Delta", "ask", "load", "model_file", "wait_until_ready"]
