"""Embedding: chunks a second, and the milliseconds that a question's vector takes."""

from __future__ import annotations

import time

from bench.intake.run import Intake
from bench.report import Figure
from bench.stats import percentile
from bench.texts import prose
from inference import embeddings
from projects.intake.chunking import CHUNK_LIMIT

SENTENCES = 12
QUERIES = 50


def run(intake: Intake) -> list[Figure]:
    """Embed chunks as the worker does, and questions as a search does."""
    count = intake.options.sizes.embedded
    chunks = [prose(seed, SENTENCES)[:CHUNK_LIMIT] for seed in range(count)]
    embeddings.embed(["The model is loaded."])
    began = time.perf_counter()
    embeddings.embed(chunks)
    spent = time.perf_counter() - began
    queries = [_query_ms(f"Who inspected the crane in {year}?") for year in range(1970, 1970 + QUERIES)]
    length = sum(map(len, chunks)) // count
    detail = f"{count} chunks of {length} characters on average, {embeddings.configured()}"
    return [
        Figure("embedding", "chunks embedded", count / spent, "chunks/s", detail=detail),
        Figure("embedding", "a question embedded, 95th percentile", percentile(queries, 0.95), "ms"),
    ]


def _query_ms(question: str) -> float:
    began = time.perf_counter()
    embeddings.embed_query(question)
    return 1000 * (time.perf_counter() - began)
