"""Tests of the frames: what is refused and why, and that docs/protocol.md tells all of them and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects import frames
from projects.answering.events import StageName

ROOT = Path(__file__).resolve().parents[2]
PROTOCOL = (ROOT / "docs" / "protocol.md").read_text()
FRAMES = {
    get_args(get_type_hints(frame)["type"])[0]: frame
    for union in (frames.ClientFrame, frames.ServerFrame)
    for frame in get_args(union)
}


def refusal(text: str | None) -> str:
    with pytest.raises(frames.FrameError) as caught:
        frames.parse(text)
    return caught.value.code


def test_a_question_may_open_a_conversation_or_go_on_with_one() -> None:
    assert frames.parse('{"type": "ask", "question": "Why?"}') == {
        "type": "ask",
        "question": "Why?",
        "conversation": None,
        "lane": "",
        "fresh": False,
    }
    assert frames.parse('{"type": "ask", "question": "Why?", "conversation": 3}')["type"] == "ask"


def test_a_question_may_name_its_lane_and_ask_for_an_answer_made_anew() -> None:
    asked = frames.parse('{"type": "ask", "question": "Why?", "lane": "deep", "fresh": true}')
    assert asked["type"] == "ask"
    assert (asked["lane"], asked["fresh"]) == ("deep", True)
    best = frames.parse('{"type": "ask", "question": "Why?", "lane": null, "fresh": false}')
    assert best["type"] == "ask"
    assert (best["lane"], best["fresh"]) == ("", False)


@pytest.mark.parametrize(
    "wishes",
    [{"lane": "slow"}, {"lane": ["deep"]}, {"lane": {}, "fresh": 1}, {"fresh": "yes"}, {"fresh": None}],
    ids=["unknown lane", "list", "number", "text", "null"],
)
def test_wishes_that_there_are_not_are_refused(wishes: dict[str, Any]) -> None:
    assert refusal(json.dumps({"type": "ask", "question": "Why?", **wishes})) == "bad_frame"


def test_typing_names_the_conversation_or_none() -> None:
    assert frames.parse('{"type": "typing"}') == {"type": "typing", "conversation": None}
    assert frames.parse('{"type": "typing", "conversation": 3}') == {"type": "typing", "conversation": 3}


@pytest.mark.parametrize("kind", ["follow", "stop"])
def test_a_turn_is_named_by_its_id(kind: str) -> None:
    assert frames.parse(json.dumps({"type": kind, "turn": 7})) == {"type": kind, "turn": 7}


def test_a_page_may_show_no_turn_yet() -> None:
    empty: dict[str, object] = {"type": "watch", "conversation": None, "turns": []}
    assert frames.parse(json.dumps(empty)) == empty
    assert frames.parse('{"type": "watch", "conversation": 3, "turns": [7, 8]}')["type"] == "watch"


@pytest.mark.parametrize("text", [None, "", "{", "nonsense", "[" * 100_000, '{"turn": ' + "9" * 5_000 + "}"])
def test_what_is_not_json_is_said_to_be_so(text: str | None) -> None:
    assert refusal(text) == "bad_json"


@pytest.mark.parametrize(
    "frame",
    [
        [],
        "ask",
        {"type": "ask"},
        {"type": "ask", "question": 5},
        {"type": "ask", "question": "half a character: \ud800"},
        {"type": "ask", "question": "Why?", "conversation": "3"},
        {"type": "follow"},
        {"type": "follow", "turn": True},
        {"type": "follow", "turn": 0},
        {"type": "stop", "turn": 2**63},
        {"type": "watch", "conversation": 3},
        {"type": "watch", "conversation": 3, "turns": 7},
        {"type": "watch", "conversation": 3, "turns": [7, True]},
    ],
)
def test_a_frame_with_a_wrong_field_is_refused(frame: Any) -> None:
    assert refusal(json.dumps(frame)) == "bad_frame"


@pytest.mark.parametrize("frame", [{}, {"type": None}, {"type": "turn"}, {"type": []}])
def test_an_unknown_type_is_refused(frame: Any) -> None:
    assert refusal(json.dumps(frame)) == "unknown_type"


@given(
    st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner)).map(json.dumps)
)
def test_whatever_comes_is_either_a_frame_or_refused(text: str) -> None:
    try:
        frames.parse(text)
    except frames.FrameError as error:
        seen = error.code
    else:
        seen = "taken"
    assert seen in {"taken", "bad_frame", "unknown_type"}


def documented() -> dict[str, str]:
    """Each frame's part of docs/protocol.md by its type."""
    parts = re.split(r"^### `(\w+)`$", PROTOCOL, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_frame_is_documented_and_every_documented_frame_exists() -> None:
    assert documented().keys() == FRAMES.keys()


@pytest.mark.parametrize("kind", FRAMES)
def test_every_field_of_a_frame_is_documented(kind: str) -> None:
    fields = re.findall(r"^\| `(\w+)` \|", documented()[kind].split("| code |")[0], flags=re.MULTILINE)
    assert sorted(fields) == sorted(FRAMES[kind].__annotations__.keys() - {"type"})


def test_every_error_code_is_documented_and_every_documented_code_exists() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", PROTOCOL.split("| code | cause |")[1], flags=re.MULTILINE))
    source = "".join((ROOT / "projects" / name).read_text() for name in ("frames.py", "asking.py", "consumers.py"))
    raised = re.findall(r'(?:FrameError|QuestionRefused)\(\s*"(\w+)"|"code": "(\w+)"', source)
    assert told == {code for pair in raised for code in pair if code}


def test_every_stage_is_documented() -> None:
    hints = get_type_hints(frames.StageFrame)
    assert get_args(hints["name"]) == get_args(StageName)
    assert all(f"`{name}`" in documented()["stage"] for name in get_args(StageName))
