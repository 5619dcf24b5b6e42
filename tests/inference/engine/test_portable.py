"""States of sequences travel between contexts with any number of sequences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.engine import portable

HEAD = [0xAF143CD8, 0]


def written(streams: int, stream: int, parts: list[list[int]]) -> tuple[object, int]:
    """Return what a context with `streams` writes for parts of so many words, in `room`, and the last part's bytes."""
    words = list(HEAD)
    last = 0
    for cells in parts:
        part = [streams, *[0] * stream, *cells, *[0] * (streams - 1 - stream)]
        last = 4 * len(part)
        words += part
    whole, view = portable.room(4 * len(words))
    view[:] = np.array(words, dtype="<u4").view(np.uint8)
    return whole, last if len(parts) > 1 else 0


def read(state: object) -> list[int]:
    return [int(word) for word in np.asarray(state).view("<u4")]


CELLS = st.lists(st.integers(min_value=1, max_value=2**32 - 1), min_size=1, max_size=12)


@given(st.data(), st.integers(1, 6), st.integers(1, 6), st.lists(CELLS, min_size=1, max_size=2))
def test_a_state_is_read_by_any_number_of_streams(
    data: st.DataObject, streams: int, others: int, parts: list[list[int]]
) -> None:
    whole, last = written(streams, data.draw(st.integers(0, streams - 1)), parts)

    state = portable.unpack(portable.pack(whole, streams, _stream(whole, streams), last), others)

    expected = [*HEAD, *(word for cells in parts for word in (others, *cells, *[0] * (others - 1)))]
    assert read(state) == expected


def _stream(whole: object, streams: int) -> int:
    """Return the stream that holds cells: the first whose count is not 0."""
    words = [int(word) for word in np.asarray(whole)[8 + 8 + 4 :][: 4 * streams].view("<u4")]
    return next(index for index, word in enumerate(words) if word)


def test_a_state_with_cells_in_two_streams_is_not_kept() -> None:
    whole, last = written(2, 0, [[5, 6]])
    whole[-4 * (portable.MOST_STREAMS - 1) - 4 :][:4] = 1  # type: ignore[index]

    with pytest.raises(portable.NotPortable):
        portable.pack(whole, 2, 0, last)


@pytest.mark.parametrize("size", [0, 8, 100, 400])
def test_what_is_no_state_is_refused(size: int) -> None:
    with pytest.raises(portable.NotPortable):
        portable.unpack(np.full(size, 255, dtype=np.uint8), 2)
