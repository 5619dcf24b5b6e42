"""The state of one sequence in a form that any context of the model takes, however many sequences that one has.

llama.cpp writes, behind a head of two numbers (magic, sequence), one part for each cache of the model: most have one,
those with a sliding window two. A part begins with the number of the context's streams; then, for each stream, the
number of cells, and behind that of the sequence's own stream the cells. Reading insists on the same number of streams,
although a sequence has cells in a single one: the study's context has one stream and could pass nothing on to a
conversation.

Here the state is kept as a context with one stream would write it, in front of it the length of its first part, behind
it as many zeros as there can be other streams. So a mapped file needs a single number patched to be taken by another
context, and no copy.
"""

from __future__ import annotations

from typing import Any

MOST_STREAMS = 64
"""Sequences of a context."""

_WORD = 4
_HEAD = 2
"""Words before the first part."""
_FRONT = 2
"""Words that hold the length of the first part, kept even so that what follows stays aligned."""


class NotPortable(Exception):
    """The state is not laid out as expected; the message says where."""


def room(size: int) -> tuple[Any, Any]:
    """Return an array for a portable state and the view of it into which llama.cpp is to write its `size` bytes."""
    import numpy as np

    whole = np.empty(_FRONT * _WORD + size + (MOST_STREAMS - 1) * _WORD, dtype=np.uint8)
    return whole, whole[_FRONT * _WORD :][:size]


def pack(whole: Any, streams: int, stream: int, last_part: int) -> Any:
    """Return in portable form what a context with `streams` wrote into `room` for the sequence in `stream`.

    `last_part`: bytes of the second part, 0 if there is only one. What came from a context with one stream is not
    copied. Raises NotPortable.
    """
    import numpy as np

    front, spare = _FRONT * _WORD, (MOST_STREAMS - 1) * _WORD
    state = whole[front : whole.size - spare]
    seam = state.size - last_part
    first = _bare(state[_HEAD * _WORD : seam], streams, stream)
    second = _bare(state[seam:], streams, stream) if last_part else state[:0]
    if streams > 1:
        whole = np.concatenate([whole[: front + _HEAD * _WORD], first, second, whole[whole.size - spare :]])
    whole[:front].view("<u4")[:] = divmod(_HEAD * _WORD + first.size, 1 << 32)
    whole[whole.size - spare :] = 0
    return whole


def unpack(packed: Any, streams: int) -> Any:
    """Return a portable state as a context with `streams` reads it; may patch and return the array that it was given.

    Raises NotPortable for an array that `pack` cannot have made.
    """
    import numpy as np

    front, spare = _FRONT * _WORD, (MOST_STREAMS - 1) * _WORD
    if packed.size < front + (_HEAD + 2) * _WORD + spare:
        raise NotPortable("it is too short")
    high, low = (int(word) for word in packed[:front].view("<u4"))
    seam, end = front + (high << 32) + low, packed.size - spare
    if not front + (_HEAD + 2) * _WORD <= seam <= end:
        raise NotPortable("its parts have impossible lengths")
    others = (streams - 1) * _WORD
    starts = [front + _HEAD * _WORD, *([seam] if seam < end else [])]
    for start in starts:
        packed[start : start + _WORD] = np.frombuffer(np.uint32(streams).tobytes(), dtype=np.uint8)
    if len(starts) == 1:
        return packed[front : end + others]
    return np.concatenate([packed[front:seam], packed[end : end + others], packed[seam : end + others]])


def _bare(part: Any, streams: int, stream: int) -> Any:
    """Return a part without the streams that hold nothing, the number of streams set to 1."""
    import numpy as np

    counts = part[: (stream + 2) * _WORD].view("<u4")
    trailing = part[part.size - (streams - 1 - stream) * _WORD :]
    if part.size < (streams + 1) * _WORD or counts[0] != streams or counts[1:-1].any() or trailing.any():
        raise NotPortable(f"a part does not begin with {streams} streams of which only number {stream} holds anything")
    if streams == 1:
        return part
    one = np.frombuffer(np.uint32(1).tobytes(), dtype=np.uint8)
    return np.concatenate([one, part[(stream + 1) * _WORD : part.size - trailing.size]])
