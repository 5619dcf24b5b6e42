"""Tests of the time left that a person sees while the model reads a prompt."""

from __future__ import annotations

import pytest

from projects.answering.speed import ReadingSpeed


def test_the_time_left_never_grows_while_no_further_batch_is_reported() -> None:
    speed = ReadingSpeed()
    speed.seconds_left(0, 1_024, now=0.0)
    # Batches of 256 tokens take 10 s each; signs of life come in between with the same count.
    after_a_batch = speed.seconds_left(256, 1_024, now=10.0)
    between = [speed.seconds_left(256, 1_024, now=10.0 + seconds) for seconds in (2.0, 4.0, 8.0)]
    assert after_a_batch == pytest.approx(30.0)
    assert between == pytest.approx([28.0, 26.0, 22.0])
    assert speed.seconds_left(512, 1_024, now=20.0) == pytest.approx(20.0)


def test_a_batch_that_takes_longer_than_expected_leaves_no_negative_time() -> None:
    speed = ReadingSpeed()
    speed.seconds_left(0, 512, now=0.0)
    speed.seconds_left(256, 512, now=1.0)
    assert speed.seconds_left(256, 512, now=60.0) == 0
