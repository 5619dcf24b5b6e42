"""The reader: takes one step of what is to be read at a time, when nothing speaks against it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import DatabaseError, transaction
from django.utils import timezone

from inference import gateway
from inference.errors import (
    InferenceError,
    ModelFailed,
    ModelLoading,
    NotAuthorised,
    ServiceBusy,
    ServiceLost,
    ServiceUnavailable,
)
from inference.identity import own_identity
from study import digest_steps, document_steps, tasks
from study.conditions import MachinePower, PowerSource, Reason, conditions, reason_to_wait
from study.forgetting import forget_noted, forget_states
from study.keeping import align
from study.keys import Learner, learner_of
from study.models import StudyTask
from study.presence import Clock
from study.prompts import document_boundary
from study.queue import JobTimedOut
from study.tasks import BACKOFF, WHEN_LOST, Claim, ClaimLost, Failed, Kind, State
from study.texts import Texts

logger = logging.getLogger(__name__)

RUN_S = 600.0
"""Seconds after which a job ends and another one goes on: far below the queue's timeout."""
POLL_S = 1.0
"""How often the reader looks whether what it waits for has passed."""
DATABASE_S = 10.0
"""Seconds until a database is tried again that cannot be used."""
NOT_THE_STEP = (ServiceUnavailable, ModelLoading, ModelFailed, ServiceBusy, NotAuthorised)
"""Failures that say nothing about the step: it waits until the model is there, however long that takes."""
TOO_LONG = "It took too long."
FAULT = "A fault in Readahead kept it from reading this; its log has the details."


@dataclass
class Reader:
    """One run of the reader. `pause` sleeps, `clock` tells seconds since the epoch; tests bring their own."""

    texts: Texts
    power: PowerSource = field(default_factory=MachinePower)
    clock: Clock = time.time
    pause: Callable[[float], None] = time.sleep
    identity: str = field(default_factory=own_identity)
    _learner: Learner | None = None

    def run(self, seconds: float = RUN_S) -> bool:
        """Take steps until nothing is left, or for `seconds`; return whether another run is needed."""
        end = self.clock() + seconds
        while self.clock() < end:
            try:
                reason = self.turn()
                if reason is Reason.PAUSED:
                    return False  # whoever resumes wakes the reader
                if reason is None and not tasks.claimable(timezone.now()):
                    return False
            except DatabaseError:  # full or locked for long: it gets better without anybody who would wake the reader
                logger.exception("the database could not be used")
                self.pause(DATABASE_S)
            else:
                if reason is not None:
                    self.pause(POLL_S)
        return True

    def turn(self) -> Reason | None:
        """Take one step if one may be taken; return what it has to wait for, if anything."""
        health = gateway.health()
        if reason := reason_to_wait(conditions(health, self.power, self.clock)):
            if reason is Reason.MODEL_LOADING and tasks.claimable(timezone.now()):
                gateway.wake()
            return reason
        learner = learner_of(health)
        if learner is None:
            return Reason.MODEL_LOADING
        if learner != self._learner:
            align(learner)
            self._learner = learner
        forget_noted()
        held = tasks.claim(self.identity, timezone.now())
        if held is None:
            return Reason.TRYING_AGAIN if tasks.next_attempt(timezone.now()) else None
        return self._step(held, learner)

    def _step(self, held: Claim, learner: Learner) -> Reason | None:
        task = StudyTask.objects.filter(pk=held.task_id).first()
        if task is None:
            return None
        try:
            self._work(held, task, learner)
        except ClaimLost:
            self._let_go(task)
        except NOT_THE_STEP as error:
            logger.info("study task %s waits: %s", task.pk, error.code)
            tasks.give_back(held)
            return Reason.MODEL_LOADING
        except InferenceError as error:
            self._failed(held, task, learner, Failed(error.message, task.attempts, _waits(error)))
        except JobTimedOut:  # the queue ends this process; the step is tried again by the next
            self._failed(held, task, learner, Failed(TOO_LONG, task.attempts))
            raise
        except Exception:  # the edge of a step: one document must not keep all others from being read
            logger.exception("study task %s failed", task.pk)
            self._failed(held, task, learner, Failed(FAULT, task.attempts))
        return None

    def _work(self, held: Claim, task: StudyTask, learner: Learner) -> None:
        if task.kind == Kind.DIGEST:
            digest_steps.draw_on(held, task, learner, self.texts)
            return
        document = self.texts.document(task.document_id or 0)
        if document is None:
            with transaction.atomic():
                tasks.settle(held, State.CANCELLED, error=tasks.GONE)
            return
        document_steps.read_on(held, document, learner)
        self._let_go(task)

    def _failed(self, held: Claim, task: StudyTask, learner: Learner, failed: Failed) -> None:
        """Let a step be tried again later, or leave it out."""
        logger.warning("a step of study task %s failed (attempt %d)", task.pk, task.attempts + 1)
        if tasks.postpone(held, failed, timezone.now()):
            return
        try:
            document = self.texts.document(task.document_id) if task.document_id else None
            if document is not None:
                document_steps.give_up_on(held, document, learner, failed.sentence)
            else:
                with transaction.atomic():
                    tasks.settle(held, State.FAILED, error=failed.sentence)
        except ClaimLost:
            self._let_go(task)
        except (InferenceError, DatabaseError):
            logger.info("study task %s is given up later", task.pk)
            tasks.give_back(held)

    def _let_go(self, task: StudyTask) -> None:
        """Leave no state behind of a document that was removed while it was read."""
        if task.document_id and self.texts.head(task.document_id) is None:
            forget_states([document_boundary(task.document_id)])


def _waits(error: InferenceError) -> tuple[timedelta, ...]:
    """Return when a failed step is tried again: never if the same request must fail again."""
    if isinstance(error, ServiceLost):
        return WHEN_LOST
    return BACKOFF if error.retry else ()
