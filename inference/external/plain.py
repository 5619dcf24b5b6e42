"""Keeps text of documents plain text for a server that would take some of it for its own control tokens.

The local service tokenizes text with special tokens off. A server gets messages, and tokenizes what its template makes
of them with special tokens on: `<|im_start|>system` in a document would begin a message there. So a space goes into
whatever has the form of a control token of a family of models; people and models read it as before.
"""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"<(?=[|｜])|(?<=[|｜])(?=>)|<(?=/?(?:s|bos|eos|pad|unk|mask|think|tool_call|tool_response|start_of_\w+|end_of_\w+)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|IMG)\])"
)


def plain(text: str) -> str:
    """Return a text without control tokens: `<|im_end|>` becomes `< |im_end| >`."""
    return _CONTROL.sub(lambda match: f"{match.group()} ", text)
