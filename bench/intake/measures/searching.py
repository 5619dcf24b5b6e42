"""Searching: the milliseconds that a question takes among many chunks, by words, by meaning and by both."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
from django.db import transaction

from bench.intake.run import Intake
from bench.report import Figure
from bench.stats import percentile
from inference import embeddings
from inference.embeddings import Matrix
from projects.intake import indexing
from projects.intake.chunking import CHUNK_LIMIT, ChunkText
from projects.intake.sections import SectionText
from projects.models import Chunk, Document, Project, Vector, VectorIndex
from projects.owner import local_owner
from projects.retrieval import indexes, lexical
from projects.retrieval.matrix import shelf
from projects.retrieval.search import find
from projects.retrieval.stopwords import STOP_WORDS

TARGET_MS = 50
CHUNKS_EACH = 500
"""Chunks of one document."""
VOCABULARY = 40_000
WORDS_OF_CHUNK, WORDS_OF_QUESTION = 160, 9
ROWS = 2_000
LIMIT = 8
WARM = 5
"""Questions before the measured ones: the first brings the vectors into memory."""


def run(intake: Intake) -> list[Figure]:
    """Fill a project with text whose words are as common and as rare as those of a language, and ask."""
    sizes = intake.options.sizes
    words = Words()
    project = Project.objects.create(owner=local_owner(), name="Searching")
    began = time.perf_counter()
    count = _fill(project, sizes.chunks, words)
    filled = time.perf_counter() - began
    index = indexes.to_fill()[0]
    _embed_at_random(project, index)
    questions = [words.some(WORDS_OF_QUESTION) + "?" for _ in range(sizes.questions + WARM)]
    queries = [embeddings.embed_query(question) for question in questions]
    by_words, _ = _measured(lambda n: lexical.search(project.pk, questions[n]), len(questions))
    by_meaning, _ = _measured(lambda n: shelf.of(index, project.pk).nearest(queries[n], 50, None), len(questions))
    both, busy = _measured(lambda n: find(project.pk, questions[n], limit=LIMIT), len(questions))
    rank = f"95th percentile of {sizes.questions} questions"
    alone = [Figure("searching", f"by words, {rank}", percentile(by_words, 0.95), "ms")]
    alone.append(Figure("searching", f"by meaning, {rank}", percentile(by_meaning, 0.95), "ms"))
    detail = (
        f"{count:,} chunks; the question's vector, fusion and joining of neighbours within; "
        f"{percentile(busy, 0.95):.0f} ms of processor time"
    )
    total = Figure("searching", f"both, {rank}", percentile(both, 0.95), "ms", TARGET_MS, "at most", detail)
    return [*alone, total, Figure("searching", "chunks put into the word index", count / filled, "chunks/s")]


class Words:
    """Words drawn by Zipf's law, as those of a language fall: a few everywhere, most hardly ever.

    The most common ones are those that are so in a language too ('the', 'of'), in text and questions alike.
    """

    def __init__(self) -> None:
        self._draw = random.Random(1)
        common = sorted(STOP_WORDS)
        self._words = common + [self._word() for _ in range(VOCABULARY - len(common))]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))

    def some(self, count: int) -> str:
        """Return so many words."""
        return " ".join(self._draw.choices(self._words, cum_weights=self._weights, k=count))

    def _word(self) -> str:
        syllables = (self._draw.choice("bdfgklmnprstvz") + self._draw.choice("aeiou") for _ in range(4))
        return "".join(syllables)[: self._draw.randint(3, 8)]


def _fill(project: Project, chunks: int, words: Words) -> int:
    for number in range(0, chunks, CHUNKS_EACH):
        document = Document.objects.create(
            project=project, sha256=f"{number:064}", name=f"{number:06}.txt", size=1, state=Document.State.READY
        )
        pieces = min(CHUNKS_EACH, chunks - number)
        sections = [SectionText((), 1 + piece, words.some(WORDS_OF_CHUNK)[:CHUNK_LIMIT]) for piece in range(pieces)]
        with transaction.atomic():
            for part in indexing.parts_of(sections, [_whole(*numbered) for numbered in enumerate(sections)]):
                indexing.write(document, part, sections[0].text)
    return Chunk.objects.filter(document__project=project).count()


def _whole(number: int, section: SectionText) -> ChunkText:
    return ChunkText(number, 0, section.page_start, section.text)


def _embed_at_random(project: Project, index: VectorIndex) -> None:
    """Give every chunk a vector of its own; embedding them all would take an hour and change nothing here."""
    draw = np.random.default_rng(1)
    pks = list(Chunk.objects.filter(document__project=project).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(pks), ROWS):
        some = pks[start : start + ROWS]
        rows = _normal(draw.standard_normal((len(some), index.dim), np.float32))
        Vector.objects.bulk_create(
            Vector(index=index, chunk_id=pk, data=row.astype("<f4").tobytes())
            for pk, row in zip(some, rows, strict=True)
        )


def _normal(rows: Matrix) -> Matrix:
    lengths: Matrix = np.linalg.norm(rows, axis=1, keepdims=True)
    normal: Matrix = rows / lengths
    return normal


def _measured(ask: Callable[[int], object], count: int) -> tuple[Sequence[float], Sequence[float]]:
    """Return the milliseconds of each question but the first ones, and those of this process's processors."""
    spent, busy = [], []
    for number in range(count):
        began, worked = time.perf_counter(), time.process_time()
        ask(number)
        spent.append(1000 * (time.perf_counter() - began))
        busy.append(1000 * (time.process_time() - worked))
    return spent[WARM:], busy[WARM:]
