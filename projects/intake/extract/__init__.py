"""Reading files of many kinds into one form: blocks of text with headings and pages."""

from projects.intake.extract.base import Attachment, Block, Context, Extraction, ExtractionError, PasswordNeeded, Report
from projects.intake.extract.registry import extract

__all__ = [
    "Attachment",
    "Block",
    "Context",
    "Extraction",
    "ExtractionError",
    "PasswordNeeded",
    "Report",
    "extract",
]
