"""The rows of the study app, one module per thing that was learned."""

from study.models.digest import Digest, PreparedAnswer
from study.models.forgetting import Forgetting
from study.models.passport import Passport, PassportField
from study.models.summary import DocumentSummary, ReadingPlan, SectionSummary
from study.models.task import StudyPause, StudyTask

__all__ = [
    "Digest",
    "DocumentSummary",
    "Forgetting",
    "Passport",
    "PassportField",
    "PreparedAnswer",
    "ReadingPlan",
    "SectionSummary",
    "StudyPause",
    "StudyTask",
]
