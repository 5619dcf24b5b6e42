"""Which database the rows live in: a file in the data folder, or PostgreSQL by its address."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SCHEMES = ("postgresql", "postgres")
EXAMPLE = "postgresql://user:password@host:5432/name"


def database(address: str, home: Path) -> dict[str, Any]:
    """Return Django's description of the database at `address`, of the file in `home` if that is empty.

    Raises ImproperlyConfigured with a sentence that does not repeat the password.
    """
    return _postgresql(address) if address else _sqlite(home)


def _sqlite(home: Path) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": home / "db.sqlite3",
        "OPTIONS": {
            # IMMEDIATE takes the write lock at BEGIN, so that two writers wait for each other instead of failing when a
            # read transaction wants to become a writing one.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; "
            # Deleted text is overwritten, not left in free pages.
            "PRAGMA secure_delete=ON;",
        },
    }


def _postgresql(address: str) -> dict[str, Any]:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise _unclear() from None
    name = unquote(parts.path.removeprefix("/"))
    if parts.scheme not in SCHEMES or not name or "/" in name:
        raise _unclear()
    if find_spec("psycopg") is None:
        raise ImproperlyConfigured(
            "READAHEAD_DATABASE names PostgreSQL, which needs the package psycopg: "
            "install it with `.venv/bin/pip install --constraint constraints.txt 'psycopg[binary]'`."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": port or "",
    }


def _unclear() -> ImproperlyConfigured:
    return ImproperlyConfigured(f"READAHEAD_DATABASE is an address like {EXAMPLE}, or empty for a file.")
