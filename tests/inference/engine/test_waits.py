"""The histogram of waits."""

from __future__ import annotations

from inference.engine.waits import Waits


def test_a_bucket_holds_all_that_waited_no_longer() -> None:
    waits = Waits()
    for seconds in (0.003, 0.05, 0.051, 45.0):
        waits.note(seconds)
    metrics = waits.metrics()
    assert metrics['wait_seconds_bucket{le="0.005"}'] == 1
    assert metrics['wait_seconds_bucket{le="0.05"}'] == 2
    assert metrics['wait_seconds_bucket{le="0.1"}'] == 3
    assert metrics['wait_seconds_bucket{le="30.0"}'] == 3
    assert metrics['wait_seconds_bucket{le="+Inf"}'] == metrics["wait_seconds_count"] == 4
    assert round(metrics["wait_seconds_sum"], 3) == 45.104
