"""What a person has set for each model: kept as rows, handed to the start of the model, which follows a change."""

from __future__ import annotations

import logging
from dataclasses import asdict

from django.conf import settings
from django.db import transaction

from inference.errors import ModelFailed, UnknownModel
from inference.installed import LocalModel, active_model, lookup
from inference.models import Measurement, ModelSettings, stored_choice
from inference.switching.bells import ring_choice
from inference.switching.machine import Target
from inference.tuning.overrides import Overrides

logger = logging.getLogger(__name__)


def model_here(model_id: str) -> LocalModel:
    """Return a model whose file is here: in the models folder, or the chosen one wherever it lies.

    Raises UnknownModel or ModelFailed.
    """
    active = _chosen()
    model = active if active and active.id == model_id else lookup(model_id, settings.MODELS_DIR)
    if model.state != "installed":
        raise ModelFailed(f"{model.id} is not installed. Fetch it first.")
    return model


def overrides_of(model_id: str) -> Overrides:
    """Return what is set for a model; all automatic when nothing is."""
    row = ModelSettings.objects.filter(model_id=model_id).first()
    return _overrides(row) if row else Overrides()


def all_overrides() -> dict[str, Overrides]:
    """Return what is set, by model; those without any setting are left out."""
    return {row.model_id: _overrides(row) for row in ModelSettings.objects.all()}


def options_of(model: LocalModel) -> tuple[str, ...]:
    """Return the words that the service is started with for a model, beside those of every start."""
    return overrides_of(model.id).words


def put(model_id: str, overrides: Overrides) -> bool:
    """Store what is set for a model; return whether anything changed.

    If it is the chosen one, a running Readahead starts it anew under these settings, as when another one is chosen.
    """
    if not _store(model_id, overrides):
        return False
    if is_chosen(model_id):
        transaction.on_commit(lambda: ring_choice(settings.RUN_DIR))
    return True


def put_back(failed: Target, previous: Target) -> bool:
    """Set what a model ran under before settings under which it did not start; False when others were set meanwhile."""
    if failed.id != previous.id or failed.options == previous.options:
        return False
    try:
        before = Overrides.of_words(previous.options)
    except (KeyError, ValueError):
        logger.warning("what %s was started with is not understood and not put back", previous.id)
        return False
    with transaction.atomic():
        if overrides_of(failed.id).words != failed.options:
            return False
        return _store(failed.id, before)


def forget(model_id: str) -> None:
    """Drop what is set for a model whose file is deleted, and its measurement: another one may get its name."""
    ModelSettings.objects.filter(model_id=model_id).delete()
    Measurement.objects.filter(model_id=model_id).delete()


def is_chosen(model_id: str) -> bool:
    """Tell whether a model is the one that is used, or will be."""
    chosen = _chosen()
    return chosen is not None and chosen.id == model_id


def _store(model_id: str, overrides: Overrides) -> bool:
    if overrides == overrides_of(model_id):
        return False
    if overrides == Overrides():
        ModelSettings.objects.filter(model_id=model_id).delete()
    else:
        fields = {**asdict(overrides), "kv": overrides.kv or ""}
        ModelSettings.objects.update_or_create(model_id=model_id, defaults=fields)
    return True


def _overrides(row: ModelSettings) -> Overrides:
    return Overrides(row.window, row.kv or None, row.flash_attention, row.threads, row.gpu_layers, row.conversations)


def _chosen() -> LocalModel | None:
    """Return the model that is used, or will be; None when what was chosen is gone."""
    try:
        return active_model(stored_choice(), settings.MODELS_DIR)
    except UnknownModel:
        return None
