"""What the models page shows: each model with what this machine can give it, its file on the way, and the engine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from inference.clock import time_of_day
from inference.contracts import EngineState, Health
from inference.engine.budget import GIB
from inference.engine.machine import Machine
from inference.fetch.sizes import human_bytes, human_seconds
from inference.fitting import Fit
from inference.installed import LocalModel
from inference.models import Download
from inference.switching.machine import Step
from inference.switching.report import ModelReport, told
from inference.tuning.cards import Tuned

State = Download.State

_BADGES = {State.FAILED: "badge-bad", State.LIMITED: "badge-warn", State.CANCELLED: ""}
_BUSY = "badge-busy"


@dataclass(frozen=True)
class Way:
    """A file on its way: `words` for the badge, `figures` beside the bar, `reason` why it waits.

    `again` and `away` are what going on with it and dropping it are called.
    """

    pk: int
    file: str
    kind: str
    origin: str
    badge: str
    words: str
    percent: int
    figures: str
    reason: str
    error: str
    moving: bool
    can_cancel: bool
    can_retry: bool
    can_drop: bool
    again: str
    away: str


@dataclass(frozen=True)
class Card:
    """A model. `served` answers at the moment, `chosen` from the next start on, `tuned` is how it runs, if here."""

    id: str
    file: str
    size: str
    license: str
    about: str
    fit: str
    fit_badge: str
    speed: str
    state: str
    served: bool
    chosen: bool
    way: Way | None
    partial: str
    can_fetch: bool
    can_use: bool
    can_delete: bool
    tuned: Tuned | None = None

    @property
    def has_actions(self) -> bool:
        """Whether there is anything to do with it, beside what its file on the way offers."""
        return self.can_fetch or self.can_use or self.can_delete


@dataclass(frozen=True)
class Engine:
    """The model service: `badge` and `words` for its state, `percent` while it loads, `notes` about how it runs.

    `news` is what the supervisor says of a change of the model, `trouble` whether that is a failure.
    """

    name: str
    badge: str
    words: str
    percent: int
    loading: bool
    facts: str
    notes: tuple[str, ...]
    news: str = ""
    trouble: bool = False


@dataclass(frozen=True)
class Page:
    """All of it.

    `others` are files on their way that are no model of the list yet; `pending` is chosen and does not answer yet;
    `named` tells that READAHEAD_MODEL decides, `idle` that there is something to fetch and nobody does.
    """

    cards: tuple[Card, ...]
    others: tuple[Way, ...]
    engine: Engine
    memory: str
    pending: str
    named: bool
    idle: bool
    moving: bool
    version: str


@dataclass(frozen=True)
class Surroundings:
    """What the models are seen in.

    `active` is the one to serve, None when it is gone; `fetching` tells that the process that fetches runs; `report` is
    what the supervisor says of the model, None without one. `elsewhere`: a server answers in place of the local model.
    """

    machine: Machine
    active: LocalModel | None
    health: Health
    named: bool
    fetching: bool
    now: datetime
    report: ModelReport | None = None
    elsewhere: bool = False


def way_of(row: Download, now: datetime) -> Way:
    """Return a download as the page shows it."""
    percent = min(100, row.bytes_done * 100 // row.bytes_total) if row.bytes_total else 0
    failed = row.state in (State.FAILED, State.CANCELLED)
    return Way(
        pk=row.pk,
        file=row.file,
        kind=row.kind,
        origin=row.origin.partition("?")[0],
        badge=_BADGES.get(State(row.state), _BUSY),
        words=_words(row, now),
        percent=percent,
        figures=_figures(row),
        reason="" if row.note == State(row.state).label else row.note,
        error=row.error,
        moving=row.is_unfinished,
        can_cancel=row.is_unfinished,
        can_retry=failed or (row.state == State.WAITING and row.until is not None),
        can_drop=failed,
        again="Try now" if row.is_unfinished else "Try again" if row.error else "Go on",
        away="Delete what has arrived" if row.kind != Download.Kind.FILE and row.bytes_done else "Take off the list",
    )


def _words(row: Download, now: datetime) -> str:
    if row.until and row.state in Download.IN_LINE:
        what = "rate-limited" if row.state == State.LIMITED else "waiting"
        seconds = max(0.0, (row.until - now).total_seconds())
        return f"{what}, goes on at {time_of_day(row.until, now)} (in {human_seconds(seconds)})"
    if row.state == State.WAITING:
        return "in line"
    return str(State(row.state).label)


def _figures(row: Download) -> str:
    if not row.bytes_total:
        return f"{human_bytes(row.bytes_done)} so far" if row.bytes_done else ""
    if row.state == State.FAILED and not row.bytes_done:
        return human_bytes(row.bytes_total)
    parts = [f"{human_bytes(row.bytes_done)} of {human_bytes(row.bytes_total)}"]
    if row.state == State.FETCHING:
        parts += [f"{human_bytes(row.speed)}/s"] if row.speed else []
        parts += [f"{human_seconds(row.eta_s)} left"] if row.eta_s else []
        parts += [f"from {row.source}"] if row.source else []
    return " · ".join(parts)


def card_of(model: LocalModel, fit: Fit, around: Surroundings, way: Way | None) -> Card:
    """Return a model as the page shows it, with its file on the way if there is one."""
    health, active = around.health, around.active
    served = health.state in (EngineState.READY, EngineState.LOADING) and health.model == model.id
    chosen = active is not None and model.path == active.path
    here = model.state == "installed"
    moving = way is not None and way.moving
    if way and way.kind == Download.Kind.CATALOGUE and here and not moving:
        way = None  # it came by another way meanwhile
    return Card(
        id=model.id,
        file=model.path.name,
        size=human_bytes(model.bytes),
        license=model.entry.license if model.entry else "",
        about=model.entry.about if model.entry else "",
        fit=fit.message.rstrip("."),
        fit_badge=_fit_badge(fit),
        speed=_speed(fit, health if served else None),
        state=model.state,
        served=served,
        chosen=chosen,
        way=way,
        partial=f"{human_bytes(model.present_bytes)} are here already" if model.state == "partial" else "",
        can_fetch=model.state in ("available", "partial") and way is None,
        can_use=here and not chosen and fit.fits is not False,
        can_delete=model.state in ("installed", "partial") and not (served or chosen or moving),
    )


def _fit_badge(fit: Fit) -> str:
    if fit.fits is None:
        return ""
    return "badge-bad" if not fit.fits else "badge-warn" if fit.tight else "badge-good"


def _speed(fit: Fit, health: Health | None) -> str:
    """Return the speeds that a probe has measured, else those of the model that answers at the moment."""
    read, write = fit.read_tps, fit.write_tps
    if read is None and health:
        read, write = health.prefill_tps, health.decode_tps
    if not read or not write:
        return ""
    return f"reads {read:,.0f} and writes {write:,.0f} tokens a second"


def engine_of(health: Health) -> Engine:
    """Return the service as the page shows it."""
    words, badge = {
        EngineState.READY: ("ready", "badge-good"),
        EngineState.LOADING: ("loading", _BUSY),
        EngineState.FAILED: ("could not be loaded", "badge-bad"),
        EngineState.NOT_LOADED: ("not running", "badge-warn"),
    }[health.state]
    notes = (health.message,) if health.message else ()
    return Engine(
        name=health.model,
        badge=badge,
        words=words,
        percent=round(health.progress * 100),
        loading=health.state is EngineState.LOADING,
        facts=f"window {health.window:,} tokens" if health.window else "",
        notes=(*notes, *health.notes),
    )


_STEPS = {
    Step.STOPPED: ("starting", _BUSY),
    Step.STARTING: ("starting", _BUSY),
    Step.LOADING: ("loading", _BUSY),
    Step.STOPPING: ("ending", _BUSY),
    Step.WAITING: ("started again soon", "badge-warn"),
    Step.FAILED: ("could not be loaded", "badge-bad"),
    Step.ASLEEP: ("asleep", ""),
}
"""What the page calls the steps in which no model can be asked."""


def engine_kept(engine: Engine, report: ModelReport | None) -> Engine:
    """Return the service as the page shows it where a supervisor keeps it, who also knows of what is not there."""
    if report is None:
        return engine
    if report.step in _STEPS:
        words, badge = _STEPS[report.step]
        loading = report.step is Step.LOADING
        engine = replace(engine, name=report.model, words=words, badge=badge, loading=loading, percent=report.percent)
        engine = replace(engine, facts="", notes=())
    return replace(engine, news="" if report.is_plain else told(report), trouble=bool(report.failures))


def page_of(models: Iterable[tuple[LocalModel, Fit]], rows: Iterable[Download], around: Surroundings) -> Page:
    """Return the page."""
    ways = {row.file: way_of(row, around.now) for row in rows if row.state != State.DONE}
    cards = tuple(card_of(model, fit, around, ways.get(model.path.name)) for model, fit in models)
    listed = {card.file for card in cards}
    others = tuple(way for file, way in ways.items() if file not in listed)
    engine = engine_kept(engine_of(around.health), around.report)
    on_their_way = any(way.moving for way in ways.values())
    total, free = around.machine.total / GIB, around.machine.available / GIB
    return Page(
        cards=cards,
        others=others,
        engine=engine,
        memory=f"{total:.0f} GB of memory, {free:.1f} GB of it free",
        pending=_pending(around),
        named=around.named,
        idle=on_their_way and not around.fetching,
        moving=on_their_way or engine.loading or bool(around.report and around.report.is_moving),
        version=_version(cards, others, engine, around.fetching),
    )


def _pending(around: Surroundings) -> str:
    """Return the model that is chosen and answers only after the next start."""
    active, served = around.active, around.health.model
    settled = around.report is not None or around.elsewhere
    return active.id if active and served and served != active.id and not settled else ""


def _version(cards: tuple[Card, ...], others: tuple[Way, ...], engine: Engine, fetching: object) -> str:
    """Return what stands for everything on the page but the bars: while it stays the same, only they are replaced."""
    ways = [card.way for card in cards if card.way] + list(others)
    parts = [
        [(way.pk, way.badge, way.error, way.can_cancel, way.can_retry) for way in ways],
        [(card.id, card.state, card.served, card.chosen, card.speed) for card in cards],
        [engine.name, engine.words, engine.notes, engine.trouble, fetching],
    ]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
