"""A server in a thread that speaks OpenAI's interface as different programs do, and fails as it is told to."""

from __future__ import annotations

import json
import ssl
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """Something else than an answer: a status with a body of its own."""

    status: int = 200
    body: str = ""
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class OpenAILike:
    """What the server is like, and what it was asked (`requests`, with `path`).

    `answers` are the texts of the next answers, or other replies; a word is a chunk. `refuses` are fields that it does
    not accept: named in its complaint when `names_them`. `chances` are the tokens in the place of the first word with
    their natural logarithms, None for a server that has none. `counts` is how it counts tokens: as llama.cpp's server,
    as vLLM, or not. `gate` holds an answer after its first word, `breaks` ends the connection there.
    """

    url: str = ""
    models: list[dict[str, Any]] = field(default_factory=lambda: [{"id": "large", "owned_by": "vllm"}])
    answers: deque[str | Reply] = field(default_factory=deque)
    default: str = "An answer."
    key: str = ""
    refuses: frozenset[str] = frozenset()
    names_them: bool = True
    streams: bool = True
    chances: dict[str, float] | None = None
    usage: dict[str, Any] | None = None
    own: dict[str, Any] | None = None
    counts: str = ""
    window: int = 0
    replies: dict[str, Reply] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    gate: threading.Event | None = None
    breaks: bool = False
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    left: threading.Event = field(default_factory=threading.Event)

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The requests for answers."""
        return [request for request in self.requests if request["path"].endswith("completions")]


class _Handler(BaseHTTPRequestHandler):
    served: OpenAILike

    def do_GET(self) -> None:
        self._note({})
        if self._refused():
            return
        if self.path.endswith("/models"):
            self._json({"object": "list", "data": self.served.models})
        elif self.path == "/props" and self.served.window:
            self._json({"default_generation_settings": {"n_ctx": self.served.window}})
        else:
            self._json({"error": {"message": "Not Found"}}, 404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._note(body)
        if self._refused():
            return
        if self.path == "/tokenize":
            self._tokenize(body)
        elif unknown := sorted(self.served.refuses & body.keys()):
            words = f"Unsupported parameter: {unknown[0]}" if self.served.names_them else "Invalid request"
            self._json({"error": {"message": words, "type": "invalid_request_error"}}, 400)
        else:
            self._answer(body)

    def _tokenize(self, body: Mapping[str, Any]) -> None:
        tokens = list(range(len(body["prompt"].split())))
        if self.served.counts == "llama":
            self._json({"tokens": tokens})
        elif self.served.counts == "vllm":
            self._json({"count": len(tokens), "max_model_len": 8192, "tokens": tokens})
        else:
            self._json({"detail": "Not Found"}, 404)

    def _answer(self, body: Mapping[str, Any]) -> None:
        scripted = self.served.answers.popleft() if self.served.answers else self.served.default
        if isinstance(scripted, Reply):
            self._send(scripted)
            return
        told: dict[str, Any] = {"model": body["model"]}
        if self.served.usage is not None and (not self.served.streams or body.get("stream_options")):
            told["usage"] = self.served.usage
        if self.served.own is not None:
            told["timings"] = self.served.own
        words = scripted.split(" ")
        pieces = [word if at == 0 else f" {word}" for at, word in enumerate(words)]
        if self.served.streams and body["stream"]:
            self._stream(pieces, body, told)
            return
        content: dict[str, Any] = {"text": scripted}
        if "messages" in body:
            content = {"message": {"role": "assistant", "content": scripted}}
        choice = {"index": 0, "finish_reason": "stop", **content, "logprobs": self._logprobs(body)}
        self._json({**told, "choices": [choice]})

    def _stream(self, pieces: list[str], body: Mapping[str, Any], told: Mapping[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.end_headers()
        chat = "messages" in body
        try:
            for line in self.served.lines:
                self._write(line)
            for at, piece in enumerate(pieces):
                logprobs = self._logprobs(body) if at == 0 else None
                content: dict[str, Any] = {"delta": {"content": piece}} if chat else {"text": piece}
                self._event({"choices": [{"index": 0, **content, "logprobs": logprobs}]})
                if at == 0 and self.served.gate is not None:
                    self._hold(self.served.gate)
                if at == 0 and self.served.breaks:
                    return
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            self._event({"choices": [], **told})
            self._write("data: [DONE]")
        except OSError:
            self.served.left.set()

    def _hold(self, gate: threading.Event) -> None:
        """Wait for the gate, and notice meanwhile when the client leaves."""
        while not gate.wait(0.01):
            self._write(": still here")

    def _logprobs(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        if self.served.chances is None or "logprobs" not in body:
            return None
        ranked = sorted(self.served.chances.items(), key=lambda entry: -entry[1])
        if "messages" not in body:
            return {
                "tokens": [ranked[0][0]],
                "token_logprobs": [ranked[0][1]],
                "top_logprobs": [dict(ranked)],
                "text_offset": [0],
            }
        others = [{"token": token, "logprob": logprob, "bytes": None} for token, logprob in ranked]
        return {"content": [{**others[0], "top_logprobs": others}]}

    def _refused(self) -> bool:
        if self.served.key and self.headers["Authorization"] != f"Bearer {self.served.key}":
            self._json({"error": {"message": f"Incorrect API key: {self.headers['Authorization']}"}}, 401)
            return True
        reply = self.served.replies.get(self.path)
        if reply is not None:
            self._send(reply)
        return reply is not None

    def _note(self, body: dict[str, Any]) -> None:
        self.served.requests.append({**body, "path": self.path})
        self.served.keys.append(self.headers["Authorization"])

    def _json(self, body: Any, status: int = 200) -> None:
        self._send(Reply(status, json.dumps(body)))

    def _send(self, reply: Reply) -> None:
        data = reply.body.encode()
        self.send_response(reply.status)
        headers = {"Content-Type": reply.kind, "Content-Length": str(len(data)), **reply.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _event(self, chunk: Mapping[str, Any]) -> None:
        self._write(f"data: {json.dumps(chunk)}")

    def _write(self, line: str) -> None:
        self.wfile.write(f"{line}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves, or one that does not trust the certificate, is no news."""


@contextmanager
def serving(served: OpenAILike | None = None, context: ssl.SSLContext | None = None) -> Iterator[OpenAILike]:
    """Serve on a free loopback port until the block ends."""
    served = served or OpenAILike()
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"served": served}))
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    served.url = f"http{'s' if context else ''}://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        if served.gate is not None:
            served.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()
