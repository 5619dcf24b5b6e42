"""The engine: one thread that owns the model and its three pools, and serves them in strict priority."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from inference.contracts import ChatRequest, EngineState, Health, PoolName
from inference.engine.job import Job
from inference.engine.llama import Context, Model
from inference.engine.memory import PrefixMemory
from inference.engine.plan import Plan
from inference.engine.pool import Pool
from inference.engine.port import Sink
from inference.engine.prompt import build_prompt
from inference.engine.template import Conversation
from inference.errors import (
    BadRequest,
    EngineFault,
    InferenceError,
    ModelFailed,
    ModelLoading,
    PromptTooLong,
    ServiceBusy,
    ServiceUnavailable,
    UnknownModel,
)

logger = logging.getLogger(__name__)

Planner = Callable[[Path], Plan]
MemoryMaker = Callable[[Model, Plan], PrefixMemory]


class LlamaEngine:
    """Runs one GGUF file. See `port.Engine` for the contract of the public methods."""

    def __init__(self, path: Path, planner: Planner, make_memory: MemoryMaker, *, name: str = "") -> None:
        """Prepare to load `path`; `planner` decides flags and windows before that, or refuses the file."""
        self.name = name or path.stem
        self._path = path
        self._planner = planner
        self._make_memory = make_memory
        self._lock = threading.Lock()
        self._wake = threading.Condition(self._lock)
        self._inbox: list[Job] = []
        self._dirty = False
        self._stopping = False
        self._running: Pool | None = None
        self._pools: dict[PoolName, Pool] = {}
        self._model: Model | None = None
        self._templates: Conversation | None = None
        self._memory: PrefixMemory | None = None
        self._state = EngineState.NOT_LOADED
        self._progress = 0.0
        self._cause = ""
        self._notes: tuple[str, ...] = ()
        self._counters: dict[str, float] = {
            "requests_total": 0,
            "prompt_tokens_total": 0,
            "refused_busy_total": 0,
        }
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    # From other threads

    def start(self) -> None:
        """Begin loading in the engine's thread."""
        self._state = EngineState.LOADING
        self._thread.start()

    def stop(self) -> None:
        """End every request and free the model."""
        with self._lock:
            self._stopping = True
            for pool in self._pools.values():
                pool.context.interrupt()
            self._wake.notify()
        if self._thread.ident is not None:
            self._thread.join()

    def submit(self, request: ChatRequest, sink: Sink) -> JobTicket:
        """Accept a request, or raise the InferenceError that says why not."""
        model, templates = self._loaded()
        if request.model not in ("", self.name):
            raise UnknownModel(f"The model {request.model} is not loaded; {self.name} is.")
        prompt = build_prompt(request, templates, model)
        self._check_length(request, len(prompt.tokens))
        job = Job(request, prompt, sink, self.name)
        with self._lock:
            if self._stopping:
                raise ServiceUnavailable
            self._require_room(request.pool)
            self._inbox.append(job)
            self._counters["requests_total"] += 1
            self._counters["prompt_tokens_total"] += len(prompt.tokens)
            self._yield_to(request.pool)
            self._wake.notify()
        return JobTicket(self, job)

    def cancel(self, job: Job) -> None:
        """Mark a job cancelled and stop the decode that works on it."""
        with self._lock:
            if job.ended:
                return
            job.cancelled = True
            self._dirty = True
            if job.admitted and self._running is not None and self._running.name is job.request.pool:
                self._running.context.interrupt()
            self._wake.notify()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens in each text, special tokens off."""
        model, _ = self._loaded()
        return [len(model.tokenize(text, special=False)) for text in texts]

    def forget(self, name: str) -> int:
        """Delete what was kept under a boundary's name; return how many states that were."""
        if self._memory is None:
            raise ModelLoading
        return self._memory.forget(name)

    def health(self) -> Health:
        """State, model, window and measured speeds."""
        pool = self._pools.get(PoolName.CONVERSATION)
        return Health(
            self._state,
            self.name,
            progress=self._progress,
            message=self._cause,
            notes=self._notes,
            window=pool.context.spec.window if pool else 0,
            prefill_tps=round(pool.speed.prefill, 1) if pool else 0.0,
            decode_tps=round(pool.speed.decode, 1) if pool else 0.0,
        )

    def metrics(self) -> Mapping[str, float]:
        """Counters since the start, and gauges per pool."""
        gauges: dict[str, float] = dict(self._counters)
        if self._memory is not None:
            gauges.update(self._memory.metrics())
        for name, pool in self._pools.items():
            gauges[f"{name}_active"] = pool.active
            gauges[f"{name}_waiting"] = pool.waiting
            gauges[f"{name}_prefill_tokens_per_second"] = pool.speed.prefill
            gauges[f"{name}_decode_tokens_per_second"] = pool.speed.decode
        return gauges

    def _loaded(self) -> tuple[Model, Conversation]:
        if self._state is EngineState.FAILED:
            raise ModelFailed(self._cause)
        if self._state is not EngineState.READY or self._model is None or self._templates is None:
            raise ModelLoading
        return self._model, self._templates

    def _check_length(self, request: ChatRequest, prompt: int) -> None:
        if prompt == 0:
            raise BadRequest("The prompt is empty.")
        window = self._pools[request.pool].context.spec.window
        if prompt + request.max_tokens > window:
            raise PromptTooLong(
                f"The prompt has {prompt:,} tokens and {request.max_tokens:,} are wanted for the answer; "
                f"the model's window holds {window:,}."
            )

    def _require_room(self, name: PoolName) -> None:
        pool = self._pools[name]
        waiting = pool.waiting + sum(job.request.pool is name for job in self._inbox)
        if waiting >= pool.line_limit:
            self._counters["refused_busy_total"] += 1
            raise ServiceBusy

    def _yield_to(self, pool: PoolName) -> None:
        """Abort a decode under way for a pool of lower priority; what it kept is gone on with afterwards."""
        order = list(PoolName)
        if self._running is not None and order.index(self._running.name) > order.index(pool):
            self._running.context.interrupt()

    # The engine's thread

    def _run(self) -> None:
        try:
            self._load()
        except InferenceError as error:
            self._fail(error.message)
        except Exception as error:
            logger.exception("Loading the model failed")
            self._fail(f"The model could not be loaded: {error}.")
        else:
            self._serve()
        finally:
            self._close()

    def _load(self) -> None:
        began = time.monotonic()
        plan = self._planner(self._path)
        self._notes = plan.notes
        model = Model(self._path, self._note_progress, gpu_layers=plan.gpu_layers)
        self._model = model
        self._templates = _templates(model)
        self._memory = memory = self._make_memory(model, plan)
        for name in PoolName:
            context = Context(model, plan.context(name))
            self._pools[name] = Pool(name, model, context, memory, plan.pools[name].line)
        self._state = EngineState.READY
        logger.info("Loaded %s in %.1f s", self.name, time.monotonic() - began)

    def _note_progress(self, share: float) -> bool:
        self._progress = share
        return not self._stopping

    def _fail(self, cause: str) -> None:
        self._cause = cause
        self._state = EngineState.FAILED

    def _serve(self) -> None:
        while (pool := self._next_pool()) is not None:
            try:
                pool.step()
            except Exception:
                # The process boundary of a request: one that hits a bug must not take the others with it.
                logger.exception("A batch of the %s pool failed", pool.name)
                pool.abandon(EngineFault())

    def _next_pool(self) -> Pool | None:
        """Wait for work, put arrivals in line and return the pool whose turn it is; None when the engine is to stop.

        All of it happens under the lock that `submit` and `cancel` take to raise interrupts: what was raised earlier is
        served by what is taken here, and what is raised later knows which pool is running and aborts its decode.
        """
        with self._lock:
            self._running = None
            while not (self._inbox or self._dirty or self._stopping or self._busy()):
                self._wake.wait()
            arrived, self._inbox, self._dirty = self._inbox, [], False
            for job in arrived:
                self._pools[job.request.pool].accept(job)
            for pool in self._pools.values():
                pool.context.clear_interrupt()
            if not self._stopping:
                # After a cancellation alone there may be nothing to compute; a step then does the dropping.
                busy = (pool for pool in self._pools.values() if pool.busy)
                self._running = next(busy, self._pools[PoolName.CONVERSATION])
            return self._running

    def _busy(self) -> bool:
        return any(pool.busy for pool in self._pools.values())

    def _close(self) -> None:
        with self._lock:
            self._stopping = True
            left, self._inbox = self._inbox, []
        gone = ServiceUnavailable()
        for job in left:
            job.fail(gone)
        for pool in self._pools.values():
            pool.abandon(gone)
            pool.context.free()
        if self._memory is not None:
            self._memory.close()
        if self._model is not None:
            self._model.free()


class JobTicket:
    """Cancels one job."""

    def __init__(self, engine: LlamaEngine, job: Job) -> None:
        self._engine = engine
        self._job = job

    def cancel(self) -> None:
        """See `port.Ticket`."""
        self._engine.cancel(self._job)


def _templates(model: Model) -> Conversation:
    chatml = len(model.tokenize("<|im_start|>", special=True)) == 1
    return Conversation(model.template(), chatml=chatml, bos=model.special_text("bos"), eos=model.special_text("eos"))
