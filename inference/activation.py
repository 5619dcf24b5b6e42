"""Choosing the model to serve: it must be here, of use, and not beyond this machine."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from inference.engine.machine import Machine
from inference.errors import ModelFailed
from inference.fitting import fit_of
from inference.installed import LocalModel, lookup, require_usable
from inference.models import ModelChoice
from inference.probe.store import PROBES


def probes_dir() -> Path:
    """Return the folder of the measurements."""
    return Path(settings.MODELS_DIR) / PROBES


def require_installed(model_id: str) -> LocalModel:
    """Return an installed model that can be used. Raises UnknownModel or ModelFailed."""
    model = lookup(model_id, settings.MODELS_DIR)
    if model.state != "installed":
        raise ModelFailed(f"{model.id} is not installed. Fetch it first: manage.py models install {model.id}")
    require_usable(model)
    return model


def activate(model_id: str, machine: Machine) -> LocalModel:
    """Choose a model and return it. Raises UnknownModel or ModelFailed.

    One that this machine cannot run is refused before it takes the place of one that it can.
    """
    model = require_installed(model_id)
    fit = fit_of(model, machine, probes_dir())
    if fit.fits is False:
        raise ModelFailed(fit.message)
    ModelChoice.choose(model.id, "" if model.entry else str(model.path))
    return model
