"""A thin, typed binding over llama.cpp's C interface: one loaded model, and contexts on it.

Source: `llama_cpp` (llama-cpp-python) mirrors llama.h; the semantics relied on here are those of its comments, and
each is held by a test with a real model (tests/inference/engine).
"""

from __future__ import annotations

import ctypes
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.engine import portable
from inference.errors import EngineFault, ModelFailed

logger = logging.getLogger(__name__)

KV_TYPES = {"f16": 1, "q8_0": 8, "q4_0": 2}
"""ggml type numbers of the KV cache types on offer."""

DECODED, NO_ROOM, ABORTED = 0, 1, 2
"""What `llama_decode` returns, as far as it is not an error."""

LOG_DEBUG, LOG_ERROR = 1, 4
Progress = Callable[[float], bool]


SPINS = "2000"
"""How long a thread of a matrix product spins for the others before it sleeps, in OpenMP's units.

OpenMP's own default is milliseconds, in which a thread that waits keeps the core from the one it waits for as soon as
another program wants one. Measured on two cores: 29 tokens/s with this and with the default when nothing else runs (18
when threads sleep at once); beside programs that keep both cores busy, several times the speed of the default.
"""


def library() -> Any:
    """Return `llama_cpp`, loaded under this process's settings for its threads; the first import must be this one."""
    os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
    import llama_cpp

    return llama_cpp


STATE_PARTIAL = 1
"""LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY."""
STATE_HEAD = 8
"""Bytes before the first part of a sequence's state."""


class LogTap:
    """Receives llama.cpp's log; remembers the last error lines, which hold the cause when a load fails."""

    def __init__(self) -> None:
        llama_cpp = library()
        self._errors: list[str] = []
        self._lines: list[str] = []
        self._callback = llama_cpp.llama_log_callback(self._receive)
        llama_cpp.llama_log_set(self._callback, ctypes.c_void_p(0))

    def _receive(self, level: int, text: bytes, _data: Any) -> None:
        line = text.decode("utf-8", "replace").strip()
        if not line or level == LOG_DEBUG:  # a line for each tensor of each graph
            return
        self._lines = [*self._lines[-400:], line]
        if level == LOG_ERROR:
            self._errors = [*self._errors[-5:], line]
        logger.debug("llama.cpp: %s", line)

    def cause(self) -> str:
        """Return the last error lines as one sentence part, and forget them."""
        cause, self._errors = "; ".join(self._errors), []
        return cause

    def take(self) -> list[str]:
        """Return the lines that came since the last call, oldest first, without those for debugging."""
        lines, self._lines = self._lines, []
        return lines


_tap: LogTap | None = None


def log_tap() -> LogTap:
    """Return this process's tap; llama.cpp has one log sink per process."""
    global _tap  # noqa: PLW0603 - mirrors the library's own global sink
    if _tap is None:
        _tap = LogTap()
    return _tap


