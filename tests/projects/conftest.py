"""Fixtures of the tests of projects."""

from __future__ import annotations

from tests.projects.embedding import models

__all__ = ["models"]
