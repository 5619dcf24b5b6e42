"""The named failures of a server that is not ours, each with a sentence that says what to do."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from inference.errors import (
    BadRequest,
    InferenceError,
    ModelLoading,
    NotAuthorised,
    PromptTooLong,
    ServiceBusy,
    ServiceLost,
    ServiceStalled,
    ServiceUnavailable,
    UnknownModel,
)
from inference.external.address import origin
from inference.external.choice import Server

LONGEST = 300
"""Characters of a server's own words that are shown."""
TOO_LONG = ("context_length_exceeded", "exceed_context_size", "context length", "context size", "context window")

NOT_OPENAI = "{where} answers, but not as an OpenAI-compatible server does ({what}). Is the address right?"


UNTRUSTED = (
    "The certificate of {where} is not trusted: {why}. If an authority of your own has signed it, name its file in "
    "SSL_CERT_FILE and start Readahead again."
)
NO_CONNECTION: tuple[tuple[type[Exception], str], ...] = (
    (ssl.SSLError, "{where} does not speak TLS at this port. Try http:// if the network is yours, or another port."),
    (socket.gaierror, "The name in {where} is not known. Is it written right, and is this machine connected?"),
    (
        ConnectionRefusedError,
        "Nothing answers at {where}: the connection was refused. Does the server run, and is the port right?",
    ),
)
NO_KEY = "asks for a key"

_Meaning = tuple[type[InferenceError], str]
_FAILED: _Meaning = (InferenceError, "failed")
_REFUSED: _Meaning = (BadRequest, "did not accept the request")
_BY_STATUS: dict[int, _Meaning] = {
    401: (NotAuthorised, "did not accept the key"),
    403: (NotAuthorised, "did not accept the key"),
    404: (UnknownModel, "does not have this address or this model"),
    429: (ServiceBusy, "asks to come later"),
}


def unreachable(error: httpx.HTTPError | httpx.StreamError, server: Server, connect_s: float) -> InferenceError:
    """Return what a failure of the connection means."""
    where = origin(server.url)
    if isinstance(error, httpx.ConnectTimeout):
        return ServiceUnavailable(f"{where} did not take the connection within {connect_s:g} seconds.")
    if isinstance(error, httpx.ConnectError):
        return ServiceUnavailable(_no_connection(error, where))
    if isinstance(error, httpx.TimeoutException):
        return stalled(server)
    if isinstance(error, httpx.RemoteProtocolError) and "illegal" in str(error):
        return BadRequest(NOT_OPENAI.format(where=where, what="it does not speak HTTP"))
    return ServiceLost(f"The connection to {where} broke. Try again.")


def stalled(server: Server, seconds: float = 0) -> InferenceError:
    """Return the failure of a server that has taken a request and says nothing."""
    how_long = f" for {seconds:,.0f} seconds" if seconds else ""
    return ServiceStalled(f"{origin(server.url)} took the request and sent nothing{how_long}.")


def refused(reply: httpx.Response, content: bytes, server: Server) -> InferenceError:
    """Return what a reply with an error status, or one that leads elsewhere, means."""
    where, status = origin(server.url), reply.status_code
    said = complaint(content, server)
    if reply.has_redirect_location:
        return BadRequest(
            f"{where} leads on to {reply.headers['location'][:LONGEST]}. Give that address if it is right."
        )
    if _is_too_long(said):
        return PromptTooLong()
    if status == 503 and "loading" in said.lower():
        return ModelLoading()
    kind, sentence = _BY_STATUS.get(status, _REFUSED if status < 500 else _FAILED)
    if kind is NotAuthorised:  # in whose words the key may stand
        sentence, said = sentence if server.key else NO_KEY, ""
    return kind(f"{where} {sentence} (status {status}){f': {said}' if said else '.'}")


def in_stream(detail: Any, server: Server) -> InferenceError:
    """Return what an error object in the middle of a stream means."""
    said = _words(detail, server)
    if _is_too_long(said):
        return PromptTooLong()
    return InferenceError(f"{origin(server.url)} broke the answer off{f': {said}' if said else '.'}")


def not_openai(server: Server, what: str) -> InferenceError:
    """Return the failure of a server that speaks another language."""
    return BadRequest(NOT_OPENAI.format(where=origin(server.url), what=what))


def complaint(content: bytes, server: Server) -> str:
    """Return a server's own words about what is wrong, without the key if it repeats it; empty for none."""
    try:
        body = json.loads(content)
    except ValueError:
        return ""
    if not isinstance(body, Mapping):
        return ""
    return _words(body.get("error") or body.get("detail") or body.get("message") or "", server)


def _words(detail: Any, server: Server) -> str:
    if isinstance(detail, Mapping):
        named = [detail.get(name) for name in ("message", "code", "type", "param")]
        detail = "; ".join(str(part) for part in named if part)
    text = " ".join((detail if isinstance(detail, str) else json.dumps(detail)).split())
    text = text.replace(server.key, "…") if server.key else text
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _is_too_long(said: str) -> bool:
    return any(words in said.lower() for words in TOO_LONG)


def _no_connection(error: httpx.ConnectError, where: str) -> str:
    """Return why there is no connection, by whatever it came from."""
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return UNTRUSTED.format(where=where, why=cause.verify_message or "it cannot be verified")
        for kind, sentence in NO_CONNECTION:
            if isinstance(cause, kind):
                return sentence.format(where=where)
    return f"{where} cannot be reached{f' ({error})' if str(error) else ''}. Is the address right?"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error with all that it came from, exceptions of groups included."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
