"""What every test shares: a fake engine behind the real service, and gates for scripted answers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest
from django.conf import settings
from hypothesis import settings as hypothesis

from inference.fake import FakeEngine
from tests.serving import serve_engine

# The same examples in every run, so that a red one means a change; HYPOTHESIS_PROFILE=random looks for new ones.
hypothesis.register_profile("same", derandomize=True, deadline=None)
hypothesis.register_profile("random", deadline=None)
hypothesis.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture
def fake_inference() -> Iterator[FakeEngine]:
    """The real HTTP service over a fake engine, published in this test's data folder."""
    engine = FakeEngine()
    with serve_engine(engine, settings.RUN_DIR):
        yield engine


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Holds a scripted answer in its middle; opened at the end, so that no thread waits for ever."""
    event = threading.Event()
    yield event
    event.set()
