"""Fixtures of the tests of projects."""

from __future__ import annotations

from tests.projects.embedding import models
from tests.projects.readings import empty_store, reading

__all__ = ["empty_store", "models", "reading"]
