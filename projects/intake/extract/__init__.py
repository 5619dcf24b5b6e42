"""Reading files of many kinds into one form: blocks of text with headings and pages."""

from projects.intake.extract.base import Block, Extraction, ExtractionError, PasswordNeeded
from projects.intake.extract.registry import extract

__all__ = ["Block", "Extraction", "ExtractionError", "PasswordNeeded", "extract"]
