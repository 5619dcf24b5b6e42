"""The address of a server, in one form, and what it says about where text goes."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from inference.loopback import is_loopback

VERSION = "/v1"
ENDS = ("/chat/completions", "/completions", "/models")
"""What people copy along from the manual of a server."""

NO_ADDRESS = "This is not the address of a server. One looks like http://127.0.0.1:8080/v1."

_HOST = re.compile(r"[^\s/@?#\\]+")


def normalised(text: str) -> str:
    """Return an address up to where `/models` follows, without a slash at its end.

    Raises ValueError with a sentence.
    """
    text = text.strip()
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port
    except ValueError:
        raise ValueError(NO_ADDRESS) from None
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"An address begins with http:// or https://, not with {parts.scheme}://.")
    if parts.username is not None or parts.password is not None:
        raise ValueError("An address has no name and no password in it. The key has a field of its own.")
    if port == 0 or not parts.hostname or not _HOST.fullmatch(parts.hostname) or parts.query or parts.fragment:
        raise ValueError(NO_ADDRESS)
    if "://" not in text and not is_loopback(parts.hostname):
        raise ValueError("Write the address with http:// or https://: the first sends everything unencrypted.")
    path = parts.path.rstrip("/")
    for end in ENDS:
        path = path.removesuffix(end)
    return f"{parts.scheme}://{parts.netloc.lower()}{path or VERSION}"


def origin(url: str) -> str:
    """Return scheme, host and port of an address: who gets what is sent there."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def root(url: str) -> str:
    """Return the address under which servers have what is not OpenAI's (`/props`, `/tokenize`)."""
    return url.removesuffix(VERSION)


def leaves_machine(url: str) -> bool:
    """Tell whether what is sent to an address leaves this machine."""
    return not is_loopback(urlsplit(url).hostname or "")


def is_open(url: str) -> bool:
    """Tell whether it leaves this machine unencrypted."""
    return leaves_machine(url) and url.startswith("http://")
