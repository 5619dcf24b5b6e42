"""What the models page shows of servers: the one in use, the one tested last, and what it was found to give."""

from __future__ import annotations

from dataclasses import dataclass

from inference.errors import InferenceError
from inference.external.address import is_open, leaves_machine, origin
from inference.external.choice import Chosen, Server, Stored, chosen, read
from inference.external.report import Report

GOOD, WARN, BAD = "badge-good", "badge-warn", "badge-bad"


@dataclass(frozen=True)
class Fact:
    """What a server gives, and in a sentence what that means; `badge` tells good from worse."""

    badge: str
    words: str
    means: str = ""


@dataclass(frozen=True)
class Tested:
    """The server that was tested last. `warns` that text of documents would leave this machine, `is_open` unencrypted.

    `can_use`: it answered and is not in use.
    """

    where: str
    error: str
    facts: tuple[Fact, ...]
    models: tuple[str, ...]
    warns: bool
    is_open: bool
    can_use: bool


@dataclass(frozen=True)
class Outside:
    """All of it.

    `address`, `model`, `window` and `has_key` fill the form. `where` is the server in use, empty for the local service;
    `held` says why nothing is sent there yet. `leaves` that text leaves this machine for it.
    """

    where: str = ""
    by_settings: bool = False
    held: str = ""
    leaves: bool = False
    is_open: bool = False
    address: str = ""
    model: str = ""
    window: int | None = None
    has_key: bool = False
    tested: Tested | None = None
    broken: str = ""

    @property
    def is_expanded(self) -> bool:
        """Whether there is something to be seen without being asked for."""
        news = self.tested is not None and (self.tested.can_use or bool(self.tested.error))
        return bool(self.broken or self.leaves or news)

    @property
    def is_kept(self) -> bool:
        """Whether there is anything stored that a person can have deleted."""
        return bool(self.broken or self.tested or (self.where and not self.by_settings))


def outside() -> Outside:
    """Return what the page shows; asks no server."""
    try:
        there, stored = chosen(), read()
    except InferenceError as error:
        return Outside(broken=error.message)
    form = there.server if there and there.by_settings else stored.draft or stored.active
    return Outside(
        where=origin(there.server.url) if there else "",
        by_settings=bool(there and there.by_settings),
        held=there.held if there else "",
        leaves=bool(there and leaves_machine(there.server.url)),
        is_open=bool(there and there.is_open),
        address=form.url if form else "",
        model=form.model if form else "",
        window=(form.window or None) if form else None,
        has_key=bool(form and form.key),
        tested=_tested(stored, there),
    )


def _tested(stored: Stored, there: Chosen | None) -> Tested | None:
    draft, report = stored.draft, stored.report
    if draft is None or report is None:
        return None
    in_use = there is not None and there.server == draft
    settled = there is not None and there.by_settings
    return Tested(
        where=origin(draft.url),
        error=report.error,
        facts=() if report.error else facts_of(report, draft),
        models=report.models,
        warns=leaves_machine(draft.url),
        is_open=is_open(draft.url),
        can_use=not report.error and not in_use and not settled,
    )


def facts_of(report: Report, server: Server) -> tuple[Fact, ...]:
    """Return what a test has found, the best first."""
    return (
        Fact(GOOD, f"{report.model} answered", f"The first word came after {report.first_ms / 1000:.1f} s."),
        *_manner(report),
        _window(report, server),
        _chances(report),
        _usage(report),
        _counting(report),
    )


def _manner(report: Report) -> list[Fact]:
    facts = [Fact(GOOD, "Answers come word by word")]
    if not report.streams:
        facts = [Fact(WARN, "Answers come whole", "Nothing is shown before the last word is written.")]
    if report.thinks:
        means = "That takes time before each answer and each step of reading ahead. One that does not is faster."
        facts.append(Fact(WARN, "The model thinks before it answers", means))
    return facts


def _window(report: Report, server: Server) -> Fact:
    if server.window:
        return Fact(GOOD, f"Window {server.window:,} tokens", "As you have said.")
    if report.window:
        return Fact(GOOD, f"Window {report.window:,} tokens", "At most 16,384 of them are used unless you say more.")
    means = "4,096 tokens are taken for granted. If you know that it is more, write it in the form."
    return Fact(WARN, "The window is not told", means)


def _chances(report: Report) -> Fact:
    if report.chances:
        return Fact(GOOD, "Probabilities of words (logprobs)")
    means = "Where an answer is in doubt, the model's plain Yes or No decides, which is coarser."
    return Fact(WARN, "No probabilities of words (logprobs)", means)


def _usage(report: Report) -> Fact:
    if not report.usage:
        return Fact(WARN, "Tokens are not told (usage)", "The figures beside an answer are estimates.")
    if report.cached:
        return Fact(GOOD, "Tokens are told (usage)", "Also how many of them the server remembered.")
    means = "Not how many of them the server remembered: all count as read."
    return Fact(GOOD, "Tokens are told (usage)", means)


def _counting(report: Report) -> Fact:
    if report.counts:
        return Fact(GOOD, "Counts the tokens of a text")
    means = "They are estimated on the safe side: documents are read in somewhat smaller pieces."
    return Fact(WARN, "Does not count the tokens of a text", means)
