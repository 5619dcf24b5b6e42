"""Whether the reader may take its next step now, and if not, why not."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from django.conf import settings

from inference.contracts import EngineState, Health
from inference.tuning.measuring import is_measuring
from study.models import StudyPause
from study.presence import Clock, Presence, is_present


class Reason(StrEnum):
    """Why nothing is read at the moment, in the words of the page."""

    PAUSED = "paused"
    ON_BATTERY = "on battery"
    NOT_RUNNING = "Readahead is not running"
    MODEL_LOADING = "model loading"
    MODEL_FAILED = "the model could not be loaded"
    ASKING = "someone is asking"
    TYPING = "someone is typing"
    MEASURING = "the model is being measured"
    TRYING_AGAIN = "a step failed and is tried again soon"


class PowerSource(Protocol):
    """Where the machine's power comes from."""

    def on_battery(self) -> bool:
        """Tell whether it runs on its battery now; False where there is none."""


class MachinePower:
    """The power of this machine."""

    def on_battery(self) -> bool:
        """See `PowerSource`."""
        import psutil

        read = getattr(psutil, "sensors_battery", None)  # absent where the system has no such thing
        battery = read() if read is not None else None
        return battery is not None and battery.power_plugged is False


@dataclass(frozen=True)
class Conditions:
    """What the decision depends on, at one moment."""

    paused: bool = False
    on_battery: bool = False
    battery_allowed: bool = False
    asking: bool = False
    typing: bool = False
    measuring: bool = False
    engine: EngineState = EngineState.READY


def reason_to_wait(now: Conditions) -> Reason | None:
    """Return why nothing may be read, None when it may; what a person decided comes before what passes by itself."""
    if now.paused:
        return Reason.PAUSED
    if now.on_battery and not now.battery_allowed:
        return Reason.ON_BATTERY
    if now.engine is EngineState.FAILED:
        return Reason.MODEL_FAILED
    if now.engine is not EngineState.READY:
        return Reason.MODEL_LOADING
    passing = ((now.asking, Reason.ASKING), (now.typing, Reason.TYPING), (now.measuring, Reason.MEASURING))
    return next((reason for holds, reason in passing if holds), None)


def conditions(
    health: Health | Callable[[], Health], power: PowerSource | None = None, clock: Clock = time.time
) -> Conditions:
    """Return the conditions of this moment."""
    engine = health if isinstance(health, Health) else health()
    return Conditions(
        paused=StudyPause.objects.filter(project=None).exists(),
        on_battery=(power or MachinePower()).on_battery(),
        battery_allowed=bool(settings.STUDY_ON_BATTERY),
        asking=is_present(Presence.ASKING, clock),
        typing=is_present(Presence.TYPING, clock),
        measuring=is_measuring(),
        engine=engine.state,
    )
