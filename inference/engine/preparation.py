"""From a request to a job: all that needs the model's vocabulary and none of its caches."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from inference.contracts import ChatRequest, PoolName
from inference.engine.job import Job
from inference.engine.llama import Model
from inference.engine.port import Sink
from inference.engine.prompt import build_prompt
from inference.engine.sampler import Sampler
from inference.engine.template import Templates
from inference.errors import BadRequest, PromptTooLong, ServiceUnavailable, UnknownModel


class Preparation:
    """Makes jobs on the threads of those who ask, so that the engine's thread has nothing to do but compute."""

    def __init__(self, model: Model, name: str, windows: Mapping[PoolName, int]) -> None:
        """Prepare for `model`, called `name`, whose pools have these windows in tokens."""
        chatml = len(model.tokenize("<|im_start|>", special=True)) == 1
        bos, eos = model.special_text("bos"), model.special_text("eos")
        self._templates = Templates(model.template(), chatml=chatml, bos=bos, eos=eos)
        self._model = model
        self._name = name
        self._windows = windows
        # Held while the vocabulary is used: the model must not be freed under somebody who reads it.
        self._lock = threading.Lock()
        self._closed = False

    def job(self, request: ChatRequest, sink: Sink) -> Job:
        """Return a job that is ready to run. Raises the InferenceError that says why there is none."""
        if request.model not in ("", self._name):
            raise UnknownModel(f"The model {request.model} is not loaded; {self._name} is.")
        with self._lock:
            self._require_open()
            prompt = build_prompt(request, self._templates, self._model)
            self._require_fit(request, len(prompt.tokens))
            sampler = Sampler(self._model, request.sampling)
        return Job(request, prompt, sampler, sink, self._name)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text, special tokens off."""
        counts = []
        for text in texts:
            # Let go in between, so that a question does not wait for a whole document to be counted.
            with self._lock:
                self._require_open()
                counts.append(len(self._model.tokenize(text, special=False)))
        return counts

    def close(self) -> None:
        """Return when nobody uses the model any more; whoever comes later is refused."""
        with self._lock:
            self._closed = True

    def _require_open(self) -> None:
        if self._closed:
            raise ServiceUnavailable

    def _require_fit(self, request: ChatRequest, prompt: int) -> None:
        if prompt == 0:
            raise BadRequest("The prompt is empty.")
        window = self._windows[request.pool]
        if prompt + request.max_tokens > window:
            raise PromptTooLong(
                f"The prompt has {prompt:,} tokens and {request.max_tokens:,} are wanted for the answer; "
                f"the model's window holds {window:,}."
            )
