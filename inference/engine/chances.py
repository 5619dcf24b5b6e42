"""The chances that the model gave the tokens at one place of an answer."""

from __future__ import annotations

import math
from typing import Any

from inference.contracts import LEAST_LOGPROB, Chance, TokenChance
from inference.engine.llama import Context


def token_chance(context: Context, index: int, token: int, count: int) -> TokenChance:
    """Return the chance of a token, and of the `count` likeliest, out of the logits at a batch index."""
    likeliest, (own,) = log_chances(context.logits(index), count, [token])

    def named(token: int, logprob: float) -> Chance:
        return Chance(context.model.piece(token, special=True), logprob)

    return TokenChance(named(token, own).data, own, tuple(named(*pair) for pair in likeliest))


def log_chances(logits: Any, count: int, tokens: list[int]) -> tuple[list[tuple[int, float]], list[float]]:
    """Return the `count` likeliest tokens with the logarithms of their probabilities, and those of given `tokens`.

    `logits` is a numpy array with one for each token. Of equally likely tokens the lowest comes first, as it does for
    llama.cpp when it chooses greedily. Nothing is below `LEAST_LOGPROB`.
    """
    import numpy as np

    highest = float(logits.max())
    whole = highest + math.log(float(np.exp(logits - highest).sum(dtype=np.float64)))

    def logprob(token: int) -> float:
        return max(LEAST_LOGPROB, float(logits[token]) - whole)  # in this order it also holds for what is no number

    count = min(count, logits.size)
    if count == 0:
        return [], [logprob(token) for token in tokens]
    least = np.partition(logits, -count)[-count]
    candidates = np.flatnonzero(logits >= least)
    likeliest = candidates[np.argsort(-logits[candidates], kind="stable")][:count]
    return [(int(token), logprob(token)) for token in likeliest], [logprob(token) for token in tokens]
