"""The way from `manage.py up` to running children: each step either holds or says in one sentence why it does not."""

from __future__ import annotations

import http.client
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from filelock import FileLock, Timeout

from inference.activation import put_back
from inference.errors import InferenceError, ModelFailed
from inference.external.address import origin
from inference.external.choice import answers_elsewhere, chosen
from inference.fetch import FetchError, ensure_installed
from inference.fetch.console import ConsoleReport
from inference.gguf_check import check_header
from inference.installed import LocalModel, active_model
from inference.models import stored_choice
from inference.probe.store import PROBES
from inference.supervise import status
from inference.supervise.handle import Handle
from inference.supervise.ports import PortState, free_port, probe, reachable_host
from inference.supervise.processes import Mark, end_all
from inference.supervise.supervisor import ChildSpec, KeeperMaker, Places, Supervisor
from inference.switching.keeper import ModelKeeper, ModelSpec
from inference.switching.machine import Target
from inference.tuning.store import options_of
from projects.owner import local_owner
from ragsite.owner import someone_can_sign_in
from study.queue import READER

LEFTOVER_GRACE_S = 5.0
PROBE_TIMEOUT_S = 1.0
INFERENCE_HOST = "127.0.0.1"


class CannotStart(Exception):
    """Readahead does not start; the text is one sentence that says why and what to do."""


def launch(say: Callable[[str], None]) -> None:
    """Run Readahead until it is asked to stop. Raises CannotStart."""
    with _only_instance(settings.RUN_DIR):
        _log_to(settings.HOME / "logs" / "up.log")
        end_all(Mark(settings.RUN_DIR), LEFTOVER_GRACE_S)
        _drop_incoming(Path(settings.FILE_UPLOAD_TEMP_DIR))
        require_port(settings.HOST, settings.PORT)
        say("Getting the data folder ready …")
        call_command("migrate", verbosity=0, interactive=False)
        local_owner()
        require_account()
        elsewhere = _answered_elsewhere()
        if not elsewhere:
            _install_model()
        connections.close_all()
        places = Places(settings.RUN_DIR, settings.HOME / "logs", settings.BASE_DIR)
        say(f"Starting web and worker; {elsewhere} answers …" if elsewhere else "Starting web, worker and model …")
        keepers = {} if elsewhere else {"inference": _model_keeper()}
        supervisor = Supervisor(children(), places, say, keepers)
        supervisor.run(_address(settings.HOST, settings.PORT), web_answers)


