"""How a model runs, looked up and set from a terminal: the options of `manage.py models settings`."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any, TypedDict

from inference.installed import LocalModel
from inference.tuning.overrides import Overrides, parse, typed
from inference.tuning.service import apply, foreseen, limits
from inference.tuning.store import overrides_of

OPTIONS = {
    "window": "tokens for each conversation",
    "kv": "type of cached keys and values: f16, q8_0 or q4_0",
    "flash_attention": "on or off",
    "threads": "threads that compute",
    "gpu_layers": "layers on the graphics card, if there is one",
    "conversations": "conversations that are answered at once",
}


class SettingsAnswer(TypedDict):
    """What is set, null for what is automatic; `message` says what it comes to."""

    window: int | None
    kv: str | None
    flash_attention: bool | None
    threads: int | None
    gpu_layers: int | None
    conversations: int | None
    message: str


def add_options(action: ArgumentParser) -> None:
    """Add the options; without any of them the settings are shown."""
    for name, text in OPTIONS.items():
        action.add_argument(
            f"--{name.replace('_', '-')}", metavar="VALUE", help=f"{text}; 'auto' for the automatic one"
        )
    action.add_argument(
        "--automatic", action="store_true", help="make everything automatic, but what is named beside it"
    )


def change(model: LocalModel, options: Mapping[str, Any]) -> SettingsAnswer:
    """Set what is named, leave the rest as it was, and return how it is then. Raises BadSetting and ModelFailed."""
    named = {name: options[name] for name in OPTIONS if options.get(name) is not None}
    before = overrides_of(model.id)
    if not named and not options.get("automatic"):
        return _answer(before, foreseen(model, before))
    wanted = parse({**typed(Overrides() if options.get("automatic") else before), **named}, limits())
    return _answer(wanted, apply(model, wanted))


def _answer(overrides: Overrides, message: str) -> SettingsAnswer:
    return {
        "window": overrides.window,
        "kv": overrides.kv,
        "flash_attention": overrides.flash_attention,
        "threads": overrides.threads,
        "gpu_layers": overrides.gpu_layers,
        "conversations": overrides.conversations,
        "message": message,
    }
