"""What must be equal for something learned to be still true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inference.contracts import EngineState, Health
from study.prompts import PROMPT_VERSION


@dataclass(frozen=True)
class Learner:
    """The model that reads, under the prompts of this version; `window` are the tokens that it can have before it.

    `keeps` tells that its state of what it has read can be kept on the disk.
    """

    model_key: str
    window: int
    prompt_version: str = PROMPT_VERSION
    keeps: bool = True

    @property
    def filter(self) -> dict[str, Any]:
        """Return what rows of this learner have in their columns."""
        return {"model_key": self.model_key, "prompt_version": self.prompt_version}


UNKNOWN_WINDOW = 4_096
"""Tokens taken for granted with a server that does not say."""


def learner_of(health: Health) -> Learner | None:
    """Return the model that can read now, or None while there is none."""
    if health.state is not EngineState.READY:
        return None
    return Learner((health.model_key or health.model)[:64], health.window or UNKNOWN_WINDOW, keeps=health.keeps)
