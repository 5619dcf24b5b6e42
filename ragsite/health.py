"""How the parts of this installation are, as one document for people and scripts."""

from __future__ import annotations

from typing import Literal, TypedDict

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from inference import embeddings, gateway
from inference.contracts import EngineState, Health
from inference.embeddings import EmbeddingHealth
from inference.external.choice import answers_elsewhere
from inference.supervise import status
from inference.supervise.policy import ChildState
from inference.supervise.status import ChildStatus, SupervisorStatus
from inference.switching.machine import Step
from inference.switching.report import ModelReport, told
from ragsite.network import is_local_call
from ragsite.owner import headers_of_request
from study import queue

Status = Literal["ok", "starting", "degraded"]


class InferenceReport(TypedDict):
    """What answers: its state, model and process, and whether it is the local service or a server in its place.

    `step` is what the supervisor does with the local one, null where none keeps it.
    """

    state: EngineState
    server: Literal["local", "external"]
    step: Step | None
    model: str | None
    pid: int | None


class EmbeddingsReport(TypedDict):
    """The embedding model of the web process and the length of its vectors, unknown until it is loaded."""

    state: EngineState
    model: str | None
    dim: int | None


class QueueReport(TypedDict):
    """Jobs by state; null while the database cannot be asked."""

    waiting: int | None
    running: int | None
    failed: int | None


class HealthReport(TypedDict):
    """The whole document. `restarts` counts by part since the start, `problems` says in sentences what is not well."""

    status: Status
    web: ChildState
    worker: ChildState
    reader: ChildState
    inference: InferenceReport
    embeddings: EmbeddingsReport
    queue: QueueReport
    restarts: dict[str, int]
    problems: list[str]


@never_cache
@require_safe
@login_not_required
def health(request: HttpRequest) -> JsonResponse:
    """`GET /health/`: 200 when everything works, else 503. Callers from outside learn the status and nothing more."""
    document = report(web=ChildState.RUNNING)
    code = 200 if document["status"] == "ok" else 503
    peer = request.META.get("REMOTE_ADDR") or ""
    if is_local_call(peer, headers_of_request(request)) or request.user.is_authenticated:
        return JsonResponse(document, status=code)
    return JsonResponse({"status": document["status"]}, status=code)


def report(web: ChildState | None = None) -> HealthReport:
    """Return the document; `web` is its state where that is known better than from the supervisor."""
    supervisor = status.read(settings.RUN_DIR)
    engine = gateway.health()
    server: Literal["local", "external"] = "external" if answers_elsewhere() else "local"
    children = _children(supervisor, server)
    kept = supervisor.model if supervisor and server == "local" else None
    model = kept or ModelReport(Step.IN_USE)
    jobs = _queue()
    meaning = embeddings.state() if web else embeddings.published_state(settings.RUN_DIR)
    problems = [*_ended(children, web, model), *_engine_problems(engine, model), *_embedding_problems(meaning)]
    if jobs["waiting"] is None:
        problems.append("The database cannot be read.")
    return HealthReport(
        status=_status(problems, children, engine, model),
        web=web or _child(children, "web").state,
        worker=_child(children, "worker").state,
        reader=_child(children, "reader").state,
        inference=InferenceReport(
            state=engine.state,
            server=server,
            step=kept.step if kept else None,
            model=engine.model or None,
            pid=_pid(engine, children),
        ),
        embeddings=EmbeddingsReport(state=meaning.state, model=meaning.model or None, dim=meaning.dim or None),
        queue=jobs,
        restarts={name: child.restarts for name, child in children.items()},
        problems=problems,
    )


def _children(supervisor: SupervisorStatus | None, server: str) -> dict[str, ChildStatus]:
    """Return the children that count: the local model is asleep, or still ending, where a server is in its place."""
    children = supervisor.children if supervisor else {}
    return {name: child for name, child in children.items() if server == "local" or name != "inference"}


def _pid(engine: Health, children: dict[str, ChildStatus]) -> int | None:
    return engine.pid if engine.pid > 0 else _child(children, "inference").pid or None


def _child(children: dict[str, ChildStatus], name: str) -> ChildStatus:
    return children.get(name, ChildStatus())


def _ended(children: dict[str, ChildStatus], web: ChildState | None, model: ModelReport) -> list[str]:
    if not children:
        missing = "not started as a whole" if web else "not running"
        return [f"Readahead is {missing}; `make run` or `manage.py up` starts it."]
    meant = model.is_changing or model.sleeps  # its process is gone because it was asked to be
    return [
        f"{name} ended ({child.last_exit}) and is started again."
        for name, child in children.items()
        if child.state is not ChildState.RUNNING and not (name == "web" and web) and not (name == "inference" and meant)
    ]


def _engine_problems(engine: Health, model: ModelReport) -> list[str]:
    if engine.state is EngineState.READY or engine.message == gateway.NOT_RUNNING or model.sleeps:
        return []  # said already, of everything; or as it should be
    if model.is_changing:
        return [f"Model: {told(model)}"]
    return [f"Model: {engine.message or engine.state.lower()}"]


def _embedding_problems(meaning: EmbeddingHealth) -> list[str]:
    return [f"Search by meaning: {meaning.message}"] if meaning.state is EngineState.FAILED else []


def _status(problems: list[str], children: dict[str, ChildStatus], engine: Health, model: ModelReport) -> Status:
    if not problems:
        return "ok"
    # The model alone is not ready yet, and its process is there: no more than a matter of time.
    there = _child(children, "inference").state is ChildState.RUNNING or model.is_coming
    coming = engine.state is EngineState.LOADING or (engine.state is EngineState.NOT_LOADED and there)
    return "starting" if coming and len(problems) == 1 else "degraded"


def _queue() -> QueueReport:
    try:
        counts = queue.counts()
    except DatabaseError:
        return QueueReport(waiting=None, running=None, failed=None)
    return QueueReport(waiting=counts.waiting, running=counts.running, failed=counts.failed)
