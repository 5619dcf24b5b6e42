"""Tells whether anything has been learned, or corrected by a person, since an answer was given."""

from __future__ import annotations

from study.models import Digest, DocumentSummary, Passport, PreparedAnswer


def learned_of(project_id: int) -> tuple[tuple[str, str, str], ...]:
    """Return (kind, subject, key) of everything that is known about a project beside its texts, in a stable order.

    A correction changes the key of a passport at once, and that of the digest as soon as it is drawn anew.
    """
    passports = Passport.objects.filter(document__project=project_id).values_list("document_id", "key")
    digests = Digest.objects.filter(project=project_id).values_list("model_key", "prompt_version", "key")
    read = DocumentSummary.objects.filter(document__project=project_id)
    summaries = read.values_list("document_id", "text_key", "model_key", "prompt_version")
    prepared = PreparedAnswer.objects.filter(project=project_id).values_list("position", "digest_key", "model_key")
    return tuple(
        sorted(
            [
                *(("passport", str(document), key) for document, key in passports),
                *(("digest", f"{model} {version}", key) for model, version, key in digests),
                *(("summary", str(document), " ".join(keys)) for document, *keys in summaries),
                *(("prepared", str(position), " ".join(keys)) for position, *keys in prepared),
            ]
        )
    )
