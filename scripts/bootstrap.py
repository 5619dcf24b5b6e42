"""Making `.venv` ready: standard library only, run by the system's Python, over in a moment when nothing changed."""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "readahead-setup.json"
LOG = VENV / "setup.log"
LOCK = ROOT / "build/setup.lock"
LOCK_POLL_S = 0.5
EXTRAS = ("test", "lint", "bench")

MINIMUM_PYTHON = (3, 11)
NEEDED_BYTES = 4_000_000_000
"""The environment takes 2 GB; compiling and unpacking need about as much for a while."""


class Trouble(Exception):
    """Setup cannot go on; the text says in one sentence why and what to do."""


def main() -> int:
    """Run the setup and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extra", action="append", choices=EXTRAS, default=[], help="also install what this needs")
    wanted = parser.parse_args().extra
    try:
        require_python()
        bootstrap(set(wanted))
    except Trouble as trouble:
        print(trouble, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run it again to go on: what is done is kept.", file=sys.stderr)
        return 130
    return 0


def bootstrap(extras: set[str]) -> None:
    """Bring `.venv` to what pyproject.toml and constraints.txt say; extras installed earlier stay."""
    with only_setup():
        key = fingerprint()
        installed_key, installed = read_stamp()
        if installed_key == key and extras <= installed and PYTHON.exists():
            return
        make_venv()
        if not llama_is_installed():
            require_compiler()
            require_room()
        # From here to the end `.venv` is nothing that was asked for, also for a setup that comes after an interruption.
        write_stamp("", installed)
        install(extras | installed)
        write_stamp(key, extras | installed)


@contextmanager
def only_setup() -> Iterator[None]:
    """Wait until no other setup works on `.venv`: two at once would install into each other."""
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("a") as lock:
        if not take(lock):
            print("Waiting for another setup of this folder to end.", file=sys.stderr)
            while not take(lock):
                time.sleep(LOCK_POLL_S)
        yield  # the end of the block closes the file, and with it, or with the process, the lock goes


def take(lock: IO[str]) -> bool:
    """Lock an open file unless another process holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def fingerprint() -> str:
    """Return a hash of everything that decides what `.venv` holds, its place included: it cannot be moved."""
    digest = hashlib.sha256(f"{ROOT}\n{sys.version}\n".encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def read_stamp() -> tuple[str, set[str]]:
    """Return the fingerprint and the extras of the last successful setup; empty when there was none."""
    try:
        stamp = json.loads(STAMP.read_text())
        return stamp["key"], set(stamp["extras"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", set()


def write_stamp(key: str, extras: set[str]) -> None:
    """Keep what `.venv` holds; an empty key means that it is being worked on."""
    STAMP.write_text(json.dumps({"key": key, "extras": sorted(extras)}))


# --- What must be there before pip starts -----------------------------------------------------------------------------


def require_python() -> None:
    """Raise Trouble when this Python is too old."""
    if sys.version_info < MINIMUM_PYTHON:
        raise Trouble(
            f"Readahead needs Python 3.11 or newer, and {sys.executable} is {platform.python_version()}. "
            "Install a newer one and name it: make run PYTHON=python3.12"
        )
    if importlib.util.find_spec("ensurepip") is None:
        version = ".".join(map(str, sys.version_info[:2]))
        raise Trouble(f"This Python cannot make virtual environments. {how_to_install('python' + version + '-venv')}")


def require_compiler() -> None:
    """Raise Trouble unless llama-cpp-python can be compiled here."""
    c = os.environ.get("CC") or first_of("cc", "gcc", "clang", "cl")
    cxx = os.environ.get("CXX") or first_of("c++", "g++", "clang++", "cl")
    if not (c and cxx):
        raise Trouble(
            f"llama-cpp-python is compiled on this machine and there is no C++ compiler. {how_to_install_compiler()}"
        )


def require_room() -> None:
    """Raise Trouble when the disk cannot hold the environment."""
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES:
        raise Trouble(
            f"The disk that holds {ROOT} is too full: {NEEDED_BYTES / 1e9:.0f} GB are needed and {free / 1e9:.1f} GB "
            "are free. Make room and run it again."
        )


def how_to_install_compiler() -> str:
    """Return the command that brings a compiler to this kind of system, as a sentence."""
    if sys.platform == "darwin":
        return "Install one: xcode-select --install"
    if os.name == "nt":
        return "Install the Visual Studio Build Tools with 'Desktop development with C++'."
    for manager, command in (
        ("apt-get", "apt-get install build-essential"),
        ("dnf", "dnf install gcc-c++"),
        ("pacman", "pacman -S base-devel"),
        ("zypper", "zypper install gcc-c++"),
        ("apk", "apk add build-base"),
    ):
        if shutil.which(manager):
            return f"Install one: {as_root(command)}"
    return "Install GCC or Clang with your system's package manager."


def how_to_install(package: str) -> str:
    """Return the command that installs a Debian package, or what to ask for elsewhere, as a sentence."""
    if shutil.which("apt-get"):
        return f"Install what is missing: {as_root('apt-get install ' + package)}"
    return "Install your system's package with Python's venv and ensurepip."


def as_root(command: str) -> str:
    """Return the command as this user has to type it."""
    return command if os.name != "nt" and os.geteuid() == 0 else f"sudo {command}"


def first_of(*names: str) -> str:
    """Return the first of the programs that exists, or nothing."""
    return next((name for name in names if shutil.which(name)), "")


# --- What is done -----------------------------------------------------------------------------------------------------


def make_venv() -> None:
    """Make `.venv` unless it is there and works with this version of Python."""
    if PYTHON.exists() and venv_version() == sys.version_info[:2]:
        return
    print("Making the virtual environment in .venv", file=sys.stderr)
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True, check=False
    )
    if made.returncode:
        lines = (made.stderr or made.stdout).strip().splitlines()
        cause = "the disk is full" if "No space left" in made.stderr else lines[-1] if lines else "no reason given"
        raise Trouble(f"The virtual environment could not be made in {VENV}: {cause}.")


def venv_version() -> tuple[int, ...]:
    """Return the version of Python that `.venv` was made with; empty when it does not run."""
    code = "import sys, pip; print(*sys.version_info[:2])"
    asked = subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True, check=False)
    return tuple(map(int, asked.stdout.split())) if asked.returncode == 0 else ()


def llama_is_installed() -> bool:
    """Tell whether the one package that is compiled here is there already."""
    return any(VENV.glob("[Ll]ib/**/site-packages/llama_cpp_python-*.dist-info"))


def install(extras: set[str]) -> None:
    """Install the project with the pinned versions; raises Trouble."""
    sys.path.append(str(ROOT))  # pip_run shares the reading of pip's output with the packages of this folder
    from pip_run import PipFailed, run_pip  # written for the Python that is needed: an older one must get its message

    began = time.monotonic()
    project = f".[{','.join(sorted(extras))}]" if extras else "."
    print(
        "Bringing the Python packages up to date."
        if llama_is_installed()
        else "Installing the Python packages. Compiling llama-cpp-python for this machine takes about 4 minutes.",
        file=sys.stderr,
    )
    # Verbose, since only then the steps of the compiler come through.
    command = [str(PYTHON), "-m", "pip", "install", "--verbose", "--no-input", "--disable-pip-version-check"]
    command += ["--progress-bar", "off", "--constraint", "constraints.txt", "--editable", project]
    os.chdir(ROOT)
    try:
        run_pip(command, LOG)
    except PipFailed as failure:
        raise Trouble(str(failure)) from failure
    print(f"All packages are there ({time.monotonic() - began:.0f} s).", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
