"""Measuring models in the background: asked for, worked on by the process that fetches, stopped, taken up again."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Q
from django.utils import timezone

from inference.activation import probes_dir
from inference.downloads import bell
from inference.engine.machine import this_machine
from inference.engine.plan import ALL_LAYERS
from inference.errors import InferenceError
from inference.fetch import stamp
from inference.identity import is_alive
from inference.installed import LocalModel, require_usable
from inference.models import Measurement
from inference.probe import store
from inference.probe.rows import Row
from inference.probe.run import PROGRESS, run_probe
from inference.tuning.overrides import Overrides
from inference.tuning.quiet import Around, is_short, look_around, reason_to_stop, reason_to_wait
from inference.tuning.store import model_here, overrides_of

logger = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often it is looked whether a person has stopped it, or asks something."""
PATIENCE = 180
"""So many looks it waits for quiet before downloads get their turn."""
AGAIN_S = 15.0
"""Until one that had to give way tries again."""
UNEXPECTED = "Something unexpected went wrong; logs/fetcher.log says what."

State = Measurement.State
Look = Callable[[], Around]


class Stopped(Exception):
    """The measurement is not this worker's any more."""


class GaveWay(Exception):
    """It has to wait; the text says for what."""


# What a person does


def request(model_id: str) -> Measurement:
    """Put a model in line. Raises UnknownModel, and ModelFailed for one that is not here or of no use."""
    model = _usable(model_id)
    row, made = Measurement.objects.get_or_create(model_id=model.id)
    if not made:
        ended = Measurement.objects.filter(pk=row.pk).exclude(state__in=Measurement.UNFINISHED)
        ended.update(state=State.WAITING, created=timezone.now(), **_afresh())
        row.refresh_from_db()
    transaction.on_commit(lambda: bell.ring(Path(settings.RUN_DIR) / bell.NAME))
    return row


def stop(model_id: str) -> bool:
    """Take a measurement out of line, or end it; return whether there was one."""
    row = Measurement.objects.filter(model_id=model_id, state__in=Measurement.UNFINISHED)
    return row.update(state=State.CANCELLED, **_afresh()) == 1


def is_anything_left() -> bool:
    """Tell whether a measurement is in line or under way."""
    return Measurement.objects.filter(state__in=Measurement.UNFINISHED).exists()


def is_measuring() -> bool:
    """Tell whether a worker that lives measures a model, or is about to: then nothing else should compute."""
    holders = Measurement.objects.filter(state=State.MEASURING).values_list("worker", flat=True)
    return any(is_alive(holder) for holder in holders)


def measured_at(model: LocalModel, threads: int, gpu_layers: int | None) -> float | None:
    """Return when a model was measured last with so many threads and layers, in seconds since the epoch."""
    sha256 = stamp.remembered(model.path)
    if not sha256:
        return None
    layers = ALL_LAYERS if gpu_layers is None else gpu_layers
    return store.measured_at(probes_dir(), store.probe_key(sha256, threads, gpu_layers=layers))


def measure(
    model: LocalModel, overrides: Overrides, say: Callable[[str], None], look: Callable[[], None] = lambda: None
) -> list[Row]:
    """Measure a model under every set of flags, with the threads and layers that are set, and keep the rows.

    See `run_probe` for `say` and `look`. Raises ModelFailed.
    """
    threads = overrides.threads or this_machine().cores
    layers = ALL_LAYERS if overrides.gpu_layers is None else overrides.gpu_layers
    rows = run_probe(model.path, say, ["--threads", str(threads), "--gpu-layers", str(layers)], look)
    store.save(probes_dir(), store.probe_key(stamp.checksum(model.path), threads, gpu_layers=layers), rows)
    return rows


# What the worker does


