"""llama.cpp with nothing around it: a context and a decode call, under the flags that the service runs with."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.engine.llama import ContextSpec, Model, _context_params


@dataclass(frozen=True)
class Token:
    """One entry of a batch: sequence, position, id, and whether its logits are wanted."""

    sequence: int
    position: int
    id: int
    last: bool = False


class RawContext:
    """A KV cache of its own, with a greedy sampler."""

    def __init__(self, model: Model, spec: ContextSpec, *, unified: bool = False) -> None:
        """Allocate the cache; `unified` puts the cells of all sequences into one stream."""
        import llama_cpp

        self.spec = spec
        self._lib: Any = llama_cpp
        params = _context_params(llama_cpp, spec)
        params.kv_unified = unified
        self._context = llama_cpp.llama_init_from_model(model.handle, params)
        if not self._context:
            raise MemoryError(f"no room for {spec.sequences} sequences of {spec.window:,} tokens")
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._batch = llama_cpp.llama_batch_init(spec.batch, 0, 1)
        self._sampler = llama_cpp.llama_sampler_init_greedy()

    def free(self) -> None:
        """Release everything."""
        self._lib.llama_sampler_free(self._sampler)
        self._lib.llama_batch_free(self._batch)
        self._lib.llama_free(self._context)

    def clear(self) -> None:
        """Forget every sequence."""
        self._lib.llama_memory_clear(self._memory, True)

    def cut(self, sequence: int, length: int) -> None:
        """Forget a sequence from a position on."""
        self._lib.llama_memory_seq_rm(self._memory, sequence, length, -1)

    def decode(self, tokens: Sequence[Token]) -> dict[int, int]:
        """Compute at most `spec.batch` tokens; return the next token of each sequence whose last one was among them.

        Raises RuntimeError when llama.cpp reports an error.
        """
        batch = self._batch
        for at, token in enumerate(tokens):
            batch.token[at] = token.id
            batch.pos[at] = token.position
            batch.n_seq_id[at] = 1
            batch.seq_id[at][0] = token.sequence
            batch.logits[at] = token.last
        batch.n_tokens = len(tokens)
        code = self._lib.llama_decode(self._context, batch)
        if code:
            raise RuntimeError(f"llama_decode returned {code}")
        sample = self._lib.llama_sampler_sample
        return {
            token.sequence: int(sample(self._sampler, self._context, at))
            for at, token in enumerate(tokens)
            if token.last
        }

    def read(self, prompts: Mapping[int, Sequence[int]]) -> dict[int, int]:
        """Read prompts into empty sequences, packed into full batches; return each sequence's first new token."""
        entries = [
            Token(sequence, position, token, last=position == len(prompt) - 1)
            for sequence, prompt in prompts.items()
            for position, token in enumerate(prompt)
        ]
        first: dict[int, int] = {}
        for at in range(0, len(entries), self.spec.batch):
            first |= self.decode(entries[at : at + self.spec.batch])
        return first

    def generate(self, lengths: Mapping[int, int], first: Mapping[int, int], steps: int) -> None:
        """Add `steps` tokens to each sequence, one of each in a batch; `lengths` says how many positions they hold."""
        newest = dict(first)
        for step in range(steps):
            newest = self.decode([Token(seq, lengths[seq] + step, token, last=True) for seq, token in newest.items()])

    def copy_state(self, source: int, targets: Sequence[int]) -> None:
        """Give other sequences cells of their own with the content of `source`."""
        size = self._lib.llama_state_seq_get_size(self._context, source)
        state = (ctypes.c_uint8 * size)()
        self._lib.llama_state_seq_get_data(self._context, state, size, source)
        for target in targets:
            if self._lib.llama_state_seq_set_data(self._context, state, size, target) != size:
                raise RuntimeError("llama.cpp did not take the state of a sequence")
