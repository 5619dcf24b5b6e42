"""Waiting for a model that is on its way, and saying what a caller finds in the place of one."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from inference.errors import ModelFailed
from inference.supervise import status
from inference.switching.bells import ring_wake
from inference.switching.machine import Step
from inference.switching.report import ModelReport, told

PATIENCE_S = 180.0
"""Longest time that a question waits for a model to be ended, started, loaded or woken."""
LOOK_S = 0.25


async def until_served(run_dir: Path, patience_s: float = PATIENCE_S) -> None:
    """Return when no model is on its way any more, for better or worse, or after `patience_s`; wake one that sleeps."""
    deadline = time.monotonic() + patience_s
    woken = False
    while time.monotonic() < deadline:
        report = model_report(run_dir)
        if report is None or not (report.is_coming or report.sleeps):
            return
        if report.sleeps and not woken:
            wake(run_dir)
        woken = report.sleeps
        await asyncio.sleep(LOOK_S)


def wake(run_dir: Path) -> None:
    """Bring a model back that is asleep; nothing happens to one that is not."""
    report = model_report(run_dir)
    if report is not None and report.sleeps:
        ring_wake(run_dir)


def model_report(run_dir: Path) -> ModelReport | None:
    """Return how the model is by the supervisor that runs now; None when none does, or it keeps no model."""
    running = status.read(run_dir)
    return running.model if running else None


def require_spare(model_id: str, run_dir: Path) -> None:
    """Check that a model's file may be deleted: while models change, either may be needed. Raises ModelFailed."""
    report = model_report(run_dir)
    if report is not None and report.is_changing and model_id in (report.model, report.goal, report.previous):
        raise ModelFailed(f"{model_id} is kept while the model is being changed. Try again when that is done.")


def reason_of_absence(report: ModelReport) -> str:
    """Return why nobody answers, and what to do; empty when it is not known."""
    if report.is_changing:
        return f"The model is being changed. {told(report)} Try again in a moment."
    if report.step is Step.WAITING:
        return f"{told(report)} Try again in a moment."
    if report.sleeps or report.failures:
        return told(report)
    return ""
