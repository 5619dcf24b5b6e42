"""Choosing the model to serve: it must be here, of use, and not beyond this machine."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import transaction

from inference.catalogue import CATALOGUE
from inference.engine.machine import Machine
from inference.errors import ModelFailed
from inference.fitting import fit_of
from inference.installed import Choice, LocalModel, lookup, require_usable
from inference.models import ModelChoice
from inference.probe.store import PROBES
from inference.switching.bells import ring_choice
from inference.switching.machine import Target
from inference.tuning import store


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
    """Choose a model and return it; a running Readahead changes to it. Raises UnknownModel or ModelFailed.

    One that this machine cannot run is refused before it takes the place of one that it can.
    """
    model = require_installed(model_id)
    fit = fit_of(model, machine, probes_dir(), overrides=store.overrides_of(model.id))
    if fit.fits is False:
        raise ModelFailed(fit.message)
    ModelChoice.choose(model.id, "" if model.entry else str(model.path))
    transaction.on_commit(lambda: ring_choice(settings.RUN_DIR))
    return model


def put_back(failed: Target, previous: Target) -> bool:
    """Choose the model that was in use before one that did not start; False when another one was chosen meanwhile.

    Where it is the same one under other settings, these are put back.
    """
    if failed.id == previous.id:
        return store.put_back(failed, previous)
    return ModelChoice.put_back(_choice_of(failed), _choice_of(previous))


def _choice_of(target: Target) -> Choice:
    return Choice(target.id, "" if _is_listed(target.id) else target.path)


def _is_listed(model_id: str) -> bool:
    return any(entry.id == model_id for entry in CATALOGUE)
