"""Says in keys what is known of a project: what was learned or corrected, and what the model has in memory."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import F

from study.keys import Learner
from study.models import Digest, DocumentSummary, Passport, PreparedAnswer, ReadingPlan
from study.prompts import digest_boundary, document_boundary


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


def remembered_of(project_id: int, learner: Learner) -> frozenset[str]:
    """Return the boundaries at which the model's state was kept, if the disk had room for it.

    Of a document that does not fit into the window the state is only that of its last part: it is not among them.
    """
    if not learner.keeps:
        return frozenset()
    own = {"document__project": project_id, **learner.filter}
    read = DocumentSummary.objects.filter(tokens__lt=learner.window, **own).values_list("document_id", flat=True)
    asked = ReadingPlan.objects.filter(kept=True, text_key=F("document__text_key"), **own)
    documents = {*read, *asked.values_list("document_id", flat=True)}
    current = Digest.objects.filter(project=project_id, **learner.filter).exclude(key="")
    return frozenset([*map(document_boundary, documents), *([digest_boundary(project_id)] if current.exists() else [])])


def note_kept(documents: Collection[int], learner: Learner) -> None:
    """Remember that answers have read these documents in one piece each, and kept the model's state at their ends.

    The study finds the state there when their turn comes.
    """
    current = ReadingPlan.objects.filter(document_id__in=documents, text_key=F("document__text_key"), **learner.filter)
    current.update(kept=True)
