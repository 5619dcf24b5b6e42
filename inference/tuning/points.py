"""Each thing that can be set about a model: what is automatic and why, what is set, and what each choice costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inference.engine.budget import SMALLEST_WINDOW, STEP, WISHED_WINDOW, Costs, needed
from inference.engine.plan import EXACT
from inference.errors import ModelFailed
from inference.fetch.sizes import human_bytes, human_seconds
from inference.probe.rows import Row
from inference.tuning.outlook import Ground, Outcome, outcome, wish_of
from inference.tuning.overrides import (
    KV_CHOICES,
    LARGEST_WINDOW,
    MOST_CONVERSATIONS,
    MOST_LAYERS,
    Limits,
    Overrides,
)

NOT_MEASURED = "not measured yet"
ENOUGH = "That is about forty pages; a larger window takes a processor minutes to fill."
SHOWN_CONVERSATIONS = (1, 2, 4)
SHOWN_THREADS = 16
"""Beyond so many threads only what was measured is listed."""


@dataclass(frozen=True)
class Choice:
    """One value that can be set, and what it costs; `chosen` when it is set."""

    value: str
    label: str
    consequence: str
    chosen: bool = False


@dataclass(frozen=True)
class Point:
    """One thing that can be set.

    `automatic` is the value without a setting, `reason` the sentence that says why; `value` is what is set, empty for
    nothing. Where `least` is None one of `choices` is picked, else a number from `least` to `most` is typed and
    `choices` are examples.
    """

    name: str
    label: str
    automatic: str
    reason: str
    value: str
    choices: tuple[Choice, ...] = ()
    least: int | None = None
    most: int = 0
    step: int = 1


@dataclass(frozen=True)
class Known:
    """What the panel is made from.

    `ground` is under the settings as they are; `by_threads` are the rows that were measured with each number of
    threads, `trained_window` is 0 where nothing is known of the model.
    """

    model: str
    ground: Ground
    overrides: Overrides
    limits: Limits
    by_threads: Mapping[int, Sequence[Row]]
    trained_window: int = 0


def points_of(known: Known) -> tuple[Point, ...]:
    """Return all of them; layers only where there is a graphics card."""
    layers = [_layers(known)] if known.limits.gpu else []
    return (_window(known), _kv(known), _attention(known), _threads(known), *layers, _conversations(known))


def consequence(ground: Ground, overrides: Overrides) -> str:
    """Return what settings cost: bytes for each token, the window that comes of it, and speeds, as measured."""
    try:
        made = outcome(ground, overrides)
    except ModelFailed as error:
        return error.message
    parts = [NOT_MEASURED] if made.row is None else []
    if made.row and made.row.costs:
        parts = [f"{made.row.costs.cache.per_token:,.0f} bytes a token", _tokens(made.window), speeds(made.row)]
    return " · ".join(parts) + (f". {made.note}" if made.note else "")


def speeds(row: Row) -> str:
    """Return the measured speeds of a row in words."""
    return f"reads {row.prefill_tps:,.0f} and writes {row.decode_tps:,.0f} tokens a second"


def _tokens(window: int | None) -> str:
    return f"window {window:,}" if window else "window unknown"


def _without(known: Known, **fields: None) -> Outcome | str:
    """Return what comes of the settings without some of them, or why nothing does."""
    try:
        return outcome(known.ground, replace(known.overrides, **fields))
    except ModelFailed as error:
        return error.message


def _window(known: Known) -> Point:
    made = _without(known, window=None)
    automatic, reason = "unknown", made if isinstance(made, str) else "Nothing is known of this model yet."
    if isinstance(made, Outcome) and made.share:
        automatic = f"{made.share.window:,} tokens"
        reason = next((note for note in made.share.notes if "window" in note), ENOUGH)
    return Point(
        name="window",
        label="Window",
        automatic=automatic,
        reason=reason,
        value=_typed(known.overrides.window),
        choices=_windows(known),
        least=SMALLEST_WINDOW,
        most=LARGEST_WINDOW // STEP * STEP,
        step=STEP,
    )


def _windows(known: Known) -> tuple[Choice, ...]:
    """Return windows of doubling size with the memory they take and the time it takes to fill them."""
    try:
        made = outcome(known.ground, replace(known.overrides, window=None))
    except ModelFailed:
        return ()
    if made.costs is None:
        return ()
    top = min(known.trained_window or WISHED_WINDOW, 8 * WISHED_WINDOW)
    sizes = [2 * SMALLEST_WINDOW << power for power in range(8) if 2 * SMALLEST_WINDOW << power <= top]
    return tuple(_one_window(known, made, made.costs, size) for size in sizes)


def _one_window(known: Known, made: Outcome, costs: Costs, size: int) -> Choice:
    conversations = wish_of(known.overrides).conversations
    parts = [f"{human_bytes(needed(costs, size, conversations))} in all"]
    try:
        got = outcome(known.ground, replace(known.overrides, window=size)).share
    except ModelFailed:
        got = None
    if got and got.window < size:
        parts.append(f"more than this machine gives: {got.window:,} fit")
    elif got and got.conversations < conversations:
        parts.append("for one conversation only")
    parts.append(f"{human_seconds(size / made.row.prefill_tps)} to fill" if made.row else NOT_MEASURED)
    return Choice(str(size), f"{size:,}", " · ".join(parts), known.overrides.window == size)


def _kv(known: Known) -> Point:
    made = _without(known, kv=None)
    return Point(
        name="kv",
        label="Type of the cache",
        automatic=made.flags.kv if isinstance(made, Outcome) else "unknown",
        reason=made.reason if isinstance(made, Outcome) else made,
        value=known.overrides.kv or "",
        choices=tuple(
            Choice(kv, kv, consequence(known.ground, replace(known.overrides, kv=kv)), known.overrides.kv == kv)
            for kv in KV_CHOICES
        ),
    )


def _attention(known: Known) -> Point:
    made = _without(known, flash_attention=None)
    on_off = (("on", True), ("off", False))
    return Point(
        name="flash_attention",
        label="Flash attention",
        automatic=("on" if made.flags.flash_attention else "off") if isinstance(made, Outcome) else "unknown",
        reason=_why_attention(made) if isinstance(made, Outcome) else made,
        value={True: "on", False: "off", None: ""}[known.overrides.flash_attention],
        choices=tuple(
            Choice(
                word,
                word,
                consequence(known.ground, replace(known.overrides, flash_attention=on)),
                known.overrides.flash_attention is on,
            )
            for word, on in on_off
        ),
    )


def _why_attention(made: Outcome) -> str:
    if not made.flags.flash_attention:
        return "Its kernels round otherwise from 64 tokens on, so what is restored would differ from what is read."
    return "Quantized values need it." if made.flags.type_v != EXACT.type_v else made.reason


def _threads(known: Known) -> Point:
    return Point(
        name="threads",
        label="Threads",
        automatic=str(known.ground.machine.cores),
        reason="One for each core of the processor; its hardware threads gain nothing.",
        value=_typed(known.overrides.threads),
        choices=tuple(
            Choice(str(count), str(count), _with_threads(known, count), known.overrides.threads == count)
            for count in range(1, known.limits.threads + 1)
            if count <= SHOWN_THREADS or known.by_threads.get(count)
        ),
        least=1,
        most=known.limits.threads,
    )


def _with_threads(known: Known, count: int) -> str:
    rows = known.by_threads.get(count, ())
    if not rows:
        return NOT_MEASURED
    try:
        row = outcome(replace(known.ground, rows=rows), known.overrides).row
    except ModelFailed as error:
        return error.message
    return speeds(row) if row else NOT_MEASURED


def _layers(known: Known) -> Point:
    return Point(
        name="gpu_layers",
        label="Layers on the graphics card",
        automatic="all",
        reason="The card is faster; fewer are for a card with too little memory.",
        value=_typed(known.overrides.gpu_layers),
        # What was measured was measured with as many as are set now.
        choices=(Choice(_typed(known.overrides.gpu_layers), "as set", consequence(known.ground, known.overrides)),),
        least=0,
        most=MOST_LAYERS,
    )


def _conversations(known: Known) -> Point:
    made = _without(known, conversations=None)
    share = made.share if isinstance(made, Outcome) else None
    usual = wish_of(Overrides()).conversations
    reason = "Two people, or two tabs, are answered side by side; more wait in line."
    if isinstance(made, str):
        reason = made
    elif share and share.conversations < usual:
        reason = "More would take memory that the window needs."
    return Point(
        name="conversations",
        label="Conversations at once",
        automatic=str(share.conversations if share else usual),
        reason=reason,
        value=_typed(known.overrides.conversations),
        choices=tuple(_at_once(known, count) for count in SHOWN_CONVERSATIONS),
        least=1,
        most=MOST_CONVERSATIONS,
    )


def _at_once(known: Known, count: int) -> Choice:
    try:
        share = outcome(known.ground, replace(known.overrides, conversations=count)).share
    except ModelFailed as error:
        return Choice(str(count), str(count), error.message)
    said = NOT_MEASURED
    if share:
        fewer = f"{share.conversations} fit · " if share.conversations < count else ""
        said = f"{fewer}window {share.window:,} · {human_bytes(share.bytes)} in all"
    return Choice(str(count), str(count), said, known.overrides.conversations == count)


def _typed(number: int | None) -> str:
    return "" if number is None else str(number)
