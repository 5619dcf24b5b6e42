"""The frames of the websocket: what a page may send, what it gets, and how what it sent is read (docs/protocol.md)."""

from __future__ import annotations

import json
import re
from typing import Any, Literal, TypedDict, TypeGuard

from projects.answering.router import Lane

_SURROGATE = re.compile("[\ud800-\udfff]")
"""JSON can spell half of a character, which is no text and cannot be stored."""


class Ask(TypedDict):
    """Open a turn; `conversation` None begins a new one, `lane` empty takes the best, `fresh` none from before."""

    type: Literal["ask"]
    question: str
    conversation: int | None
    lane: str
    fresh: bool


class Follow(TypedDict):
    """Get a turn from its beginning, then live until it ends."""

    type: Literal["follow"]
    turn: int


class Stop(TypedDict):
    """End the answer of a turn."""

    type: Literal["stop"]
    turn: int


class Typing(TypedDict):
    """Somebody is about to ask in a conversation, None for a new one; nothing of the question is sent along."""

    type: Literal["typing"]
    conversation: int | None


class Watch(TypedDict):
    """Hear from now on of what others do in the project; get what a conversation has beside the `turns` on the page."""

    type: Literal["watch"]
    conversation: int | None
    turns: list[int]


ClientFrame = Ask | Follow | Stop | Typing | Watch


class TurnFrame(TypedDict):
    """A turn is being followed from here; `html` is its fragment, `url` the page of its conversation."""

    type: Literal["turn"]
    turn: int
    conversation: int
    url: str
    html: str


class StageFrame(TypedDict):
    """What is being done for the answer now."""

    type: Literal["stage"]
    turn: int
    name: Literal["searching", "waiting", "reading", "answering"]


class ReadingFrame(TypedDict):
    """Prompt tokens read of those to read; `seconds_left` None while the speed is not known."""

    type: Literal["reading"]
    turn: int
    read: int
    total: int
    seconds_left: float | None


class LookingFrame(TypedDict):
    """Documents asked of those to ask, and the one that is being asked."""

    type: Literal["looking"]
    turn: int
    done: int
    total: int
    name: str


class TextFrame(TypedDict):
    """The next piece of the answer."""

    type: Literal["text"]
    turn: int
    text: str


class EndedFrame(TypedDict):
    """The turn has ended; `html` is its fragment as stored."""

    type: Literal["ended"]
    turn: int
    state: str
    html: str


class GoneFrame(TypedDict):
    """These turns are no longer part of the conversation that is watched."""

    type: Literal["gone"]
    turns: list[int]


class ConversationsFrame(TypedDict):
    """The project's list of conversations has changed."""

    type: Literal["conversations"]


class ErrorFrame(TypedDict):
    """A frame was refused; nothing was changed and the socket stays open."""

    type: Literal["error"]
    code: str
    message: str


ServerFrame = (
    TurnFrame
    | StageFrame
    | ReadingFrame
    | LookingFrame
    | TextFrame
    | EndedFrame
    | GoneFrame
    | ConversationsFrame
    | ErrorFrame
)


class FrameError(Exception):
    """A client frame that cannot be acted on; becomes an error frame."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)


def parse(text: str | None) -> ClientFrame:
    """Read one client frame; raises FrameError saying what is wrong with it."""
    if text is None:
        raise FrameError("bad_json", "Frames are text, not binary.")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):  # ValueError also for a number of thousands of digits
        raise FrameError("bad_json", "The frame is not JSON.") from None
    if not isinstance(data, dict):
        raise FrameError("bad_frame", "The frame is not a JSON object.")
    match data.get("type"):
        case "ask":
            return Ask(
                type="ask",
                question=_text(data, "question"),
                conversation=_conversation(data),
                lane=_lane(data),
                fresh=_flag(data, "fresh"),
            )
        case "follow":
            return Follow(type="follow", turn=_id(data, "turn"))
        case "stop":
            return Stop(type="stop", turn=_id(data, "turn"))
        case "typing":
            return Typing(type="typing", conversation=_conversation(data))
        case "watch":
            return Watch(type="watch", conversation=_conversation(data), turns=_ids(data, "turns"))
        case _:
            raise FrameError("unknown_type", "The frame's type is none of ask, follow, stop, typing, watch.")


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise FrameError("bad_frame", f"'{key}' must be text.")
    if _SURROGATE.search(value):
        raise FrameError("bad_frame", f"'{key}' holds half of a character.")
    return value


def _lane(data: dict[str, Any]) -> str:
    """Return the lane that is asked for; a frame without one, or with null, leaves the choice to Readahead."""
    value = data.get("lane") or ""
    if not isinstance(value, str) or value not in {"", *Lane}:
        raise FrameError("bad_frame", f"'lane' must be one of {', '.join(Lane)}, or null.")
    return value


def _flag(data: dict[str, Any], key: str) -> bool:
    value = data.get(key, False)
    if not isinstance(value, bool):
        raise FrameError("bad_frame", f"'{key}' must be true or false.")
    return value


def _id(data: dict[str, Any], key: str) -> int:
    value = data.get(key)
    if not _is_id(value):
        raise FrameError("bad_frame", f"'{key}' must be a positive number.")
    return value


def _ids(data: dict[str, Any], key: str) -> list[int]:
    values = data.get(key)
    if not isinstance(values, list) or not all(map(_is_id, values)):
        raise FrameError("bad_frame", f"'{key}' must be a list of positive numbers.")
    return values


def _is_id(value: Any) -> TypeGuard[int]:
    # A bool is an int in Python, and an id beyond 64 bits would be refused by the database, not by us.
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63


def _conversation(data: dict[str, Any]) -> int | None:
    return None if data.get("conversation") is None else _id(data, "conversation")
