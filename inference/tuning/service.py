"""Setting how a model runs: what may be set here, what it will come to, and from when on it holds."""

from __future__ import annotations

from django.conf import settings

from inference.activation import probes_dir
from inference.engine.machine import this_machine, threads_at_most
from inference.engine.offload import supports_gpu
from inference.fitting import ground_of, measured_rows, trained_window
from inference.installed import LocalModel
from inference.switching.waiting import model_report
from inference.tuning.outlook import outcome
from inference.tuning.overrides import Limits, Overrides
from inference.tuning.panel import Panel, panel_of, summary
from inference.tuning.points import Known
from inference.tuning.store import is_chosen, overrides_of, put

SET_ALREADY = "That is how it was set already."


def limits() -> Limits:
    """Return what can be set on this machine."""
    return Limits(threads_at_most(), supports_gpu())


def panel_for(model: LocalModel) -> Panel:
    """Return the panel of a model as it is set. Raises ModelFailed for a file that is of no use."""
    overrides, machine, here = overrides_of(model.id), this_machine(), limits()
    by_threads = {
        count: measured_rows(model, probes_dir(), count, overrides.gpu_layers) for count in range(1, here.threads + 1)
    }
    ground = ground_of(model, machine, probes_dir(), overrides)
    return panel_of(Known(model.id, ground, overrides, here, by_threads, trained_window(ground)))


def foreseen(model: LocalModel, overrides: Overrides) -> str:
    """Return what settings will come to, in sentences. Raises ModelFailed when the model cannot run under them."""
    ground = ground_of(model, this_machine(), probes_dir(), overrides)
    outcome(ground, overrides)
    said, notes = summary(ground, overrides)
    return " ".join([said, *notes])


def apply(model: LocalModel, overrides: Overrides) -> str:
    """Set how a model runs and return what comes of it, in sentences; the one in use is started anew under it.

    Raises ModelFailed, and changes nothing, when it cannot run so.
    """
    said = foreseen(model, overrides)
    if not put(model.id, overrides):
        return f"{SET_ALREADY} {said}"
    in_use = model_report(settings.RUN_DIR) is not None and is_chosen(model.id)
    when = f"Set: {model.id} is started anew now." if in_use else f"Set, from the next start of {model.id} on."
    return f"{when} {said}"
