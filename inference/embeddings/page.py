"""What the models page shows of the model for search by meaning, and of the vectors that are made by it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from inference import embeddings
from inference.contracts import EngineState
from inference.embeddings import choice, kinds, places
from inference.embeddings.health import EmbeddingFailed
from inference.embeddings.indexing import Pace, Standing, provided
from inference.fetch.sizes import human_seconds

WORDS = {
    EngineState.NOT_LOADED: ("not loaded", ""),
    EngineState.LOADING: ("loading", "badge-busy"),
    EngineState.READY: ("ready", "badge-good"),
    EngineState.FAILED: ("could not be loaded", "badge-bad"),
}
AT_REST = "It is loaded when somebody opens a project or searches."

_pace = Pace()
"""Of this process: whoever looks at the page sees the speed of the last minute."""


@dataclass(frozen=True)
class MeaningPage:
    """`name` is the chosen model with its state, `facts` about it, `message` why it is not ready.

    `counts`, `percent` and `left` say how far the vectors are, while they are made (`building`); `serving` is the other
    model that searches use meanwhile, to which one can go back. `suggestions` are names for the form.
    """

    name: str
    words: str
    badge: str
    facts: tuple[str, ...]
    message: str
    building: bool
    counts: str
    percent: int
    left: str
    serving: str
    by_settings: bool
    suggestions: tuple[str, ...]
    is_off: bool

    @property
    def moving(self) -> bool:
        """Whether it will be otherwise in a moment."""
        loading, failed = (WORDS[state][0] for state in (EngineState.LOADING, EngineState.FAILED))
        return self.words == loading or (self.building and self.words != failed)

    @property
    def can_go_back(self) -> bool:
        """Whether a change is under way that a person may call off."""
        return bool(self.serving) and not self.by_settings


def meaning_page() -> MeaningPage:
    """Return what the page shows; loads nothing."""
    from django.conf import settings

    models_dir = Path(settings.MODELS_DIR)
    name, standing, health = embeddings.configured(), provided().standing(), embeddings.state()
    folder, trouble = _folder(name, models_dir)
    words, badge = WORDS[EngineState.FAILED if trouble else health.state]
    off = embeddings.is_off()
    return MeaningPage(
        name=name,
        words="off" if off else words,
        badge="" if off else badge,
        facts=() if off else _facts(folder, health.dim or (0 if standing.building else standing.dim)),
        message=health.message or trouble or ("" if health.state is not EngineState.NOT_LOADED else AT_REST),
        building=standing.is_moving,
        counts=_counts(standing),
        percent=100 * standing.done // standing.total if standing.total else 0,
        left=_left(name, standing),
        serving=standing.serving if standing.building and standing.serving != name else "",
        by_settings=choice.is_by_settings(),
        suggestions=(places.BUNDLED, *kinds.here(models_dir), choice.OFF),
        is_off=off,
    )


def _folder(name: str, models_dir: Path) -> tuple[Path | None, str]:
    """Return where the model lies, or why it cannot be found."""
    if name == choice.OFF:
        return None, ""
    try:
        return places.find_folder(name, models_dir), ""
    except EmbeddingFailed as error:
        return None, error.message


def _facts(folder: Path | None, dim: int) -> tuple[str, ...]:
    facts = [f"{dim:,} dimensions"] if dim else []
    if folder is not None:
        facts.append(f"license {license_}" if (license_ := kinds.license_of(folder)) else "license not stated")
    return tuple(facts)


def _counts(standing: Standing) -> str:
    if not standing.total:
        return ""
    passages = f"{standing.total:,} passage{'s' * (standing.total != 1)}"
    return f"{standing.done:,} of {passages}" if standing.is_moving else f"{passages} can be found by it"


def _left(name: str, standing: Standing) -> str:
    if not standing.is_moving:
        return ""
    seconds = _pace.seconds_left(name, standing.done, standing.total, time.monotonic())
    return f"about {human_seconds(seconds)} left" if seconds else ""
