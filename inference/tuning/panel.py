"""The advanced panel of a model: each point with what is automatic and why, what is set, and what each choice costs.

Pure: what is known of model and machine is handed in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inference.engine.budget import SMALLEST_WINDOW, STEP, WISHED_WINDOW, Costs, Wish, needed
from inference.engine.plan import EXACT
from inference.errors import ModelFailed
from inference.fetch.sizes import human_bytes, human_seconds
from inference.probe.rows import Candidate, Row, choose
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
class Line:
    """A measured set of flags: `figures` are bytes a token, both speeds and the window, or `error` says why not."""

    kv: str
    attention: str
    figures: tuple[str, ...]
    error: str
    automatic: bool


@dataclass(frozen=True)
class Panel:
    """All of it. `result` says what the settings come to, `notes` what of them cannot be had or has to give way.

    `lines` are what was measured, empty before that; one of them is what comes without settings, for `reason`.
    """

    model: str
    points: tuple[Point, ...]
    result: str
    notes: tuple[str, ...]
    lines: tuple[Line, ...]
    reason: str
    is_set: bool


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


def panel_of(known: Known) -> Panel:
    """Return the panel."""
    points = [_window(known), _kv(known), _attention(known), _threads(known)]
    if known.limits.gpu:
        points.append(_layers(known))
    points.append(_conversations(known))
    result, notes = summary(known.ground, known.overrides)
    lines, reason = _measured(known)
    return Panel(known.model, tuple(points), result, notes, lines, reason, known.overrides != Overrides())


def summary(ground: Ground, overrides: Overrides) -> tuple[str, tuple[str, ...]]:
    """Return what settings come to, as a sentence, and what has to be said besides."""
    try:
        made = outcome(ground, overrides)
    except ModelFailed as error:
        return error.message, ()
    notes = (made.note,) if made.note else ()
    if made.share is None:
        return f"It runs with {made.flags}.", notes
    side = "one conversation" if made.share.conversations == 1 else f"{made.share.conversations} conversations"
    size = human_bytes(made.share.bytes)
    said = f"It runs with {made.flags}; the window holds {made.share.window:,} tokens for {side}, {size} in all."
    return said, (*notes, *made.share.notes)


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


def _measured(known: Known) -> tuple[tuple[Line, ...], str]:
    """Return what was measured, and why one of the lines is what comes without settings."""
    try:
        choice = choose(known.ground.rows, known.ground.machine, Wish())
    except ModelFailed as error:  # this machine is too small for all of them
        refusal = error.message if known.ground.rows else ""
        return tuple(_line(Candidate(row, None, refusal), automatic=False) for row in known.ground.rows), refusal
    lines = (_line(candidate, automatic=candidate is choice.chosen) for candidate in choice.candidates)
    return tuple(lines), choice.reason


def _line(candidate: Candidate, *, automatic: bool) -> Line:
    row, window = candidate.row, candidate.share.window if candidate.share else 0
    per_token = row.costs.cache.per_token if row.costs else 0.0
    figures = (f"{per_token:,.0f}", f"{row.prefill_tps:,.1f}/s", f"{row.decode_tps:,.1f}/s", f"{window:,}")
    attention = "on" if row.flags.flash_attention else "off"
    shown = () if candidate.refusal else figures
    return Line(f"{row.flags.type_k}/{row.flags.type_v}", attention, shown, candidate.refusal, automatic)


def _typed(number: int | None) -> str:
    return "" if number is None else str(number)
