"""llama.cpp's own server out of the xllamacpp wheel, as a process of its own (`python -m bench.upstream`)."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import httpx

from bench.children import answer_lines
from inference.engine.llama import KV_TYPES, ContextSpec


def main() -> None:
    """Start the server on a model file with the flags of a ContextSpec (JSON), then say where it listens."""
    import xllamacpp

    path, flags = sys.argv[1:]
    spec = ContextSpec(**json.loads(flags))
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel, params.kv_unified = spec.window * spec.sequences, spec.sequences, False
    params.n_batch, params.n_ubatch = spec.batch, spec.ubatch
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = spec.threads
    kinds = xllamacpp.llama_flash_attn_type
    params.flash_attn_type = {
        None: kinds.LLAMA_FLASH_ATTN_TYPE_AUTO,
        True: kinds.LLAMA_FLASH_ATTN_TYPE_ENABLED,
        False: kinds.LLAMA_FLASH_ATTN_TYPE_DISABLED,
    }[spec.flash_attention]
    params.cache_type_k, params.cache_type_v = (
        xllamacpp.ggml_type(KV_TYPES[kind]) for kind in (spec.type_k, spec.type_v)
    )
    # Nothing is to be remembered between requests, and nothing to be fitted to the machine behind our back.
    params.cache_ram_mib, params.n_ctx_checkpoints, params.fit_params = 0, 0, False
    params.port = 0
    server = xllamacpp.Server(params)
    answer_lines({"url": server.listening_address}, lambda _question: {})


async def complete(client: httpx.AsyncClient, prompt: Sequence[int], predict: int) -> int:
    """Stream one greedy completion of token ids from the server; return the tokens generated."""
    body = {
        "prompt": list(prompt),
        "n_predict": predict,
        "temperature": 0,
        "cache_prompt": False,
        "ignore_eos": True,
        "stream": True,
    }
    last: dict[str, Any] = {}
    async with client.stream("POST", "/completion", json=body) as reply:
        reply.raise_for_status()
        async for line in reply.aiter_lines():
            if line.startswith("data: "):
                last = json.loads(line.removeprefix("data: "))
    return int(last["tokens_predicted"])


if __name__ == "__main__":
    main()
