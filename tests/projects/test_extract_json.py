"""JSON as text: no key and no value lost, each where a person understands it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.extract import Context, extract
from projects.intake.extract.json_text import MAX_PATH, _Found, _values


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read_bytes(content: bytes | str, name: str = "data.json") -> Any:
        path = tmp_path / "stored"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return extract(path, Context(name))

    return read_bytes


def texts(found: Any) -> list[str]:
    return [block.text for block in found.blocks]


def test_every_value_stands_under_its_path(read: Any) -> None:
    found = read(
        '{"tenant": {"name": "Müller", "paid": true, "phone": null}, "rent": 1250.50, "keys": [1, 2], "notes": []}'
    )

    assert texts(found) == [
        "tenant.name: Müller\ntenant.paid: true\ntenant.phone: null\nrent: 1250.50\nkeys: 1, 2\nnotes: []"
    ]
    assert found.media_type == "application/json"


def test_numbers_stay_as_written_and_keys_that_come_twice_are_kept(read: Any) -> None:
    found = read('{"id": 12345678901234567890123, "rate": 1.10, "x": 1e400, "x": 2, "digits": %s}' % ("9" * 5_000))

    assert texts(found)[0].startswith("id: 12345678901234567890123\nrate: 1.10\nx: 1e400\nx: 2")
    assert "9" * 5_000 in "".join(texts(found))


def test_a_list_of_like_records_is_a_table(read: Any) -> None:
    found = read('{"rents": [{"month": "March", "sum": 900}, {"month": "April", "sum": 950, "note": null}]}')

    assert texts(found) == ["rents:", "month | sum | note\nMarch | 900\nApril | 950"]
    assert found.report.tables == 1


def test_each_record_of_a_list_is_a_block(read: Any) -> None:
    found = read('[{"name": "Ada", "tags": {"a": 1}}, {"name": "Bob", "tags": {"a": 2}}]')

    assert texts(found) == ["[0].name: Ada\n[0].tags.a: 1", "[1].name: Bob\n[1].tags.a: 2"]


def test_lines_of_json_are_read_one_after_another(read: Any) -> None:
    found = read(b'{"event": "login", "user": "ada"}\r\n\r\n{"event": "logout", "user": "bob"}\r\n', "log.jsonl")

    assert texts(found) == ["event | user\nlogin | ada\nlogout | bob"]


def test_line_ends_within_strings_are_read(read: Any) -> None:
    found = read('{"note": "one\u2028two\nthree"}')

    assert (texts(found), found.warnings) == (["note: one\ntwo\nthree"], ())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_json_is_read_in_its_encoding(read: Any, encoding: str) -> None:
    assert texts(read('{"name": "Größe"}'.encode(encoding))) == ["name: Größe"]


@pytest.mark.parametrize(
    "content",
    ['{"a": 1, // remark\n"b": 2}', '{"a": 1,}', '{"a": 1', "[" * 100_000, '{"a": ' * 100_000 + "1" + "}" * 100_000],
    ids=["remark", "trailing-comma", "cut-off", "brackets-without-end", "too-deep"],
)
def test_what_is_no_json_is_read_as_text_with_a_warning(read: Any, content: str) -> None:
    found = read(content)

    assert "".join(texts(found)) == content
    assert found.warnings == ("The file is no valid JSON and was read as plain text.",)


def test_a_deep_file_gives_bounded_paths(read: Any) -> None:
    depth = 300
    found = read('{"level": [' * depth + '"bottom"' + "]}" * depth)

    assert texts(found)[0].endswith("bottom")
    assert len(texts(found)[0]) < MAX_PATH + 20


def test_a_large_file_costs_in_proportion_to_its_size(read: Any) -> None:
    def cost(count: int) -> int:
        found = read(json.dumps([{"a": {"b": number}} for number in range(count)]))
        return sum(map(len, texts(found)))

    assert cost(4_000) < 4.5 * cost(1_000)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet="abc |.:\n", max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet="xyz", max_size=3), inner, max_size=4),
    max_leaves=30,
)


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in [key, *leaves(item)]]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [str(value)] if isinstance(value, str | int) and not isinstance(value, bool) else []


@given(values)
def test_no_key_and_no_value_is_lost(value: Any) -> None:
    found = _Found()
    found.read(_values(json.dumps(value))[0])
    text = "".join(block.text for block in found.blocks)

    bare = "".join(text.split())
    assert all("".join(leaf.split()) in bare for leaf in leaves(value))
