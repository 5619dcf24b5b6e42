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
from inference.supervise import status
from inference.supervise.policy import ChildState
from inference.supervise.status import ChildStatus
from ragsite.network import is_local_call
from ragsite.owner import headers_of_request
from study import queue

Status = Literal["ok", "starting", "degraded"]


class InferenceReport(TypedDict):
    """The model: state, file and process."""

    state: EngineState
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
    children = supervisor.children if supervisor else {}
    engine = gateway.health()
    jobs = _queue()
    meaning = embeddings.state() if web else embeddings.published_state(settings.RUN_DIR)
    problems = [*_ended(children, web), *_engine_problems(engine), *_embedding_problems(meaning)]
    if jobs["waiting"] is None:
        problems.append("The database cannot be read.")
    return HealthReport(
        status=_status(problems, children, engine),
        web=web or _child(children, "web").state,
        worker=_child(children, "worker").state,
        reader=_child(children, "reader").state,
        inference=InferenceReport(
            state=engine.state,
            model=engine.model or None,
            pid=engine.pid if engine.pid > 0 else _child(children, "inference").pid or None,
        ),
        embeddings=EmbeddingsReport(state=meaning.state, model=meaning.model or None, dim=meaning.dim or None),
        queue=jobs,
        restarts={name: child.restarts for name, child in children.items()},
        problems=problems,
    )


def _child(children: dict[str, ChildStatus], name: str) -> ChildStatus:
    return children.get(name, ChildStatus())


def _ended(children: dict[str, ChildStatus], web: ChildState | None) -> list[str]:
    if not children:
        missing = "not started as a whole" if web else "not running"
        return [f"Readahead is {missing}; `make run` or `manage.py up` starts it."]
    return [
        f"{name} ended ({child.last_exit}) and is started again."
        for name, child in children.items()
        if child.state is not ChildState.RUNNING and not (name == "web" and web)
    ]


def _engine_problems(engine: Health) -> list[str]:
    if engine.state is EngineState.READY or engine.message == gateway.NOT_RUNNING:
        return []  # said already, of everything
    return [f"Model: {engine.message or engine.state.lower()}"]


def _embedding_problems(meaning: EmbeddingHealth) -> list[str]:
    return [f"Search by meaning: {meaning.message}"] if meaning.state is EngineState.FAILED else []


def _status(problems: list[str], children: dict[str, ChildStatus], engine: Health) -> Status:
    if not problems:
        return "ok"
    coming = engine.state in (EngineState.NOT_LOADED, EngineState.LOADING)
    # The model alone is not ready yet, and its process is there: no more than a matter of time.
    alone = len(problems) == 1 and _child(children, "inference").state is ChildState.RUNNING
    return "starting" if coming and alone else "degraded"


def _queue() -> QueueReport:
    try:
        counts = queue.counts()
    except DatabaseError:
        return QueueReport(waiting=None, running=None, failed=None)
    return QueueReport(waiting=counts.waiting, running=counts.running, failed=counts.failed)
