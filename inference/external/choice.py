"""Which server takes the place of the local model service: by the settings, else as a person has stored it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from inference.errors import InferenceError, ModelFailed
from inference.external.address import is_open, leaves_machine, origin
from inference.external.report import Report
from inference.private import write_private

FILE_NAME = "server.json"

UNREADABLE = (
    "The file server.json in the data folder, which says what server answers, cannot be read. "
    "Choose on the models page what is to answer."
)
HELD = (
    "Text of documents would leave this machine for {where}. Nothing is sent there before that is confirmed on the "
    "models page."
)


@dataclass(frozen=True)
class Server:
    """An OpenAI-compatible server.

    `url` is the address before `/models`. An empty `model` stands for the only one, or the first, that the server
    lists. `window` is the tokens of context where the server does not tell them, 0 where nobody said. `key` is sent as
    bearer token, empty for none.
    """

    url: str
    model: str = ""
    window: int = 0
    key: str = field(default="", repr=False)


@dataclass(frozen=True)
class Chosen:
    """The server that is in use. `by_settings` tells that no page can change it.

    `confirmed` tells that a person has agreed to text leaving this machine for it.
    """

    server: Server
    by_settings: bool = False
    confirmed: bool = False

    @property
    def held(self) -> str:
        """Why nothing may be sent there yet, empty when it may."""
        if not leaves_machine(self.server.url) or self.confirmed:
            return ""
        return HELD.format(where=origin(self.server.url))

    @property
    def is_open(self) -> bool:
        """Whether what is sent can be read on its way."""
        return is_open(self.server.url)


@dataclass(frozen=True)
class Stored:
    """What the file says.

    `active` is the server in use, `draft` the one that was tested last, with what the test found (`report`).
    `confirmed` are the origins for which a person has agreed to text leaving this machine.
    """

    active: Server | None = None
    draft: Server | None = None
    report: Report | None = None
    confirmed: tuple[str, ...] = ()


def chosen() -> Chosen | None:
    """Return the server in use, None when the local service answers. Raises ModelFailed for a file that is broken."""
    from django.conf import settings

    if settings.SERVER_URL:
        server = Server(settings.SERVER_URL, settings.SERVER_MODEL, settings.SERVER_WINDOW, settings.SERVER_KEY)
        return Chosen(server, by_settings=True, confirmed=settings.SERVER_CONFIRMED or _is_confirmed(server))
    active = read().active
    return Chosen(active, confirmed=_is_confirmed(active)) if active else None


def answers_elsewhere() -> bool:
    """Tell whether the local service is not asked: a server is, or it cannot be read which."""
    try:
        return chosen() is not None
    except ModelFailed:
        return True


def _is_confirmed(server: Server) -> bool:
    return origin(server.url) in read().confirmed


def read() -> Stored:
    """Return what is stored. Raises ModelFailed for a file that is there and says nothing that can be understood."""
    try:
        data = json.loads(_path().read_text())
        return Stored(
            _server(data["active"]),
            _server(data["draft"]),
            Report.from_json(data["report"]) if data["report"] else None,
            tuple(map(str, data["confirmed"])),
        )
    except FileNotFoundError:
        return Stored()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelFailed(UNREADABLE) from error


def keep_draft(server: Server, report: Report) -> None:
    """Keep a server that was tested, and what was found. Raises ModelFailed."""
    _write(replace(read(), draft=server, report=report))


def use_draft(*, confirmed: bool) -> Server:
    """Let the tested server take the place of the local service, and return it.

    Raises InferenceError when nothing was tested, or when text would leave this machine and that is not `confirmed`.
    """
    stored = read()
    if stored.draft is None:
        raise InferenceError("There is no server to use. Test the connection first.")
    agreed = stored.confirmed
    if leaves_machine(stored.draft.url):
        if not confirmed:
            raise InferenceError(
                "Nothing was changed. Text of documents would leave this machine: confirm that it may, or stay here."
            )
        agreed = tuple(sorted({*agreed, origin(stored.draft.url)}))
    _write(replace(stored, active=stored.draft, confirmed=agreed))
    return stored.draft


def confirm(server: Server) -> None:
    """Note that text may leave this machine for a server. Raises ModelFailed."""
    stored = read()
    _write(replace(stored, confirmed=tuple(sorted({*stored.confirmed, origin(server.url)}))))


def forget() -> None:
    """Let the local service answer again; addresses, keys and agreements are deleted, whatever state they are in."""
    _path().unlink(missing_ok=True)


def key_for(url: str) -> str:
    """Return the stored key of the server behind an address, for a form that was sent without one.

    Of this origin alone: a key must not get to another server because somebody has changed the address beside it.
    Raises ModelFailed.
    """
    stored = read()
    servers = [server for server in (stored.draft, stored.active) if server and origin(server.url) == origin(url)]
    return next((server.key for server in servers if server.key), "")


def _server(data: Any) -> Server | None:
    return Server(str(data["url"]), str(data["model"]), int(data["window"]), str(data["key"])) if data else None


def _write(stored: Stored) -> None:
    write_private(_path(), json.dumps({**asdict(stored), "confirmed": list(stored.confirmed)}))


def _path() -> Path:
    from django.conf import settings

    return Path(settings.HOME) / FILE_NAME