def measure_once(worker: str, look: Look | None = None, pause: Callable[[float], None] = time.sleep) -> bool:
    """Work on one measurement; return whether there was one. Raises DatabaseError."""
    release(worker)
    row = claim(worker)
    if row is None:
        return False
    try:
        _work(row, look or (lambda: look_around(Path(settings.RUN_DIR))), pause)
    except Stopped:
        logger.info("the measurement of %s was stopped", row.model_id)
    except DatabaseError:
        raise  # no fault of the model: it goes on when the database is there again
    except InferenceError as error:
        _end(row, State.FAILED, error=error.message)
    except Exception:  # the boundary of one measurement: downloads and other measurements go on
        logger.exception("the measurement of %s failed", row.model_id)
        _end(row, State.FAILED, error=UNEXPECTED)
    return True


def release(worker: str) -> int:
    """Put rows whose worker is gone back in line, and those that `worker`, which begins anew, left; return how many."""
    released = 0
    for pk, holder in Measurement.objects.filter(state=State.MEASURING).values_list("pk", "worker"):
        if holder == worker or not is_alive(holder):
            left = Measurement.objects.filter(pk=pk, worker=holder, state=State.MEASURING)
            released += left.update(state=State.WAITING, **_afresh())
    return released


def claim(worker: str) -> Measurement | None:
    """Take the first row in line that is due, and return it."""
    due = Q(until=None) | Q(until__lte=timezone.now())
    for row in Measurement.objects.filter(due, state=State.WAITING):
        mine = {**_afresh(), "worker": worker}
        if Measurement.objects.filter(pk=row.pk, state=State.WAITING).update(state=State.MEASURING, **mine):
            row.refresh_from_db()
            return row
    return None


def _work(row: Measurement, look: Look, pause: Callable[[float], None]) -> None:
    model = _usable(row.model_id)
    try:
        short = is_short(_wait_for_quiet(row, look, pause), model.bytes)
        watch = _Watch(row, look, short=short)
        measure(model, overrides_of(model.id), watch.say, watch.look)
    except GaveWay as reason:
        until = timezone.now() + timedelta(seconds=AGAIN_S)
        _store(row, **{**_afresh(), "state": State.WAITING, "until": until, "note": str(reason)})
        return
    _end(row, State.DONE)


def _usable(model_id: str) -> LocalModel:
    """Return a model that is here and of use. Raises UnknownModel or ModelFailed."""
    model = model_here(model_id)
    require_usable(model)
    return model


def _wait_for_quiet(row: Measurement, look: Look, pause: Callable[[float], None]) -> Around:
    """Return what is around as soon as nothing speaks against beginning. Raises GaveWay and Stopped."""
    reason = ""
    for _ in range(PATIENCE):
        now = look()
        reason = reason_to_wait(now)
        _store(row, note=reason)
        if not reason:
            return now
        pause(LOOK_S)
    raise GaveWay(reason)


class _Watch:
    """Stores how far a measurement is, and ends it when a person has stopped it, or asks and memory is short."""

    def __init__(self, row: Measurement, look: Look, *, short: bool) -> None:
        self._row = row
        self._look = look
        self._short = short
        self._due = 0.0

    def say(self, line: str) -> None:
        """Store what a line says of the progress."""
        if found := PROGRESS.fullmatch(line):
            _store(self._row, done=int(found[1]), total=int(found[2]))

    def look(self) -> None:
        """Raise Stopped or GaveWay when it is to end."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + LOOK_S
        _store(self._row)
        if reason := reason_to_stop(self._look(), short=self._short):
            raise GaveWay(reason)


def _store(row: Measurement, **fields: Any) -> None:
    """Write fields of a row that this worker has in hand. Raises Stopped when it has not any more."""
    mine = Measurement.objects.filter(pk=row.pk, worker=row.worker, state=State.MEASURING)
    if not mine.update(**{"updated": timezone.now(), **fields}):
        raise Stopped


def _end(row: Measurement, state: Measurement.State, error: str = "") -> None:
    try:
        _store(row, state=state, note="", error=error, worker="", until=None)
    except Stopped:
        logger.info("the measurement of %s was stopped", row.model_id)


def _afresh() -> dict[str, Any]:
    """Return the fields of a measurement that begins, or begins again."""
    fields = {"done": 0, "total": 0, "note": "", "error": "", "until": None, "worker": ""}
    return {**fields, "updated": timezone.now()}
