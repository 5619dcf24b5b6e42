"""`manage.py models`: list, install, import, activate, measure, set and delete models."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from inference import gateway, installed
from inference.activation import activate, probes_dir, require_installed
from inference.catalogue import find
from inference.downloads import service
from inference.engine.budget import Wish
from inference.engine.machine import Machine, this_machine
from inference.errors import InferenceError
from inference.fetch import FetchError, ensure_installed, stamp
from inference.fetch.addresses import job_of_address
from inference.fetch.console import ConsoleReport
from inference.fetch.ensure import ensure
from inference.fetch.sizes import human_bytes
from inference.fitting import fit_of
from inference.models import stored_choice
from inference.probe.rows import choose
from inference.probe.table import ProbeReport, lines, report
from inference.switching.waiting import model_report, require_spare
from inference.tuning import command as tuning
from inference.tuning.command import SettingsAnswer
from inference.tuning.measuring import measure
from inference.tuning.store import overrides_of


class ModelRow(TypedDict):
    """One model in the answer.

    `window` (tokens), `kv` (type of the cache) and `fits` are measured once the model has been probed, estimated before
    that, and null for a model of which nothing is known.
    """

    id: str
    name: str
    state: installed.State
    active: bool
    bytes: int
    sha256: str | None
    license: str | None
    window: int | None
    kv: str | None
    fits: bool | None
    message: str


class Further(TypedDict):
    """`probe` after a probe alone, `settings` after these were asked for or set."""

    probe: NotRequired[ProbeReport]
    settings: NotRequired[SettingsAnswer]


class Answer(Further):
    """What the command prints as JSON."""

    models: list[ModelRow]


class Command(BaseCommand):
    help = "List, install, import, activate, measure, set and delete models."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        for name, argument, text in (
            ("list", None, "show the catalogue and the imported files"),
            ("install", "id", "fetch a model of the catalogue and check it"),
            ("import", "path", "add a GGUF file of your own, by its path or its address"),
            ("activate", "id", "use an installed model from now on"),
            ("probe", "id", "measure an installed model under each set of flags and keep the result"),
            ("settings", "id", "show and set how an installed model runs"),
            ("delete", "id", "delete a model's file, or what has arrived of it"),
        ):
            action = actions.add_parser(name, help=text, description=text)
            action.add_argument("--json", action="store_true", help="one JSON object on standard output")
            if argument:
                action.add_argument(argument, metavar=argument.upper())
            if name == "settings":
                tuning.add_options(action)
            if name == "import":
                action.add_argument("--sha256", default="", help="what the file at the address must have")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        try:
            models, more = self._do(action, options)
            active = _active()
        except (FetchError, InferenceError) as error:
            raise CommandError(str(error)) from error
        machine = this_machine()
        rows = [row(model, active, machine) for model in models]
        if action == "activate" and not rows[0]["active"]:
            rows[0]["message"] = "chosen, but READAHEAD_MODEL names another one and wins"
        elif action == "activate" and model_report(settings.RUN_DIR):
            rows[0]["message"] = "chosen; Readahead changes to it now"
        if action == "delete":
            rows[0]["message"] = "deleted"
        self._show(Answer(models=rows, **more), as_json=options["json"])

    def _do(self, action: str, options: dict[str, Any]) -> tuple[list[installed.LocalModel], Further]:
        """Do what is asked for and return the models it was about, with what else there is to show."""
        more = Further()
        match action:
            case "list":
                models = _all_and(_active())
            case "install":
                models = [self._install(options["id"])]
            case "import":
                models = [self._import(options["path"], options["sha256"])]
            case "probe":
                models = [require_installed(options["id"])]
                more["probe"] = self._probe(models[0])
            case "settings":
                models = [require_installed(options["id"])]
                more["settings"] = tuning.change(models[0], options)
            case "delete":
                require_spare(options["id"], settings.RUN_DIR)
                models = [service.remove(options["id"], gateway.health().model)]
            case _:
                models = [activate(options["id"], this_machine())]
        return models, more

    def _install(self, model_id: str) -> installed.LocalModel:
        entry = find(model_id)
        with self._progress(entry.id) as report:
            ensure_installed(entry, settings.MODELS_DIR, report)
        return installed.of_entry(entry, settings.MODELS_DIR)

    def _import(self, place: str, sha256: str) -> installed.LocalModel:
        if not place.startswith(("http://", "https://")):
            return installed.import_file(Path(place), settings.MODELS_DIR)
        job = job_of_address(place, settings.MODELS_DIR, sha256)
        with self._progress(job.name) as report:
            path = ensure(job, report)
        return next(model for model in installed.known_models(settings.MODELS_DIR) if model.path == path)

    @contextmanager
    def _progress(self, name: str) -> Iterator[ConsoleReport]:
        """Show on stderr how a fetch goes: standard output belongs to the result."""
        # Django would paint what goes to stderr red and break the bar's line.
        self.stderr.style_func, self.stderr.ending = None, ""
        report = ConsoleReport(self.stderr, name)
        try:
            yield report
        except KeyboardInterrupt as stop:
            raise CommandError(
                "Stopped. What has arrived is kept; the same command goes on from there.", returncode=130
            ) from stop
        finally:
            report.close()

    def _probe(self, model: installed.LocalModel) -> ProbeReport:
        """Measure a model on this machine, and keep the result for its next start."""
        self.stderr.style_func = None
        measured = measure(model, overrides_of(model.id), self.stderr.write)
        return report(choose(measured, this_machine(), Wish()))

    def _show(self, answer: Answer, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
            return
        if "probe" in answer:
            self.stdout.write("\n".join([*lines(answer["probe"]), ""]))
        if "settings" in answer:
            self.stdout.write(answer["settings"]["message"])
        for model in answer["models"]:
            mark = "*" if model["active"] else " "
            size = human_bytes(model["bytes"])
            self.stdout.write(f"{mark} {model['id']:<24} {size:>8}  {model['license'] or '':<12} {model['message']}")


def _active() -> installed.LocalModel:
    return installed.active_model(stored_choice(), settings.MODELS_DIR)


def _all_and(active: installed.LocalModel) -> list[installed.LocalModel]:
    models = installed.known_models(settings.MODELS_DIR)
    return models if any(_same(model, active) for model in models) else [*models, active]


def _same(one: installed.LocalModel, other: installed.LocalModel) -> bool:
    return one.path.resolve() == other.path.resolve()


def row(model: installed.LocalModel, active: installed.LocalModel, machine: Machine) -> ModelRow:
    """Return a model as the command line shows it."""
    is_active = _same(model, active)
    fit = fit_of(model, machine, probes_dir(), active=is_active, overrides=overrides_of(model.id))
    return {
        "id": model.id,
        "name": model.path.name,
        "state": model.state,
        "active": is_active,
        "bytes": model.bytes,
        "sha256": model.entry.sha256 if model.entry else stamp.remembered(model.path),
        "license": model.entry.license if model.entry else None,
        "window": fit.window,
        "kv": fit.kv,
        "fits": fit.fits,
        "message": "; ".join(part for part in (_message(model), fit.message) if part),
    }


def _message(model: installed.LocalModel) -> str:
    match model.state:
        case "partial":
            return f"{human_bytes(model.present_bytes)} fetched so far; install goes on from there"
        case "available":
            return "not installed"
        case "missing":
            return "the file is gone"
        case "installed":
            return ""
