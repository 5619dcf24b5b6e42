"""The snapshot file: what was written is what is read, and nothing else is ever taken for it."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inference.engine.snapshot_file import BadSnapshot, Header, checksum, read, read_head, write

TOKENS = np.arange(7, dtype="<i4")
STATE = np.frombuffer(bytes(range(200)), dtype=np.uint8)


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    path = tmp_path / "a.kv"
    write(path, Header("key", 7, 200, checksum("key", TOKENS, STATE)), TOKENS, STATE)
    return path


def test_what_was_written_is_read(snapshot: Path) -> None:
    header, tokens, state = read(snapshot)
    assert header.key == "key"
    assert np.array_equal(tokens, TOKENS)
    assert np.array_equal(state, STATE)


def test_only_its_owner_can_read_it(snapshot: Path) -> None:
    assert snapshot.stat().st_mode & 0o777 == 0o600


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_flipped_bit_is_found(snapshot: Path, data: st.DataObject) -> None:
    good = snapshot.read_bytes()
    bit = data.draw(st.integers(0, len(good) * 8 - 1))
    bad = bytearray(good)
    bad[bit // 8] ^= 1 << bit % 8
    spoiled = snapshot.with_name("spoiled.kv")
    spoiled.write_bytes(bad)
    with pytest.raises(BadSnapshot):
        read(spoiled)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_shorter_or_longer_file_is_found(snapshot: Path, data: st.DataObject) -> None:
    good = snapshot.read_bytes()
    length = data.draw(st.integers(0, len(good) - 1))
    spoiled = snapshot.with_name("spoiled.kv")
    spoiled.write_bytes(good[:length])
    with pytest.raises(BadSnapshot):
        read(spoiled)
    spoiled.write_bytes(good + b"x" * (length + 1))
    with pytest.raises(BadSnapshot):
        read_head(spoiled)


def test_a_full_disk_leaves_neither_a_half_nor_a_draft(tmp_path: Path) -> None:
    with (
        mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")),
        pytest.raises(OSError, match="space"),
    ):
        write(tmp_path / "a.kv", Header("key", 7, 200, 0), TOKENS, STATE)
    assert list(tmp_path.iterdir()) == []