class Model:
    """A loaded GGUF file. Not thread-safe except for `tokenize` and `piece`, which only read the vocabulary."""

    def __init__(
        self, path: Path, progress: Progress = lambda _share: True, *, gpu_layers: int = -1, simulated: bool = False
    ) -> None:
        """Load `path`; `progress` is called with 0…1 and says whether to go on.

        A `simulated` model has no weights, and its contexts no cells: they cannot compute, but they are made within
        milliseconds and report in the log what they would take. Raises ModelFailed with llama.cpp's own reason.
        """
        llama_cpp = self._lib = library()
        tap = log_tap()
        tap.cause()
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = gpu_layers
        if simulated:
            params.no_alloc = True
            params.load_mode = llama_cpp.LLAMA_LOAD_MODE_NONE
        report = llama_cpp.llama_progress_callback(lambda share, _data: progress(share))
        params.progress_callback = report
        self._model = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
        if not self._model:
            raise ModelFailed(f"The model file {path.name} could not be loaded: {tap.cause() or 'no reason given'}.")
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        self.n_vocab: int = llama_cpp.llama_vocab_n_tokens(self._vocab)
        self.trained_window: int = llama_cpp.llama_model_n_ctx_train(self._model)
        self.sliding_window: int = llama_cpp.llama_model_n_swa(self._model)
        """Tokens a sliding-window layer looks back; 0 for a model without such layers."""
        self.size: int = llama_cpp.llama_model_size(self._model)
        """Bytes of all tensors."""

    @property
    def handle(self) -> Any:
        """The C pointer, for contexts and samplers."""
        return self._model

    @property
    def vocab(self) -> Any:
        """The C pointer to the vocabulary."""
        return self._vocab

    def free(self) -> None:
        """Release the weights; every context must be gone before."""
        if self._model:
            self._lib.llama_model_free(self._model)
            self._model = None

    def meta(self, key: str) -> str:
        """Return a metadata value of the file, empty when it has none under that key."""
        length = self._lib.llama_model_meta_val_str(self._model, key.encode(), None, 0)
        if length <= 0:
            return ""
        buffer = ctypes.create_string_buffer(length + 1)
        self._lib.llama_model_meta_val_str(self._model, key.encode(), buffer, length + 1)
        return buffer.value.decode("utf-8", "replace")

    def template(self) -> str:
        """Return the file's chat template (Jinja source), empty when it has none."""
        source = self._lib.llama_model_chat_template(self._model, None)
        return source.decode("utf-8", "replace") if source else ""

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Return the token ids of `text`, without BOS; `special` lets `<|im_start|>` and its like mean themselves."""
        data = text.encode("utf-8", "replace")
        if not data:
            return []
        room = len(data) + 8
        tokens = (ctypes.c_int32 * room)()
        count = self._lib.llama_tokenize(self._vocab, data, len(data), tokens, room, False, special)
        if count < 0:
            tokens = (ctypes.c_int32 * -count)()
            count = self._lib.llama_tokenize(self._vocab, data, len(data), tokens, -count, False, special)
        return list(tokens[:count])

    def piece(self, token: int, *, special: bool = False) -> bytes:
        """Return the bytes a token stands for; a character may be spread over several tokens."""
        buffer = ctypes.create_string_buffer(64)
        length = self._lib.llama_token_to_piece(self._vocab, token, buffer, 64, 0, special)
        if length < 0:
            buffer = ctypes.create_string_buffer(-length)
            length = self._lib.llama_token_to_piece(self._vocab, token, buffer, -length, 0, special)
        return buffer.raw[:length]

    def ends(self, token: int) -> bool:
        """Tell whether the token ends a generation."""
        return bool(self._lib.llama_vocab_is_eog(self._vocab, token))

    @property
    def bos(self) -> int | None:
        """The token that the model expects at the start of every sequence, if it does."""
        if not self._lib.llama_vocab_get_add_bos(self._vocab):
            return None
        return int(self._lib.llama_vocab_bos(self._vocab))

    def special_text(self, name: str) -> str:
        """Return the text of the 'bos' or 'eos' token, as chat templates spell it out."""
        token = {"bos": self._lib.llama_vocab_bos, "eos": self._lib.llama_vocab_eos}[name](self._vocab)
        return self.piece(token, special=True).decode("utf-8", "replace") if token >= 0 else ""


@dataclass(frozen=True)
class ContextSpec:
    """How a context is made. `window` is in tokens per sequence; every sequence has cells of its own."""

    window: int
    sequences: int = 1
    batch: int = 512
    ubatch: int = 256
    threads: int = 2
    type_k: str = "f16"
    type_v: str = "f16"
    flash_attention: bool | None = False
    swa_full: bool = True


@dataclass(frozen=True)
class Piece:
    """Tokens of one sequence in a batch: they go to positions `start`, `start + 1`, …

    `want_logits` asks for the logits of the last of them.
    """

    sequence: int
    start: int
    tokens: Sequence[int]
    want_logits: bool


class Context:
    """One KV cache with its compute buffers; used by the engine's thread alone, except for `interrupt`."""

    def __init__(self, model: Model, spec: ContextSpec) -> None:
        """Allocate the cache. Raises ModelFailed with llama.cpp's own reason (often: not enough memory)."""
        llama_cpp = self._lib = library()
        self.spec = spec
        self.model = model
        tap = log_tap()
        tap.cause()
        self._context = llama_cpp.llama_init_from_model(model.handle, _context_params(llama_cpp, spec))
        if not self._context:
            raise ModelFailed(f"No room for a context of {spec.window} tokens: {tap.cause() or 'no reason given'}.")
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._batch = llama_cpp.llama_batch_init(spec.batch, 0, 1)
        self._install_abort()

    def _install_abort(self) -> None:
        """Let `interrupt` end a decode without the interpreter lock.

        llama.cpp calls `bool abort(void *data)` before each graph node. A Python callback would need the interpreter
        lock a thousand times per token, and would wait for it whenever another thread computes. `strlen(data)` has the
        shape of the callback: it is 0 for an empty string and 1 for a string of one character, so the first byte of
        the buffer is the flag, and setting it is one store.
        """
        self._flag = ctypes.create_string_buffer(b"\0", 2)
        strlen = ctypes.cast(ctypes.CDLL(None).strlen, ctypes.c_void_p).value
        self._abort = self._lib.ggml_abort_callback(strlen)
        self._lib.llama_set_abort_callback(self._context, self._abort, ctypes.cast(self._flag, ctypes.c_void_p))

    def interrupt(self) -> None:
        """Make the decode under way (or the next one) return ABORTED; callable from any thread."""
        self._flag[0] = b"\1"

    def clear_interrupt(self) -> None:
        """Let decodes run again."""
        self._flag[0] = b"\0"

    def free(self) -> None:
        """Release the cache; harmless when done already."""
        if self._context:
            self._lib.llama_batch_free(self._batch)
            self._lib.llama_free(self._context)
            self._context = None

    @property
    def handle(self) -> Any:
        """The C pointer, for samplers."""
        return self._context

    def decode(self, pieces: Sequence[Piece]) -> tuple[int, list[int]]:
        """Compute a batch of at most `spec.batch` tokens.

        Returns DECODED, NO_ROOM or ABORTED, and per piece the batch index at which its logits are found (-1 without).
        After ABORTED whole ubatches are kept: ask `length`. Raises EngineFault when llama.cpp reports an error.
        """
        indexes = self._fill(pieces)
        code = self._lib.llama_decode(self._context, self._batch)
        if code < 0:
            raise EngineFault(f"llama_decode returned {code}. {log_tap().cause()}".strip())
        return code, indexes

    def _fill(self, pieces: Sequence[Piece]) -> list[int]:
        batch, at = self._batch, 0
        indexes: list[int] = []
        for piece in pieces:
            for offset, token in enumerate(piece.tokens):
                batch.token[at] = token
                batch.pos[at] = piece.start + offset
                batch.n_seq_id[at] = 1
                batch.seq_id[at][0] = piece.sequence
                batch.logits[at] = 0
                at += 1
            batch.logits[at - 1] = piece.want_logits
            indexes.append(at - 1 if piece.want_logits else -1)
        batch.n_tokens = at
        return indexes

    def logits(self, index: int) -> Any:
        """Return the logits at a batch index, one for each token (numpy float32); they hold until the next decode."""
        import numpy as np

        return np.ctypeslib.as_array(self._lib.llama_get_logits_ith(self._context, index), (self.model.n_vocab,))

    def length(self, sequence: int) -> int:
        """Return how many positions of a sequence are in the cache, counted from 0."""
        return int(self._lib.llama_memory_seq_pos_max(self._memory, sequence)) + 1

    def cut(self, sequence: int, length: int) -> bool:
        """Drop everything from position `length` on; False when the cache cannot keep the rest, which then goes too.

        A sliding-window cache holds only the last positions of its local layers: going back beyond them leaves holes
        that no error reports. A recurrent state cannot go back at all.
        """
        remove = self._lib.llama_memory_seq_rm
        if length > 0 and self._keeps(sequence, length) and remove(self._memory, sequence, length, -1):
            return True
        remove(self._memory, sequence, -1, -1)
        return length == 0

    def copy(self, source: int, target: int) -> None:
        """Make `target` hold what `source` holds (between separate streams only whole sequences can be copied)."""
        self._lib.llama_memory_seq_rm(self._memory, target, -1, -1)
        self._lib.llama_memory_seq_cp(self._memory, source, target, -1, -1)

    def _keeps(self, sequence: int, length: int) -> bool:
        if not self.model.sliding_window or self.length(sequence) == length:
            return True
        # What the local layers hold decides, not the settings: a saved state has only their last window in it, so a
        # restored sequence may lack what one that was read still has.
        lowest = int(self._lib.llama_memory_seq_pos_min(self._memory, sequence))
        return lowest <= max(0, length - self.model.sliding_window)

    def state(self, sequence: int) -> Any:
        """Return the state of a sequence, which any context of the model takes (numpy uint8). Raises EngineFault."""
        size = self._lib.llama_state_seq_get_size(self._context, sequence)
        whole, own = portable.room(size)
        written = self._lib.llama_state_seq_get_data(self._context, _bytes_of(own), size, sequence)
        if written != size:
            raise EngineFault(f"llama.cpp saved {written} of {size} bytes of a sequence's state.")
        try:
            return portable.pack(whole, self.spec.sequences, sequence, self._second_part(sequence, size))
        except portable.NotPortable as error:
            raise EngineFault(f"This model's state cannot be kept: {error}.") from error

    def set_state(self, sequence: int, state: Any) -> bool:
        """Replace a sequence by a state that `state` has returned; False, and the sequence empty, when refused.

        The array may be changed on the way.
        """
        self._lib.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        try:
            own = portable.unpack(state, self.spec.sequences)
        except portable.NotPortable:
            return False
        if self._lib.llama_state_seq_set_data(self._context, _bytes_of(own), own.size, sequence) == own.size:
            return True
        self._lib.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        return False

    def _second_part(self, sequence: int, size: int) -> int:
        """Return the bytes that the cache of the sliding window takes in a state of `size` bytes, 0 without one.

        The flag asks for that part alone; a cache without a window does not know it and tells the size of the whole.
        """
        partial: int = self._lib.llama_state_seq_get_size_ext(self._context, sequence, STATE_PARTIAL)
        return 0 if partial == size else partial - STATE_HEAD


def _bytes_of(array: Any) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))


def _context_params(lib: Any, spec: ContextSpec) -> Any:
    params = lib.llama_context_default_params()
    params.n_ctx = spec.window * spec.sequences
    params.n_seq_max = spec.sequences
    params.n_batch = spec.batch
    params.n_ubatch = spec.ubatch
    params.n_threads = spec.threads
    params.n_threads_batch = spec.threads
    params.type_k = KV_TYPES[spec.type_k]
    params.type_v = KV_TYPES[spec.type_v]
    params.swa_full = spec.swa_full
    params.no_perf = True
    # Separate streams: with one stream for all, every sequence's attention visits the cells of all the others.
    params.kv_unified = False
    params.flash_attn_type = {
        None: lib.LLAMA_FLASH_ATTN_TYPE_AUTO,
        True: lib.LLAMA_FLASH_ATTN_TYPE_ENABLED,
        False: lib.LLAMA_FLASH_ATTN_TYPE_DISABLED,
    }[spec.flash_attention]
    return params
