"""How many tokens a text may have at most, for servers that do not count them.

Every vocabulary differs. The figures are on the safe side of the small ones in use (49,000 to 150,000 entries): what is
planned by them fits into the window, and is somewhat shorter than it could be. A test holds them against real ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from inference.contracts import ChatMessage

LETTERS, OF_LONG = 3, 2.4
"""Of a word in English letters for one token, and of one with more than `LONG`; short words are one."""
LONG = 12
ACCENTED = 2
"""Letters of a word with accents for one token."""
ALPHABETIC = 1.0
"""Tokens of a letter of Greek, Cyrillic, Hebrew and Arabic."""
OTHER = 1.5
"""Tokens of a character of other scripts and of a symbol."""
WIDE = 2
"""Tokens of a character of Chinese, Japanese and Korean."""
MESSAGE = 8
"""Tokens that a chat template puts around a message."""
PROMPT = 16
"""Tokens that a chat template puts around all of them."""

_TOKEN = re.compile(
    r"(?P<word>[A-Za-z\u00c0-\u024f]+)|(?P<own> (?=[A-Za-z\u00c0-\u024f]))|(?P<space>\s+)|(?P<ascii>[\x00-\x7f])"
    r"|(?P<wide>[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff])"
    r"|(?P<alphabetic>[\u0370-\u06ff])|(?P<other>.)",
    re.DOTALL,
)


_CHARACTERS = {"ascii": 1.0, "wide": WIDE, "alphabetic": ALPHABETIC, "other": OTHER}


def most_tokens(text: str) -> int:
    """Return the tokens of a text, rather too many than too few."""
    return round(sum(_cost(match) for match in _TOKEN.finditer(text)) + 0.5)


def prompt_tokens(messages: Sequence[ChatMessage], prompt: str) -> int:
    """Return the tokens of a prompt with what the template puts around its messages."""
    if not messages:
        return most_tokens(prompt)
    return PROMPT + sum(MESSAGE + most_tokens(message.text) for message in messages)


def _cost(match: re.Match[str]) -> float:
    text = match.group()
    match match.lastgroup:
        case "word":
            letters = ACCENTED if not text.isascii() else OF_LONG if len(text) > LONG else LETTERS
            return max(1.0, len(text) / letters)
        case "own":  # belongs to the word behind it
            return 0.0
        case "space":
            return text.count("\n") + 1.0
    return _CHARACTERS[match.lastgroup or "other"]
