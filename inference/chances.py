"""What the chances of an answer's first token say about the answer: how sure the model is of 'Yes' against 'No'."""

from __future__ import annotations

import math
import re
from collections.abc import Collection

from inference.contracts import Chance, Completion, TokenChance


def chance_of(completion: Completion, words: Collection[str]) -> float | None:
    """Return the probability (0…1) that the answer began with one of `words`, however it is spaced or capitalised.

    That is the sum over the tokens known for the place of the first one that is more than white space: those asked
    for with `ChatRequest.logprobs`, and the one that came. So it is a lower bound, close when ten or more were asked
    for. A word that the model spells in several tokens is not found.

    None when nothing is known: no chances were asked for, or the server gave none.
    """
    token = _first(completion)
    if token is None:
        return None
    wanted = {_plain(word) for word in words}
    # A set, because the token that came is as a rule among the likeliest.
    known = {Chance(token.data, token.logprob), *token.top}
    return min(1.0, math.fsum(chance.probability for chance in known if _plain(chance.text) in wanted))


def chance_against(completion: Completion, words: Collection[str], others: Collection[str]) -> float | None:
    """Return the probability of `words` as a share of that of `words` and `others`: 0.5 is as likely as not.

    From a server that tells no chances the word itself counts: 1.0 when the answer begins with one of `words`, 0.0 with
    one of `others`. None when nothing is known about either.
    """
    if not completion.logprobs:
        return _by_word(completion.text, words, others)
    mine, theirs = chance_of(completion, words), chance_of(completion, others)
    if mine is None or theirs is None or mine + theirs == 0:
        return None
    return mine / (mine + theirs)


def _by_word(text: str, words: Collection[str], others: Collection[str]) -> float | None:
    begun = re.match(r"\W*(\w+)", text)
    said = _plain(begun.group(1)) if begun else ""
    if said in map(_plain, words):
        return 1.0
    return 0.0 if said in map(_plain, others) else None


def _first(completion: Completion) -> TokenChance | None:
    return next((token for token in completion.logprobs if _plain(token.text)), None)


def _plain(text: str) -> str:
    return text.strip().casefold()
