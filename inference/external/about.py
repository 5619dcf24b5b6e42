"""What a server says about itself: which models it has, how long their context is, and whether it can be used now."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import Any

from inference.contracts import EngineState, Health
from inference.engine.budget import WISHED_WINDOW
from inference.errors import InferenceError, ModelLoading, ServiceLost, ServiceStalled, ServiceUnavailable
from inference.external.address import leaves_machine, origin, root
from inference.external.connection import Connection
from inference.external.failures import not_openai, refused

BELIEVED_S = {EngineState.READY: 5.0}
BELIEVED_ELSE_S = 1.5
"""How long what it said is believed: every look of every page asks."""

NOTE = "A server that you have chosen answers. What it has read is kept only as far as it does that itself."
LEAVES = "Text of documents and questions leave this machine for {where}."
NO_MODEL = "{where} answers and has no model. Load one there."
OTHER_MODELS = "{where} does not have the model {model}. It has: {others}."
NAMED = 8
"""Models that are named in a sentence."""
WINDOWS = ("max_model_len", "context_length", "context_window", "max_context_length")
"""What vLLM, routers and others call the tokens of context in their lists of models."""
AWAY = (ServiceUnavailable, ServiceLost, ServiceStalled)
"""Failures after which the server may be there in the next moment."""

Entry = Mapping[str, Any]


class About:
    """Asks over a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._server = connection.server

    async def models(self) -> list[Entry]:
        """Return the entries of the server's list of models. Raises InferenceError."""
        reply = await self._connection.call("GET", f"{self._server.url}/models")
        if not reply.is_success:
            raise refused(reply, reply.content, self._server)
        try:
            return [entry for entry in reply.json()["data"] if isinstance(entry["id"], str)]
        except (ValueError, TypeError, KeyError):
            kind = reply.headers.get("content-type", "").partition(";")[0] or "nothing"
            raise not_openai(self._server, f"it sent {kind}") from None

    async def model(self) -> str:
        """Return the model that is meant: the chosen one, else the first of the list. Raises InferenceError."""
        if self._server.model:
            return self._server.model
        health = await self.health()
        if health.state is not EngineState.READY:
            raise ServiceUnavailable(health.message)
        return health.model

    async def health(self) -> Health:
        """Return the state of the server; one that cannot be used is not READY and says why."""
        known = self._connection.known
        if known.health is not None:
            asked, health = known.health
            if time.monotonic() - asked < BELIEVED_S.get(health.state, BELIEVED_ELSE_S):
                return health
        health = await self._health()
        known.health = (time.monotonic(), health)
        return health

    async def _health(self) -> Health:
        try:
            return await self._of(await self.models())
        except ModelLoading as error:
            state, message = EngineState.LOADING, error.message
        except AWAY as error:
            state, message = EngineState.NOT_LOADED, error.message
        except InferenceError as error:
            state, message = EngineState.FAILED, error.message
        return Health(state, self._server.model, message=message)

    async def _of(self, listed: Sequence[Entry]) -> Health:
        wanted = self._server.model or (str(listed[0]["id"]) if listed else "")
        if not wanted:
            return Health(EngineState.FAILED, message=NO_MODEL.format(where=origin(self._server.url)))
        entry = next((entry for entry in listed if entry["id"] == wanted), None)
        if entry is None:
            return Health(EngineState.FAILED, wanted, message=self._others(listed))
        # No more than the local service plans for by itself: what is not remembered there is read anew each time.
        window = self._server.window or min(WISHED_WINDOW, await self.window(entry))
        where = origin(self._server.url)
        leaves = (LEAVES.format(where=where),) if leaves_machine(self._server.url) else ()
        return Health(
            EngineState.READY,
            wanted,
            window=window,
            notes=(*leaves, NOTE),
            model_key=self._key(entry),
            keeps=False,
            where=where,
        )

    async def window(self, entry: Entry) -> int:
        """Return the tokens of context by a model's entry, else by llama.cpp's `/props`; 0 where nobody tells."""
        for name in WINDOWS:
            if isinstance(told := entry.get(name), int) and told > 0:
                return told
        self._connection.known.llama = entry.get("owned_by") == "llamacpp"
        if not self._connection.known.llama:
            return 0
        reply = await self._connection.call("GET", f"{root(self._server.url)}/props")
        try:
            return int(reply.json()["default_generation_settings"]["n_ctx"]) if reply.is_success else 0
        except (ValueError, TypeError, KeyError):
            return 0

    def _key(self, entry: Entry) -> str:
        """Return what tells this model from others, also from one that takes its name behind the same address."""
        meta = entry.get("meta")
        facts = [meta.get(name) for name in ("n_params", "size", "n_vocab")] if isinstance(meta, Mapping) else []
        parts = [self._server.url, entry["id"], entry.get("root"), *facts]
        return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()

    def _others(self, listed: Sequence[Entry]) -> str:
        names = [str(entry["id"]) for entry in listed]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        others = ", ".join(names[:NAMED]) + more
        return OTHER_MODELS.format(where=origin(self._server.url), model=self._server.model, others=others or "none")
