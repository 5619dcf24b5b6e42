"""The engine: one thread that owns the model and its three pools, and serves them in strict priority."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from inference.contracts import ChatRequest, EngineState, Health, PoolName
from inference.engine.job import Job
from inference.engine.llama import Context, Model
from inference.engine.memory import Keeping, PrefixMemory
from inference.engine.plan import Plan
from inference.engine.pool import Pool
from inference.engine.port import Sink
from inference.engine.preparation import Preparation
from inference.errors import (
    EngineFault,
    InferenceError,
    ModelFailed,
    ModelLoading,
    ServiceBusy,
    ServiceUnavailable,
)

logger = logging.getLogger(__name__)

Planner = Callable[[Path], Plan]
MemoryMaker = Callable[[Model, Plan], PrefixMemory]
PRIORITY = list(PoolName)

CRASHED = "The model stopped because of an error inside Readahead; its log has the details."


class LlamaEngine:
    """Runs one GGUF file. See `port.Engine` for the contract of the public methods."""

    def __init__(
        self,
        path: Path,
        planner: Planner,
        make_memory: MemoryMaker,
        *,
        name: str = "",
        key_of: Callable[[Path], str] = lambda _path: "",
        on_crash: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare to load `path`; `planner` decides flags and windows before that, or refuses the file.

        `key_of` returns what tells the file from others, whatever its name.
        `on_crash` is called when the engine's thread ends by a fault of its own: nothing is served after that.
        """
        self.name = name or path.stem
        self._path = path
        self._planner = planner
        self._make_memory = make_memory
        self._key_of = key_of
        self._key = ""
        self._on_crash = on_crash
        self._lock = threading.Lock()
        self._wake = threading.Condition(self._lock)
        self._inbox: list[Job] = []
        self._dirty = False
        self._stopping = False
        self._retired: frozenset[PoolName] = frozenset()
        self._running: PoolName | None = None
        self._beat = time.monotonic()
        self._pools: dict[PoolName, Pool] = {}
        self._preparation: Preparation | None = None
        self._memory: PrefixMemory | None = None
        self._state = EngineState.NOT_LOADED
        self._progress = 0.0
        self._cause = ""
        self._notes: tuple[str, ...] = ()
        self._counters = {"requests_total": 0.0, "prompt_tokens_total": 0.0, "refused_busy_total": 0.0}
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

    def retire(self, keep: Collection[PoolName] = ()) -> None:
        """Take no more requests and end those of all pools but `keep`."""
        with self._lock:
            self._retired = frozenset(PoolName) - frozenset(keep)
            self._dirty = True
            if self._running in self._retired:
                self._pools[self._running].context.interrupt()
            self._wake.notify()

    def submit(self, request: ChatRequest, sink: Sink) -> JobTicket:
        """Accept a request, or raise the InferenceError that says why not."""
        job = self._prepared().job(request, sink)
        try:
            with self._lock:
                self._enter(job)
        except InferenceError:
            job.discard()
            raise
        return JobTicket(self, job)

    def _enter(self, job: Job) -> None:
        if self._stopping or self._retired:
            raise ServiceUnavailable
        name = job.request.pool
        waiting = self._pools[name].waiting + sum(other.request.pool is name for other in self._inbox)
        if waiting >= self._pools[name].line_limit:
            self._counters["refused_busy_total"] += 1
            raise ServiceBusy
        self._inbox.append(job)
        self._counters["requests_total"] += 1
        self._counters["prompt_tokens_total"] += len(job.prompt.tokens)
        if self._running is not None and PRIORITY.index(self._running) > PRIORITY.index(name):
            self._pools[self._running].context.interrupt()
        self._wake.notify()

    def cancel(self, job: Job) -> None:
        """Mark a job cancelled and stop the decode that works on its pool; a neighbour's batch is computed again."""
        with self._lock:
            if job.ended:
                return
            job.cancelled = True
            self._dirty = True
            if job.admitted and self._running is job.request.pool:
                self._pools[self._running].context.interrupt()
            self._wake.notify()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens in each text, special tokens off."""
        return self._prepared().count_tokens(texts)

    def forget(self, name: str) -> int:
        """Delete what was kept under a boundary's name; return how many states that were."""
        self._prepared()
        if self._memory is None:
            raise ModelLoading
        return self._memory.forget(name)

    def silence(self) -> float:
        """Seconds since the engine's thread last took a decision, 0 while it has nothing to do."""
        return time.monotonic() - self._beat if self._running is not None else 0.0

    def health(self) -> Health:
        """State, model, window and measured speeds."""
        pool = self._pools.get(PoolName.CONVERSATION)
        keeping = self._memory.keeping() if self._memory is not None else Keeping()
        return Health(
            self._state,
            self.name,
            progress=self._progress,
            message=self._cause,
            notes=self._notes,
            model_key=self._key,
            kept_bytes=keeping.bytes,
            kept_quota=keeping.quota,
            trouble=keeping.trouble,
            window=pool.context.spec.window if pool else 0,
            prefill_tps=round(pool.speed.prefill, 1) if pool else 0.0,
            decode_tps=round(pool.speed.decode, 1) if pool else 0.0,
        )

    def metrics(self) -> Mapping[str, float]:
        """Counters since the start; for each pool gauges, tokens read, and how long its requests waited."""
        gauges: dict[str, float] = dict(self._counters)
        if self._memory is not None:
            gauges.update(self._memory.metrics())
        for name, pool in self._pools.items():
            gauges.update({f"{name}_{key}": value for key, value in pool.metrics().items()})
        return gauges

    def _prepared(self) -> Preparation:
        if self._state is EngineState.FAILED:
            raise ModelFailed(self._cause)
        if self._state is not EngineState.READY or self._preparation is None:
            raise ModelLoading
        return self._preparation

    def _look(self) -> None:
        """Make the engine's thread look for work, as when the disk has delivered."""
        with self._lock:
            self._dirty = True
            self._wake.notify()

    # The engine's thread

    def _run(self) -> None:
        model: Model | None = None
        try:
            model = self._load()
            self._serve()
        except InferenceError as error:
            self._fail(error.message)
        except Exception as error:
            logger.exception("The engine ended by a fault")
            loaded = self._state is EngineState.READY
            self._fail(CRASHED if loaded else f"The model could not be loaded: {error}.")
            if loaded:
                self._on_crash()
        finally:
            self._close(model)

    def _load(self) -> Model:
        began = time.monotonic()
        plan = self._planner(self._path)
        self._notes = plan.notes
        self._key = self._key_of(self._path)
        model = Model(self._path, self._note_progress, gpu_layers=plan.gpu_layers)
        self._memory = self._make_memory(model, plan)
        pools = {}
        for name in PoolName:
            pools[name] = Pool(Context(model, plan.context(name)), self._memory, plan.pools[name].line, self._look)
        self._pools = pools
        windows = {name: pool.context.spec.window for name, pool in pools.items()}
        self._preparation = Preparation(model, self.name, windows)
        self._state = EngineState.READY
        logger.info("Loaded %s in %.1f s", self.name, time.monotonic() - began)
        return model

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
                # The process boundary of a request: a fault must not take the other pools with it.
                logger.exception("A batch failed")
                pool.abandon(EngineFault())

    def _next_pool(self) -> Pool | None:
        """Wait for work, put arrivals in line and return the pool whose turn it is; None when the engine is to stop.

        All of it happens under the lock that `submit` and `cancel` take to raise interrupts: what was raised earlier is
        served by what is taken here, and what is raised later knows which pool is running and aborts its decode.
        """
        with self._lock:
            while True:
                self._take_in()
                if self._stopping:
                    return None
                self._running = next((name for name, pool in self._pools.items() if pool.busy), None)
                if self._running is not None:
                    return self._pools[self._running]
                if not self._dirty:
                    self._wake.wait()

    def _take_in(self) -> None:
        self._beat = time.monotonic()
        arrived, self._inbox, self._dirty = self._inbox, [], False
        for job in arrived:
            self._pools[job.request.pool].accept(job)
        for name in self._retired & self._pools.keys():
            self._pools[name].abandon(ServiceUnavailable())
        for pool in self._pools.values():
            pool.drop_cancelled()
            pool.context.clear_interrupt()

    def _close(self, model: Model | None) -> None:
        with self._lock:
            self._stopping = True
            left, self._inbox = self._inbox, []
        if self._preparation is not None:
            self._preparation.close()
        gone = ServiceUnavailable()
        for job in left:
            job.fail(gone)
        for pool in self._pools.values():
            pool.abandon(gone)
            pool.context.free()
        if self._memory is not None:
            self._memory.close()
        if model is not None:
            model.free()


class JobTicket:
    """Cancels one job."""

    def __init__(self, engine: LlamaEngine, job: Job) -> None:
        self._engine = engine
        self._job = job

    def cancel(self) -> None:
        """See `port.Ticket`."""
        self._engine.cancel(self._job)
