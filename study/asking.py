"""The study's way to the model: greedy, in its own pool, with a sign of life for whoever holds the claim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inference import gateway
from inference.contracts import ChatMessage, ChatRequest, Completion, PoolName, Sampling, Timings
from inference.errors import ServiceLost
from study.faithful import Checked, Values, held_to
from study.sentences import first_sentence, prose, sentences

Beat = Callable[[], None]

GREEDY = Sampling()
OTHERWISE = Sampling(temperature=0.5, top_p=0.9, seed=1)
"""For the second attempt, where the first had more that is not in the text than what is; as reproducible."""
LEAD = 300
"""Characters of the text's own beginning that stand in for a summary that cannot be had."""


@dataclass(frozen=True)
class Question:
    """One prompt with room for its answer; `save` names the boundary whose state is to be kept."""

    messages: tuple[ChatMessage, ...]
    max_tokens: int
    save: str = ""


@dataclass(frozen=True)
class Told:
    """What the model said, held to its source, and what that took."""

    text: str
    dropped: int
    read: int
    generated: int


def tell(question: Question, source: str, beat: Beat) -> Told:
    """Return what the model says as plain prose whose every figure is in `source`. Raises InferenceError.

    When more than half must go it is asked again, otherwise; when nothing is left, the source's first sentence stands.
    """
    values = Values.of(source)
    text, timings = _said(question, GREEDY, beat)
    best, read, generated = held_to(text, values), timings.read, timings.generated
    if _is_poor(best):
        text, timings = _said(question, OTHERWISE, beat)
        second = held_to(text, values)
        read, generated = read + timings.read, generated + timings.generated
        best = max(best, second, key=lambda checked: len(checked.text))
    return Told(best.text or _lead(source, values), len(best.dropped), read, generated)


def answer(question: Question, beat: Beat) -> tuple[str, Timings]:
    """Return what the model says as it stands, without a last sentence that was cut off. Raises InferenceError."""
    completion = _complete(question, GREEDY, beat)
    whole = sentences(completion.text)
    cut_off = completion.reason == "length" and len(whole) > 1
    return " ".join(whole[:-1]) if cut_off else completion.text.strip(), completion.timings


def _said(question: Question, sampling: Sampling, beat: Beat) -> tuple[str, Timings]:
    completion = _complete(question, sampling, beat)
    return prose(completion.text, cut_off=completion.reason == "length"), completion.timings


def _complete(question: Question, sampling: Sampling, beat: Beat) -> Completion:
    request = ChatRequest(
        question.messages,
        pool=PoolName.STUDY,
        sampling=sampling,
        max_tokens=question.max_tokens,
        save=(question.save,) if question.save else (),
    )
    completion = gateway.complete(request, beat)
    if completion.reason == "cancelled":
        raise ServiceLost  # not by us: the service is ending
    return completion


def _is_poor(checked: Checked) -> bool:
    return not checked.text or len(checked.dropped) > len(sentences(checked.text))


def _lead(source: str, values: Values) -> str:
    return held_to(first_sentence(" ".join(source.split()), LEAD), values).text
