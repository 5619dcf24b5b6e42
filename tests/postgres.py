"""A PostgreSQL server of the tests' own, in a temporary folder, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PLACES = ("/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin")
USER = "postgres"
# Nothing here is worth waiting for the disk.
QUICK = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=20", "shared_buffers=32MB")


@contextmanager
def server() -> Iterator[str]:
    """Run a server and yield the address of an empty database; skips where PostgreSQL is not installed."""
    programs = _programs()
    account = _account()
    folder = Path(tempfile.mkdtemp(prefix="readahead-postgres-"))
    try:
        if account:
            shutil.chown(folder, account)
        data = folder / "data"
        _run(account, programs / "initdb", "--no-sync", "--auth=trust", "--encoding=UTF8", f"--username={USER}", data)
        port = _free_port()
        options = " ".join(f"-c {one}" for one in (*QUICK, f"port={port}", f"unix_socket_directories={folder}"))
        control = (programs / "pg_ctl", "--pgdata", data)
        _run(account, *control, "--wait", "--log", folder / "log", "--options", options, "start")
        try:
            yield f"postgresql://{USER}@127.0.0.1:{port}/postgres"
        finally:
            _run(account, *control, "--mode=immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    """Return the folder of the newest server's programs, which Debian keeps off the path."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    folders = (path for place in PLACES for path in Path("/").glob(place.removeprefix("/")))
    installed = [path for path in folders if (path / "initdb").exists()]
    if not installed:
        pytest.skip("PostgreSQL is not installed (on Debian: apt-get install postgresql).")
    return max(installed, key=lambda path: [int(part) for part in path.parts if part.isdigit()])


def _account() -> str | None:
    """Return whose server it is to be: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(USER).pw_name
    except KeyError:
        pytest.skip(f"PostgreSQL does not run as root, and there is no account {USER}.")


def _run(account: str | None, *command: str | Path) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, user=account, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
