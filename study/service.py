"""What the rest of the product asks of the study: tell it what changed, steer it, and use what it learned."""

from __future__ import annotations

from study.digest_use import DigestPrompt, Opening, digest_for, opening_questions
from study.document_use import DocumentPrefix, document_prefix, summary_of
from study.revision import learned_of, note_kept, remembered_of
from study.steering import (
    cancel,
    document_changed,
    document_removed,
    drop,
    passport_changed,
    pause,
    read_first,
    resume,
    retry,
)

__all__ = [
    "DigestPrompt",
    "DocumentPrefix",
    "Opening",
    "cancel",
    "digest_for",
    "document_changed",
    "document_prefix",
    "document_removed",
    "drop",
    "learned_of",
    "note_kept",
    "opening_questions",
    "passport_changed",
    "pause",
    "read_first",
    "remembered_of",
    "resume",
    "retry",
    "summary_of",
]
