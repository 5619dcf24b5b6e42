"""Runs the inference service in a thread of the test process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from inference import endpoint
from inference.engine.port import Engine
from inference.service.app import build_app

KEY = "test-key"


@contextmanager
def serve_engine(engine: Engine, run_dir: Path) -> Iterator[endpoint.Endpoint]:
    """Serve `engine` on a free loopback port and publish it in `run_dir`; both end with the block."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(build_app(engine, KEY), log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    run_dir.mkdir(parents=True, exist_ok=True)
    # The socket listens already: a client that comes before the server runs waits in the backlog.
    where = endpoint.Endpoint(f"http://127.0.0.1:{listener.getsockname()[1]}", KEY, pid=-1, model=engine.health().model)
    endpoint.publish(run_dir, where)
    try:
        yield where
    finally:
        endpoint.withdraw(run_dir, pid=-1)
        engine.stop()
        server.should_exit = True
        thread.join()