@contextmanager
def _only_instance(run_dir: Path) -> Iterator[None]:
    lock = FileLock(run_dir / "up.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        running = status.read(run_dir)
        where = f": {running.address}" if running else " and is still starting."
        raise CannotStart(f"Readahead runs with this data folder already{where}") from None
    try:
        yield
    finally:
        lock.release()


def _drop_incoming(folder: Path) -> None:
    """Delete the uploads that a killed web process left half way; none runs now."""
    for path in folder.iterdir():
        path.unlink()


def require_port(host: str, port: int) -> None:
    """Check that the web server can listen. Raises CannotStart."""
    match probe(host, port):
        case PortState.TAKEN:
            other = next(other for other in range(port + 1, 65536) if probe(host, other) is PortState.FREE)
            raise CannotStart(f"Port {port} is taken by another program. Start with another one: PORT={other} make run")
        case PortState.FORBIDDEN:
            raise CannotStart(f"Port {port} is reserved for administrators. Start with another one: PORT=8642 make run")
        case PortState.NO_SUCH_ADDRESS:
            raise CannotStart(f"READAHEAD_HOST={host} is not an address of this machine.")


def require_account() -> None:
    """Check that somebody can sign in where everybody has to. Raises CannotStart."""
    if settings.OPENS_AS_OWNER or someone_can_sign_in():
        return
    raise CannotStart(
        f"On {settings.HOST} everybody has to sign in, and no account has a password yet. Give one to the owner of "
        "what is here already (manage.py changepassword owner), or make another account (manage.py createsuperuser)."
    )


def _answered_elsewhere() -> str:
    """Return the address of the server that answers in place of the local model, empty for none. Raises CannotStart."""
    try:
        server = chosen()
    except ModelFailed as error:
        raise CannotStart(error.message) from error
    return origin(server.server.url) if server else ""


def _install_model() -> None:
    """Fetch the model to serve unless it is there."""
    model = _model()
    if model.entry is None:
        _require_usable(model)
        return
    report = ConsoleReport(sys.stdout, model.id)
    try:
        ensure_installed(model.entry, settings.MODELS_DIR, report)
    except FetchError as error:
        raise CannotStart(str(error)) from error
    finally:
        report.close()


def _require_usable(model: LocalModel) -> None:
    """Check the header of a file of one's own; the rest its process tells. Raises CannotStart."""
    try:
        check_header(model.path)
    except ModelFailed as error:
        raise CannotStart(error.message) from error


def _model() -> LocalModel:
    """Return the model to serve; a file of one's own must be there. Raises CannotStart."""
    try:
        model = active_model(stored_choice(), settings.MODELS_DIR)
    except InferenceError as error:
        raise CannotStart(error.message) from error
    finally:
        connections.close_all()
    if model.state == "missing":
        raise CannotStart(f"The chosen model is gone: {model.path}. Choose another one: manage.py models activate ID")
    return model


def children() -> list[ChildSpec]:
    """Return the processes that make up Readahead beside the model, each with the command of its next start."""
    manage = [sys.executable, str(settings.BASE_DIR / "manage.py")]
    return [
        ChildSpec("web", lambda: [*manage, "serve"]),
        ChildSpec("worker", lambda: [*manage, "qcluster"]),
        # Named by its environment: the queue's settings are read before any command is.
        ChildSpec("reader", lambda: [*manage, "qcluster"], {"Q_CLUSTER_NAME": READER}),
        ChildSpec("fetcher", lambda: [*manage, "fetcher"]),
    ]


def _model_keeper() -> KeeperMaker:
    """Return what makes the keeper of the model's process."""
    port = 0

    def command(model: Target) -> Sequence[str]:
        nonlocal port  # kept from start to start, unless another program took it meanwhile
        port = free_port(INFERENCE_HOST, port)
        options = {
            "--model": model.path,
            "--name": model.id,
            "--port": port,
            "--run-dir": settings.RUN_DIR,
            "--probes": settings.MODELS_DIR / PROBES,
            "--snapshots": settings.SNAPSHOTS_DIR,
            "--quota": settings.SNAPSHOT_QUOTA,
        }
        words = [str(word) for pair in options.items() for word in pair]
        return [sys.executable, "-m", "inference.service", *words, *model.options]

    idle_s = 60.0 * settings.IDLE_UNLOAD_MIN
    spec = ModelSpec(_target, command, _put_back, idle_s, wanted=lambda: not answers_elsewhere())

    def make(handle: Handle, say: Callable[[str], None]) -> ModelKeeper:
        return ModelKeeper(spec, settings.RUN_DIR, handle, say)

    return make


def _target() -> Target:
    """Return the chosen model, which is known to be of use. Raises ModelFailed."""
    try:
        model = _model()
        if model.entry is None:
            _require_usable(model)
        elif model.state != "installed":
            raise ModelFailed(f"{model.id} is not installed. Fetch it first.")
        return Target(model.id, str(model.path), options_of(model))
    except CannotStart as error:
        raise ModelFailed(str(error)) from error
    finally:
        connections.close_all()


def _put_back(failed: Target, previous: Target) -> None:
    try:
        put_back(failed, previous)
    finally:
        connections.close_all()


def web_answers() -> bool:
    """Tell whether the web process answers, well or badly."""
    connection = http.client.HTTPConnection(reachable_host(settings.HOST), settings.PORT, timeout=PROBE_TIMEOUT_S)
    try:
        connection.request("GET", "/health/")
        return connection.getresponse().status in (200, 503)
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _address(host: str, port: int) -> str:
    """Return the address to open in a browser on this machine."""
    name = host if host == "localhost" else reachable_host(host)
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def _log_to(path: Path) -> None:
    """Send what this process logs to a file: the terminal is for sentences."""
    os.environ.setdefault("READAHEAD_LOG_LEVEL", "INFO")  # of the children
    handler = logging.FileHandler(path)
    handler.setFormatter(logging.Formatter("{asctime} {levelname} {name}: {message}", style="{"))
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
