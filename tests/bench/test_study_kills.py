"""What a kill is said to have cost."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bench.study.kills import Account


@dataclass
class Machine:
    """An engine that has read so much, and steps that have stored so much of it."""

    read: int = 0
    stored: int = 0

    def kill(self, child: str) -> None:
        if child in ("inference", ""):
            self.read = 0  # a new engine counts from its start

    def account(self) -> Account:
        return Account(lambda: self.read, lambda: self.stored, self.kill, lambda _seconds: None)


@pytest.mark.parametrize("child", ["reader", "inference", ""], ids=["reader", "inference", "everything"])
def test_what_was_read_for_a_step_that_was_not_stored_is_lost(child: str) -> None:
    machine = Machine(read=1_500, stored=1_000)
    account = machine.account()
    account.kill_and_note(child)
    machine.read += 700
    machine.stored += 700
    account.kill_and_note(child)
    machine.read += 300
    account.kill_and_note(child)
    assert account.lost == [500, 0, 300]
    assert account.vain() == 800


def test_a_reading_that_outlives_the_kill_is_not_lost() -> None:
    machine = Machine(read=1_500, stored=1_000)
    account = machine.account()
    account.kill_and_note("worker")
    machine.read += 100
    machine.stored += 600
    account.kill_and_note("inference")
    assert account.lost == [0, 0]


def test_what_the_engine_reads_until_it_has_heard_of_the_kill_counts() -> None:
    machine = Machine(read=1_500, stored=1_000)
    account = machine.account()

    def a_moment(_seconds: float) -> None:
        machine.read += 40

    account.pause = a_moment
    account.kill_and_note("reader")
    assert account.lost == [540]
