"""What a person does with downloads: ask for one, bring in a file, cancel, try again. Each is safe to do twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from filelock import Timeout

from inference.catalogue import find
from inference.downloads import bell
from inference.errors import ModelFailed
from inference.fetch.addresses import checksum, file_name, job_of_address
from inference.fetch.errors import Unusable
from inference.fetch.jobs import alone
from inference.installed import LocalModel, active_model, delete_file, lookup, of_entry
from inference.models import Download, stored_choice
from inference.tuning.store import forget

State, Kind = Download.State, Download.Kind


def fetch(model_id: str) -> Download:
    """Put a model of the catalogue in line. Raises UnknownModel, and ModelFailed when it is there already."""
    entry = find(model_id)
    if of_entry(entry, settings.MODELS_DIR).state == "installed":
        raise ModelFailed(f"{entry.id} is installed already.")
    return _in_line(entry.file, kind=Kind.CATALOGUE, bytes_total=entry.bytes)


def import_address(address: str, sha256: str = "") -> Download:
    """Put the file at an address in line. Raises ModelFailed for one that cannot be fetched or has its place taken."""
    try:
        job = job_of_address(address, settings.MODELS_DIR, sha256)
        sha256 = checksum(sha256)
    except Unusable as error:
        raise ModelFailed(str(error)) from error
    if job.target.exists():
        raise ModelFailed(f"A model is called {job.target.name} already. Delete it first.")
    origin = job.sources[0].address
    return _in_line(file_name(origin), kind=Kind.ADDRESS, origin=origin, sha256=sha256, bytes_total=job.wanted.bytes)


def import_path(path: str) -> Download:
    """Put a file of this machine in line. Raises ModelFailed when it is no file, or not called like a model."""
    source = Path(path.strip()).expanduser()
    if not source.is_absolute():
        raise ModelFailed("Give the whole path of the file, from the root of the disk on.")
    if source.suffix != ".gguf":
        raise ModelFailed(f"{source.name} is not called like a model. Give it a name that ends in .gguf.")
    if not source.is_file():
        raise ModelFailed(f"There is no file {source}.")
    return _in_line(source.name, kind=Kind.FILE, origin=str(source), bytes_total=source.stat().st_size)


def cancel(pk: int) -> bool:
    """Take a download out of line, or stop it; what has arrived is kept. Return whether there was one to cancel."""
    return _move(pk, Download.UNFINISHED, state=State.CANCELLED, until=None, speed=None, eta_s=None, note="")


def retry(pk: int) -> bool:
    """Put a download that failed or was cancelled in line again; one that waits for a next attempt makes it at once.

    One that a server has asked to wait goes on waiting.
    """
    moved = _move(pk, (State.FAILED, State.CANCELLED, State.WAITING), **_afresh())
    _ring()
    return moved


def drop(pk: int) -> bool:
    """Take a download that failed or was cancelled off the list, with what has arrived of it. Raises ModelFailed."""
    row = Download.objects.filter(pk=pk, state__in=(State.FAILED, State.CANCELLED)).first()
    if row is None:
        return False
    target = Path(settings.MODELS_DIR) / row.file
    if not target.exists():
        _delete(target)
    row.delete()
    return True


def remove(model_id: str, served: str) -> LocalModel:
    """Delete a model's file, or what has arrived of it, and return what it was. Raises UnknownModel and ModelFailed.

    `served` is the name of the model that answers at the moment; it and the chosen one stay.
    """
    model = lookup(model_id, settings.MODELS_DIR)
    if model.id in (served, active_model(stored_choice(), settings.MODELS_DIR).id):
        raise ModelFailed(f"{model.id} is in use. Choose another model and restart Readahead first.")
    rows = Download.objects.filter(file=model.path.name)
    if rows.filter(state__in=Download.UNFINISHED).exists():
        raise ModelFailed(f"{model.id} is being fetched. Cancel that first.")
    _delete(model.path)
    rows.delete()
    forget(model.id)
    return replace(model, present_bytes=0)


def _delete(path: Path) -> None:
    """Delete a file with what is beside it. Raises ModelFailed, also while another process fetches it."""
    try:
        with alone(path, 0):
            delete_file(path)
    except Timeout as error:
        raise ModelFailed(f"{path.name} is just being fetched. Try again in a moment.") from error
    except OSError as error:
        raise ModelFailed(f"{path.parent} cannot be used: {error.strerror}.") from error


def is_anything_left() -> bool:
    """Tell whether a download is in line or in hand."""
    return Download.objects.filter(state__in=Download.UNFINISHED).exists()


def bell_path() -> Path:
    """Return the file that wakes the process that fetches."""
    return Path(settings.RUN_DIR) / bell.NAME


def _ring() -> None:
    transaction.on_commit(lambda: bell.ring(bell_path()))


def _in_line(file: str, **fields: Any) -> Download:
    """Return the row of a file, in line; one that is on its way already stays as it is."""
    row, made = Download.objects.get_or_create(file=file, defaults=fields)
    if not made:
        ended = Download.objects.filter(pk=row.pk).exclude(state__in=Download.UNFINISHED)
        ended.update(**{**_empty(), **fields, **_afresh()}, created=timezone.now())
        row.refresh_from_db()
    _ring()
    return row


def _afresh() -> dict[str, Any]:
    """Return the fields of a download that begins, or begins again with all patience."""
    fields = {"state": State.WAITING, "until": None, "position": None, "note": "", "error": "", "source": ""}
    return {**fields, "speed": None, "eta_s": None, "worker": "", "updated": timezone.now()}


def _empty() -> dict[str, Any]:
    return {"origin": "", "sha256": "", "bytes_done": 0, "bytes_total": 0}


def _move(pk: int, states: tuple[Download.State, ...], **fields: Any) -> bool:
    fields = {"worker": "", "updated": timezone.now(), **fields}
    return Download.objects.filter(pk=pk, state__in=states).update(**fields) == 1
