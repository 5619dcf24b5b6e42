"""`manage.py models`: list, install, import and activate models."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, TypedDict

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from inference import installed
from inference.catalogue import find
from inference.errors import InferenceError
from inference.fetch import FetchError, ensure_installed, stamp
from inference.fetch.console import ConsoleReport
from inference.fetch.sizes import human_bytes
from inference.models import ModelChoice, stored_choice


class ModelRow(TypedDict):
    """One model in the answer; `window` (tokens), `kv` (type) and `fits` are null until the model has been probed."""

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


class Command(BaseCommand):
    help = "List, install, import and activate models."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        for name, argument, text in (
            ("list", None, "show the catalogue and the imported files"),
            ("install", "id", "fetch a model of the catalogue and check it"),
            ("import", "path", "add a GGUF file of your own"),
            ("activate", "id", "use an installed model from now on"),
        ):
            action = actions.add_parser(name, help=text, description=text)
            action.add_argument("--json", action="store_true", help="one JSON object on standard output")
            if argument:
                action.add_argument(argument, metavar=argument.upper())

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        try:
            active = installed.active_model(stored_choice(), settings.MODELS_DIR)
            match action:
                case "list":
                    models = _all_and(active)
                case "install":
                    models = [self._install(options["id"])]
                case "import":
                    models = [installed.import_file(Path(options["path"]), settings.MODELS_DIR)]
                case _:
                    models = [_activate(options["id"])]
                    active = installed.active_model(stored_choice(), settings.MODELS_DIR)
        except (FetchError, InferenceError) as error:
            raise CommandError(str(error)) from error
        rows = [row(model, active) for model in models]
        if action == "activate" and not rows[0]["active"]:
            rows[0]["message"] = "chosen, but READAHEAD_MODEL names another one and wins"
        self._show(rows, as_json=options["json"])

    def _install(self, model_id: str) -> installed.LocalModel:
        entry = find(model_id)
        # Standard output belongs to the result; Django would paint what goes to stderr red and break the bar's line.
        self.stderr.style_func, self.stderr.ending = None, ""
        report = ConsoleReport(self.stderr, entry.id)
        try:
            ensure_installed(entry, settings.MODELS_DIR, report)
        except KeyboardInterrupt as stop:
            raise CommandError(
                "Stopped. What has arrived is kept; install goes on from there.", returncode=130
            ) from stop
        finally:
            report.close()
        return installed.of_entry(entry, settings.MODELS_DIR)

    def _show(self, rows: list[ModelRow], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps({"models": rows}, ensure_ascii=False))
            return
        for line in rows:
            mark = "*" if line["active"] else " "
            size = human_bytes(line["bytes"])
            self.stdout.write(f"{mark} {line['id']:<24} {size:>8}  {line['license'] or '':<12} {line['message']}")


def _all_and(active: installed.LocalModel) -> list[installed.LocalModel]:
    models = installed.known_models(settings.MODELS_DIR)
    return models if any(_same(model, active) for model in models) else [*models, active]


def _activate(model_id: str) -> installed.LocalModel:
    model = installed.lookup(model_id, settings.MODELS_DIR)
    if model.state != "installed":
        raise CommandError(f"{model.id} is not installed. Fetch it first: manage.py models install {model.id}")
    installed.require_usable(model)
    ModelChoice.choose(model.id, "" if model.entry else str(model.path))
    return model


def _same(one: installed.LocalModel, other: installed.LocalModel) -> bool:
    return one.path.resolve() == other.path.resolve()


def row(model: installed.LocalModel, active: installed.LocalModel) -> ModelRow:
    """Return a model as the command line shows it."""
    return {
        "id": model.id,
        "name": model.path.name,
        "state": model.state,
        "active": _same(model, active),
        "bytes": model.bytes,
        "sha256": model.entry.sha256 if model.entry else stamp.remembered(model.path),
        "license": model.entry.license if model.entry else None,
        "window": None,
        "kv": None,
        "fits": None,
        "message": _message(model),
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
            return "installed"
