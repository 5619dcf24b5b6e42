"""What questions would cost without reading ahead, what it has cost, and what it has saved so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inference import gateway
from inference.errors import InferenceError
from projects.models import Document, Project, Turn
from study.models import StudyTask

ENOUGH_TOKENS = 200
"""Tokens that an answer must have read for its time to tell how fast the model reads."""
WHOLE = "digest"
"""The lane of questions about all documents: without a digest these are read."""


class NothingMeasured(Exception):
    """There is nothing yet to estimate by; the text says what is missing and what to do."""


@dataclass(frozen=True)
class Answered:
    """What an answer cost: its lane, tokens of its prompt, those read for it, and the milliseconds that this took."""

    lane: str
    prompt: int
    read: int
    read_ms: float
    from_cache: bool


@dataclass(frozen=True)
class Savings:
    """An estimate for one project. Seconds of `classic_s` are for a question over all documents, read as it is asked.

    `paid_s` went into reading ahead; `saved_s` is what the answers so far would have cost more without it.
    """

    corpus_tokens: int
    prefill_tps: float
    classic_s: float
    paid_s: float
    saved_s: float
    answers: int


def savings_of(project: Project) -> Savings:
    """Return what reading ahead has cost and saved in a project. Raises NothingMeasured."""
    health = gateway.health()
    answers = _answers(project)
    tasks = list(StudyTask.objects.filter(project=project))
    tokens = _corpus_tokens(project, tasks)
    speed = health.prefill_tps or _speed_by_answers(answers) or _speed_by_study(tasks)
    if not speed:
        raise NothingMeasured(
            "How fast this machine reads is not known yet. Ask a question, or wait until a document is read ahead."
        )
    whole = min(tokens, health.window or tokens)
    return Savings(
        corpus_tokens=tokens,
        prefill_tps=speed,
        classic_s=whole / speed,
        paid_s=sum(task.seconds for task in tasks),
        saved_s=saved_tokens(answers, whole) / speed,
        answers=len(answers),
    )


def saved_tokens(answers: Sequence[Answered], whole: int) -> int:
    """Return the tokens that would have been read in addition if nothing had been remembered.

    A question about all documents would have read them, `whole` tokens; any other its own prompt. The prompt of an
    answer that was remembered as a whole is as long as those of its lane are on average, and nothing if none is known.
    """
    saved = 0
    for answer in answers:
        if answer.lane == WHOLE:
            saved += max(0, whole - answer.read)
        elif answer.from_cache:
            saved += _usual_prompt(answers, answer.lane)
        else:
            saved += answer.prompt - answer.read
    return saved


def _usual_prompt(answers: Iterable[Answered], lane: str) -> int:
    prompts = [answer.prompt for answer in answers if answer.lane == lane and not answer.from_cache]
    return sum(prompts) // len(prompts) if prompts else 0


def _answers(project: Project) -> list[Answered]:
    done = Turn.objects.filter(conversation__project=project, state=Turn.State.DONE).exclude(lane="")
    rows = done.values_list("lane", "prompt_tokens", "read_tokens", "read_ms", "from_cache")
    return [Answered(*row) for row in rows]


def _corpus_tokens(project: Project, tasks: Iterable[StudyTask]) -> int:
    """Return the tokens of all documents with a text; the model counts those that nobody has counted yet."""
    counted = {task.document_id: task.tokens_total for task in tasks if task.document_id}
    documents = list(Document.objects.filter(project=project).exclude(text_key=""))
    if not documents:
        raise NothingMeasured(f"No document of project '{project.name}' can be read yet.")
    known = {document.pk: document.tokens or counted.get(document.pk, 0) for document in documents}
    unknown = [document for document in documents if not known[document.pk]]
    if not unknown:
        return sum(known.values())
    try:
        return sum(known.values()) + sum(gateway.count_tokens([_text(document) for document in unknown]))
    except InferenceError as error:
        raise NothingMeasured(f"The documents' tokens have not been counted yet. {error.message}") from error


def _text(document: Document) -> str:
    return "\n\n".join(document.sections.order_by("ordinal").values_list("text", flat=True))


def _speed_by_answers(answers: Iterable[Answered]) -> float:
    """Return tokens/s over the answers that had much to read; 0 without any."""
    read = [answer for answer in answers if answer.read >= ENOUGH_TOKENS and answer.read_ms > 0]
    return 1000 * sum(answer.read for answer in read) / sum(answer.read_ms for answer in read) if read else 0.0


def _speed_by_study(tasks: Iterable[StudyTask]) -> float:
    """Return tokens/s of the reading ahead, the writing of summaries within; 0 before any."""
    worked = [task for task in tasks if task.seconds > 0]
    return sum(task.tokens for task in worked) / sum(task.seconds for task in worked) if worked else 0.0
