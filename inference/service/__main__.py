"""Entry point of the inference process: `python -m inference.service --model FILE --port N --run-dir FOLDER`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import uvicorn

from inference import endpoint
from inference.engine.budget import WISHED_WINDOW
from inference.engine.engine import CRASHED, LlamaEngine
from inference.engine.llama import KV_TYPES, Model, library
from inference.engine.memory import NoMemory, PrefixMemory
from inference.engine.plan import ALL_LAYERS, Plan
from inference.engine.snapshots import SnapshotStore, compatibility_key
from inference.fetch import stamp
from inference.service.app import build_app
from inference.service.planning import FLASH_ATTENTION, plan_for
from inference.service.retiring import RetiringServer

logger = logging.getLogger("inference.service")

SNAPSHOTS = "../snapshots"
DEFAULT_QUOTA = 20 * 1024**3


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve one model on loopback until SIGTERM or SIGINT; returns the exit code."""
    options = options_parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s", stream=sys.stderr)
    os.umask(0o077)
    try:
        listener = socket.create_server(("127.0.0.1", options.port))
    except OSError as error:
        sys.stderr.write(f"Port {options.port} cannot be used: {os.strerror(error.errno or 0)}.\n")
        return 1
    folder = options.snapshots or options.run_dir / SNAPSHOTS
    engine = LlamaEngine(
        options.model,
        lambda path: plan_for(path, options),
        lambda model, plan: open_store(options.model, model, plan, folder, options.quota),
        name=options.name,
        key_of=stamp.checksum,
        # Ended in order, with an error as exit code, so that the supervisor starts it again.
        on_crash=lambda: os.kill(os.getpid(), signal.SIGTERM),
    )
    engine.start()
    try:
        asyncio.run(_serve(engine, listener, options.run_dir))
    finally:
        crashed = engine.health().message == CRASHED
        engine.stop()
    return 1 if crashed else 0


def open_store(path: Path, model: Model, plan: Plan, folder: Path, quota: int) -> PrefixMemory:
    """Return the snapshot store for a model under a plan; without a quota, or a folder, nothing is kept."""
    if quota <= 0:
        return NoMemory()
    llama_cpp = library()
    facts = {
        "model": stamp.checksum(path),
        "llama.cpp": llama_cpp.__version__,
        "computed with": llama_cpp.llama_print_system_info().decode(),
        "gpu_layers": plan.gpu_layers,
        "type_k": plan.type_k,
        "type_v": plan.type_v,
        "flash_attention": plan.flash_attention,
        "swa_full": plan.swa_full,
    }
    try:
        return SnapshotStore(folder, compatibility_key(facts), quota, cuttable=not model.sliding_window)
    except OSError as error:
        logger.error("Nothing that is read will be kept: %s: %s", folder, error.strerror)  # noqa: TRY400 - a sentence
        return NoMemory(f"What is read cannot be kept on disk ({error.strerror}).")


async def _serve(engine: LlamaEngine, listener: socket.socket, run_dir: Path) -> None:
    key = secrets.token_urlsafe(32)
    config = uvicorn.Config(build_app(engine, key), log_level="warning", access_log=False, lifespan="off")
    server = RetiringServer(config, engine)
    _end_in_order(server)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    # The socket listens already, so whoever reads the file now is answered as soon as the server runs.
    endpoint.publish(run_dir, endpoint.Endpoint(url, key, os.getpid(), engine.name))
    logger.info("Listening on %s", url)
    try:
        await server.serve(sockets=[listener])
    finally:
        endpoint.withdraw(run_dir, os.getpid())


def _end_in_order(server: uvicorn.Server) -> None:
    """Let `serve` return after SIGTERM and SIGINT, also when one comes before it has begun.

    uvicorn shuts down in order on a signal, then raises it again for the handler that was there before its own; the
    default one would end the process before the engine has finished writing and the endpoint file is gone.
    """

    def ask_to_end(_number: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask_to_end)


def options_parser() -> argparse.ArgumentParser:
    """Return the parser of the options, which `plan_for` understands."""
    parser = argparse.ArgumentParser(prog="python -m inference.service", description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="the GGUF file")
    parser.add_argument("--name", default="", help="the model's name towards callers (default: the file's)")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--run-dir", type=Path, required=True, help="where the endpoint file is written")
    parser.add_argument("--window", type=int, default=WISHED_WINDOW, help="tokens per conversation, if they fit")
    parser.add_argument("--conversations", type=int, default=2, help="conversations that are answered side by side")
    parser.add_argument("--threads", type=int, default=0, help="0: one for each physical core")
    parser.add_argument("--gpu-layers", type=int, default=ALL_LAYERS, help="on the graphics card, if there is one")
    parser.add_argument(
        "--swa-full", action=argparse.BooleanOptionalAction, default=True, help="keep all of a sliding window"
    )
    parser.add_argument("--type-k", choices=KV_TYPES, help="type of cached keys (default: by the probe, else f16)")
    parser.add_argument("--type-v", choices=KV_TYPES, help="type of cached values (default: as the keys)")
    parser.add_argument("--flash-attention", choices=FLASH_ATTENTION, help="default: by the probe, else off")
    parser.add_argument("--probes", type=Path, help="folder in which probes keep what they measured")
    parser.add_argument("--snapshots", type=Path, help="folder of the snapshots (default: beside the endpoint file)")
    parser.add_argument("--quota", type=int, default=DEFAULT_QUOTA, help="bytes for snapshots; 0 keeps none")
    return parser


if __name__ == "__main__":
    sys.exit(main())
