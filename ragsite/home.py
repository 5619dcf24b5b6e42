"""Where this installation keeps its data: folders with owner-only rights and the secret key."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import platformdirs
from django.core.exceptions import ImproperlyConfigured


def data_folder() -> Path:
    """Return READAHEAD_HOME, or the platform's per-user data folder, created with mode 0700.

    Raises ImproperlyConfigured where it cannot be made or written to.
    """
    configured = os.environ.get("READAHEAD_HOME")
    home = Path(configured).expanduser() if configured else Path(platformdirs.user_data_dir("readahead"))
    try:
        for folder in (home, home / "run", home / "files", home / "incoming", home / "logs"):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise _unusable(home, error.strerror) from error
    if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        raise _unusable(home, "Permission denied")
    return home.resolve()


def models_folder() -> Path:
    """Return READAHEAD_MODELS, or the per-user cache that all clones share; not created here."""
    configured = os.environ.get("READAHEAD_MODELS")
    return Path(configured).expanduser() if configured else Path(platformdirs.user_cache_dir("readahead")) / "models"


def secret_key(home: Path) -> str:
    """Return this installation's key, made at first use in a file that only the owner can read.

    Raises ImproperlyConfigured where it cannot be made or read.
    """
    path = home / "secret_key"
    try:
        if not path.exists():
            _make_key(home, path)
        return path.read_text()
    except OSError as error:
        raise _unusable(home, f"{path.name}: {error.strerror}") from error


def _make_key(home: Path, path: Path) -> None:
    """Write a new key; the exclusive link makes two processes that start at once agree on one."""
    draft = home / f"secret_key.{os.getpid()}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(50))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _unusable(home: Path, cause: str | None) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"The data folder {home} cannot be used ({cause}). Set READAHEAD_HOME to another one.")
