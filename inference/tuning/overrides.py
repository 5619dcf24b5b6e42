"""What a person sets instead of what is automatic: as typed into a form, and as words of the service's command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Self

from inference.engine.budget import SMALLEST_WINDOW, STEP
from inference.errors import InferenceError

KV_CHOICES = ("f16", "q8_0", "q4_0")
"""Types of cached keys and values, the exact one first."""
LARGEST_WINDOW = 1 << 20
MOST_CONVERSATIONS = 8
MOST_LAYERS = 999
AUTOMATIC = ("", "auto", "automatic")
"""What stands for nothing set."""
_SWITCH = {"on": True, "off": False}
_WORDS = {True: "on", False: "off"}


class BadSetting(InferenceError):
    """A setting that makes no sense; the message says why and what would."""

    code = "bad_setting"
    retry = False


@dataclass(frozen=True)
class Overrides:
    """How a model is to be run; None leaves a point to Readahead.

    `window` in tokens, a multiple of `STEP`; `kv` is the type of keys and values alike; `gpu_layers` are computed on
    the graphics card.
    """

    window: int | None = None
    kv: str | None = None
    flash_attention: bool | None = None
    threads: int | None = None
    gpu_layers: int | None = None
    conversations: int | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The settings as options of `python -m inference.service`."""
        options = {
            "--window": self.window,
            "--type-k": self.kv,
            "--flash-attention": None if self.flash_attention is None else _WORDS[self.flash_attention],
            "--threads": self.threads,
            "--gpu-layers": self.gpu_layers,
            "--conversations": self.conversations,
        }
        return tuple(str(word) for pair in options.items() if pair[1] is not None for word in pair)

    @classmethod
    def of_words(cls, words: Iterable[str]) -> Self:
        """Read what `words` gave. Raises ValueError or KeyError for anything else."""
        given = list(words)
        options = dict(zip(given[::2], given[1::2], strict=True))
        attention = options.pop("--flash-attention", None)
        made = cls(
            window=_whole(options.pop("--window", None)),
            kv=options.pop("--type-k", None),
            flash_attention=None if attention is None else _SWITCH[attention],
            threads=_whole(options.pop("--threads", None)),
            gpu_layers=_whole(options.pop("--gpu-layers", None)),
            conversations=_whole(options.pop("--conversations", None)),
        )
        if options:
            raise ValueError(next(iter(options)))
        return made


@dataclass(frozen=True)
class Limits:
    """What can be set on this machine: threads at most, and whether there is a graphics card to compute on."""

    threads: int
    gpu: bool = False


def parse(form: Mapping[str, str], limits: Limits) -> Overrides:
    """Return what a form or a command line asks for; absent fields are automatic. Raises BadSetting.

    A window that is no multiple of `STEP` is rounded down to one. One beyond the machine or the model is taken: it is
    cut at the start of the model, which says so, since memory may be added and the same file moved.
    """
    window = _number(form, "window", "window in tokens", SMALLEST_WINDOW, LARGEST_WINDOW)
    gpu_layers = _number(form, "gpu_layers", "number of layers", 0, MOST_LAYERS)
    if gpu_layers is not None and not limits.gpu:
        raise BadSetting("The llama.cpp that is installed here computes on no graphics card, so it takes no layers.")
    return Overrides(
        window=None if window is None else window // STEP * STEP,
        kv=_one_of(form, "kv", "type of the cache", KV_CHOICES),
        flash_attention=_SWITCH.get(_one_of(form, "flash_attention", "flash attention", tuple(_SWITCH)) or ""),
        threads=_threads(form, limits.threads),
        gpu_layers=gpu_layers,
        conversations=_number(form, "conversations", "number of conversations", 1, MOST_CONVERSATIONS),
    )


def typed(overrides: Overrides) -> dict[str, str]:
    """Return settings as they would be typed for `parse`; what is automatic is empty."""
    values = asdict(overrides)
    if overrides.flash_attention is not None:
        values["flash_attention"] = _WORDS[overrides.flash_attention]
    return {name: "" if value is None else str(value) for name, value in values.items()}


def _threads(form: Mapping[str, str], most: int) -> int | None:
    threads = _number(form, "threads", "number of threads", 1, 1 << 16)
    if threads is not None and threads > most:
        raise BadSetting(
            f"{threads} threads are more than this machine computes at once: it has {most}. "
            "Beyond that they only get into each other's way."
        )
    return threads


def _typed(form: Mapping[str, str], name: str) -> str:
    text = form.get(name, "").strip().lower()
    return "" if text in AUTOMATIC else text


def _number(form: Mapping[str, str], name: str, what: str, least: int, most: int) -> int | None:
    """Return a whole number between the two, None for an automatic one. Raises BadSetting."""
    text = _typed(form, name)
    if not text:
        return None
    try:
        value = int(text.replace(",", ""))
    except ValueError:
        raise BadSetting(
            f"'{text[:40]}' is no {what}. Give a whole number, or nothing for the automatic one."
        ) from None
    if value < least:
        raise BadSetting(f"The {what} must be at least {least:,}; {value:,} is too little to work with.")
    if value > most:
        raise BadSetting(f"The {what} can be {most:,} at most.")
    return value


def _one_of(form: Mapping[str, str], name: str, what: str, choices: tuple[str, ...]) -> str | None:
    text = _typed(form, name)
    if text and text not in choices:
        raise BadSetting(f"'{text[:40]}' is no choice for {what}. There are {', '.join(choices)} and automatic.")
    return text or None


def _whole(text: str | None) -> int | None:
    return None if text is None else int(text)
