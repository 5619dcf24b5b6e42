"""The sampler chain of one request."""

from __future__ import annotations

import json
from typing import Any

from inference.contracts import Sampling
from inference.engine.llama import Context, Model, library, log_tap
from inference.errors import BadRequest

PENALTY_WINDOW = 64
"""Tokens back that the repeat penalty looks, as in llama.cpp's own default."""


class Sampler:
    """Chooses the next token from the logits; stateful (penalties, grammar, random numbers), one per request."""

    def __init__(self, model: Model, sampling: Sampling) -> None:
        """Build the chain in llama.cpp's own order. Raises BadRequest when the schema makes no grammar."""
        llama_cpp = self._lib = library()
        # llama.cpp's chain makes a list of the whole vocabulary for every token, which is most of the time between two
        # decodes. The likeliest token alone needs no list.
        self._plain = sampling.temperature <= 0 and sampling.repeat_penalty == 1.0 and sampling.grammar_schema is None
        grammar = _grammar(llama_cpp, model, sampling)
        params = llama_cpp.llama_sampler_chain_default_params()
        params.no_perf = True
        self._chain = llama_cpp.llama_sampler_chain_init(params)
        for link in [*grammar, *_links(llama_cpp, model, sampling)]:
            llama_cpp.llama_sampler_chain_add(self._chain, link)

    def sample(self, context: Context, index: int) -> int:
        """Return the token chosen from the logits at a batch index, and take note of it.

        Of equally likely tokens greedy sampling takes the lowest, as llama.cpp's own does.
        """
        if self._plain:
            return int(context.logits(index).argmax())
        return int(self._lib.llama_sampler_sample(self._chain, context.handle, index))

    def free(self) -> None:
        """Release the chain and its links; harmless when done already."""
        if self._chain:
            self._lib.llama_sampler_free(self._chain)
            self._chain = None


def _links(lib: Any, model: Model, sampling: Sampling) -> list[Any]:
    links: list[Any] = []
    if sampling.repeat_penalty != 1.0:
        links.append(lib.llama_sampler_init_penalties(model.n_vocab, PENALTY_WINDOW, sampling.repeat_penalty, 0.0, 0.0))
    if sampling.temperature <= 0:
        return [*links, lib.llama_sampler_init_greedy()]
    if sampling.top_k > 0:
        links.append(lib.llama_sampler_init_top_k(sampling.top_k))
    if sampling.top_p < 1:
        links.append(lib.llama_sampler_init_top_p(sampling.top_p, 1))
    if sampling.min_p > 0:
        links.append(lib.llama_sampler_init_min_p(sampling.min_p, 1))
    links.append(lib.llama_sampler_init_temp(sampling.temperature))
    links.append(lib.llama_sampler_init_dist(sampling.seed))
    return links


def _grammar(lib: Any, model: Model, sampling: Sampling) -> list[Any]:
    if sampling.grammar_schema is None:
        return []
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    try:
        source = json_schema_to_gbnf(json.dumps(sampling.grammar_schema))
    except Exception as error:  # a stranger's schema in a library that takes it for a good one
        raise BadRequest(f"The JSON schema cannot be turned into a grammar: {error!r}.") from error
    link = lib.llama_sampler_init_grammar(model.vocab, source.encode(), b"root")
    if not link:
        raise BadRequest(f"llama.cpp does not accept the schema's grammar: {log_tap().cause()}.")
    return [link]
