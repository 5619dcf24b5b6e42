"""Where this installation keeps its data: folders with owner-only rights and the secret key."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import platformdirs


def data_folder() -> Path:
    """Return READAHEAD_HOME, or the platform's per-user data folder, created with mode 0700."""
    configured = os.environ.get("READAHEAD_HOME")
    home = Path(configured).expanduser() if configured else Path(platformdirs.user_data_dir("readahead"))
    for folder in (home, home / "run", home / "files", home / "incoming", home / "logs"):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return home.resolve()


def models_folder() -> Path:
    """Return READAHEAD_MODELS, or the per-user cache that all clones share; not created here."""
    configured = os.environ.get("READAHEAD_MODELS")
    return Path(configured).expanduser() if configured else Path(platformdirs.user_cache_dir("readahead")) / "models"


def secret_key(home: Path) -> str:
    """Return this installation's key, made at first use in a file that only the owner can read.

    The exclusive link makes two processes that start at once agree on one key.
    """
    path = home / "secret_key"
    if not path.exists():
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
    return path.read_text()
