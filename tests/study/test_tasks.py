"""A task has one reader at a time, and none for ever."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from inference.identity import own_identity
from study import service, tasks
from study.models import StudyTask
from study.tasks import BACKOFF, LEASE, Claim, ClaimLost, Failed, State
from tests.study.factories import add_document, make_project

pytestmark = pytest.mark.django_db
DEAD = "4194303:1"
NOW = timezone.now()


@pytest.fixture
def task() -> StudyTask:
    document = add_document(make_project(), "a.txt", "Some words.")
    return StudyTask.objects.get(document=document)


def _claim(owner: str = "", after: timedelta = timedelta()) -> Claim | None:
    return tasks.claim(owner or own_identity(), NOW + after)


def test_a_task_is_claimed_once(task: StudyTask) -> None:
    assert _claim() == Claim(task.pk, own_identity())
    assert _claim() is None


def test_the_task_of_a_dead_reader_is_taken_over_at_once(task: StudyTask) -> None:
    assert _claim(DEAD) is not None
    assert _claim() == Claim(task.pk, own_identity())


def test_the_task_of_a_living_reader_is_taken_over_when_it_shows_no_life(task: StudyTask) -> None:
    parent = f"{os.getppid()}:{own_identity().split(':')[1]}"
    held = _claim(own_identity())
    assert held is not None
    assert _claim(parent, LEASE - timedelta(seconds=1)) is None
    tasks.renew(held, NOW + LEASE - timedelta(seconds=1))
    assert _claim(parent, LEASE + timedelta(seconds=1)) is None
    assert _claim(parent, 2 * LEASE) == Claim(task.pk, parent)


def test_who_has_lost_a_claim_stores_nothing(task: StudyTask) -> None:
    held = _claim(DEAD)
    assert held is not None
    _claim()
    with pytest.raises(ClaimLost):
        tasks.renew(held, NOW)
    with pytest.raises(ClaimLost):
        _store(held)
    task.refresh_from_db()
    assert (task.state, task.error) == (State.RUNNING, "")


@transaction.atomic
def _store(held: Claim) -> None:
    StudyTask.objects.filter(pk=held.task_id).update(error="stored")
    tasks.settle(held, State.DONE)


def test_a_result_is_stored_with_its_checkpoint_or_not_at_all(task: StudyTask) -> None:
    held = _claim()
    assert held is not None
    connection = transaction.get_connection()
    connection.in_atomic_block, before = False, connection.in_atomic_block
    try:
        with pytest.raises(RuntimeError):
            tasks.settle(held, State.DONE)
    finally:
        connection.in_atomic_block = before


def test_a_failed_step_waits_longer_each_time_and_is_given_up_in_the_end(task: StudyTask) -> None:
    now = NOW
    for attempt, wait in enumerate(BACKOFF):
        held = tasks.claim(own_identity(), now)
        assert held is not None
        assert tasks.postpone(held, Failed("It failed.", attempt), now)
        assert tasks.claim(own_identity(), now + wait - timedelta(seconds=1)) is None
        assert tasks.next_attempt(now) == now + wait
        now += wait
    held = tasks.claim(own_identity(), now)
    assert held is not None
    assert not tasks.postpone(held, Failed("It failed.", len(BACKOFF)), now)


def test_what_a_person_puts_first_goes_first_and_what_is_begun_goes_before_the_rest(task: StudyTask) -> None:
    project = make_project()
    second, third = (add_document(project, name, f"Words of {name}.") for name in ("b.txt", "c.txt"))
    StudyTask.objects.filter(document=second).update(checkpoint=1)
    service.read_first(third.pk)
    order = []
    while held := _claim():
        order.append(StudyTask.objects.get(pk=held.task_id).document_id)
    assert order == [third.pk, second.pk, task.document_id]


def test_a_cancelled_task_is_claimed_by_nobody(task: StudyTask) -> None:
    assert service.cancel(task.pk)
    assert not service.cancel(task.pk)
    assert _claim() is None
    assert service.retry(task.pk)
    assert _claim() is not None
