"""Tests of what becomes of the model's process, without a process: every order of events, good models and bad ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.contracts import EngineState
from inference.switching.machine import (
    LONGEST_START_S,
    STALL_S,
    STOP_DEADLINE_S,
    Action,
    Failure,
    Purpose,
    Seen,
    Situation,
    Step,
    Target,
    advance,
)
from inference.switching.report import report_of, told

A, B, C = (Target(name, f"/models/{name}.gguf") for name in "ABC")
TICK_S = 0.25
GOOD, ENDS, SAYS_NO, HANGS = "good", "ends", "says no", "hangs"


@dataclass
class World:
    """A machine on which models behave as their names are listed; what is not listed is good."""

    behaviour: dict[str, str] = field(default_factory=dict)
    deaf: bool = False
    """Processes do not end when they are asked to."""
    now: float = 0.0
    running: Target | None = None
    age: int = 0
    exit: str = ""
    situation: Situation = field(default_factory=lambda: Situation(A))
    started: list[str] = field(default_factory=list)
    killed_at: list[float] = field(default_factory=list)
    asked_at: float = 0.0

    def tick(self, **events: object) -> Action:
        """Let a moment pass, with what happens in it."""
        self.now += TICK_S
        self.age += 1
        kind = self.behaviour.get(self.running.id, GOOD) if self.running else GOOD
        if self.running and kind == ENDS and self.age == 2:
            self.running, self.exit = None, "exit code 1"
        state = _state(kind, self.age) if self.running else None
        seen = Seen(
            now=self.now,
            alive=self.running is not None,
            exit=self.exit,
            state=state,
            progress=min(1.0, self.age / 4) if state is EngineState.LOADING and kind != HANGS else 0.0,
            message="bad file." if state is EngineState.FAILED else "",
        )
        self.situation, action = advance(self.situation, replace(seen, **events))  # type: ignore[arg-type]
        self._do(action)
        return action

    def _do(self, action: Action) -> None:
        if action is Action.START:
            assert self.running is None, "a process is started while another one lives"
            self.running, self.age = self.situation.model, 0
            self.started.append(self.running.id)
        if action is Action.END:
            self.asked_at = self.now
        if action is Action.KILL:
            self.killed_at.append(self.now)
        if action is Action.KILL or (action is Action.END and not self.deaf):
            self.running = None

    def until(self, *steps: Step, most_s: float = 300.0) -> None:
        """Let time pass until a step is reached."""
        end = self.now + most_s
        while self.situation.step not in steps:
            assert self.now < end, self.situation
            self.tick()

    @property
    def told(self) -> str:
        return told(report_of(self.situation))


def _state(kind: str, age: int) -> EngineState | None:
    if age < 2:
        return None
    if age < 5 or kind == HANGS:
        return EngineState.LOADING
    return EngineState.FAILED if kind == SAYS_NO else EngineState.READY


def in_use(**behaviour: str) -> World:
    """Return a world in which A is in use."""
    world = World(behaviour)
    world.until(Step.IN_USE)
    return world


def test_a_start_says_each_step() -> None:
    world, said = World(), []
    for _ in range(8):
        world.tick()
        said.append(world.told)
    assert list(dict.fromkeys(said)) == [
        "Starting A.", "Loading A: 50 %.", "Loading A: 75 %.", "Loading A: 100 %.", "A is in use."
    ]  # fmt: skip


def test_a_change_ends_the_old_process_and_only_then_starts_the_new_one() -> None:
    world = in_use()
    assert world.tick(chosen=B) is Action.END
    assert (world.situation.step, world.told) == (Step.STOPPING, "Ending A.")
    assert world.tick() is Action.START
    assert world.told == "Starting B."
    world.until(Step.IN_USE)
    assert (world.told, world.started) == ("B is in use.", ["A", "B"])


def test_a_process_that_does_not_listen_is_killed_after_its_deadline_and_not_before() -> None:
    world = in_use()
    world.deaf = True
    world.tick(chosen=B)
    world.until(Step.STARTING)
    assert [moment - world.asked_at for moment in world.killed_at] == [STOP_DEADLINE_S]


def test_what_a_process_has_left_keeps_the_next_one_waiting() -> None:
    world = in_use()
    world.tick(chosen=B)
    for _ in range(20):
        assert world.tick(alive=True) is Action.NOTHING
    assert world.tick() is Action.START


@pytest.mark.parametrize("kind", [ENDS, SAYS_NO, HANGS])
def test_a_model_that_does_not_start_gives_way_to_the_one_before(kind: str) -> None:
    world = in_use(B=kind)
    world.tick(chosen=B)
    world.until(Step.IN_USE)
    assert world.started == ["A", "B", "A"]
    assert world.situation.purpose is Purpose.ROLL_BACK
    assert world.told.startswith("B did not start: ")
    assert world.told.endswith(" A is in use again.")
    assert "bad file." in world.told or kind != SAYS_NO


def test_while_the_previous_model_comes_back_the_cause_is_said() -> None:
    world = in_use(B=SAYS_NO)
    world.tick(chosen=B)
    world.until(Step.LOADING)
    world.until(Step.STOPPING)
    assert world.told == "B did not start: bad file. Ending B."
    world.until(Step.LOADING)
    assert world.told == "B did not start: bad file. Loading A: 50 %."


def test_when_the_previous_model_fails_too_both_causes_are_said_and_it_is_tried_again() -> None:
    world = in_use(B=SAYS_NO)
    world.behaviour["A"] = ENDS
    world.tick(chosen=B)
    world.until(Step.WAITING)
    assert world.told == (
        "B did not start: bad file. A did not start again either: exit code 1. A is tried again in a moment."
    )
    world.until(Step.STARTING)
    world.until(Step.WAITING)
    assert (world.situation.due - world.now, world.situation.streak) == (1.0, 2)
    world.behaviour.clear()
    world.until(Step.IN_USE)
    assert world.told == "B did not start: bad file. A is in use again."


def test_a_process_that_says_why_it_has_no_model_stays_until_another_one_is_chosen() -> None:
    world = World({"A": SAYS_NO})
    world.until(Step.FAILED)
    assert world.told == "A did not start: bad file. Choose another model, or this one to try it again."
    for _ in range(100):
        assert world.tick() is Action.NOTHING
    world.tick(chosen=B)
    world.until(Step.IN_USE)
    assert (world.told, world.started) == ("B is in use.", ["A", "B"])


def test_the_same_model_chosen_again_after_a_failure_is_tried_again() -> None:
    world = World({"A": SAYS_NO})
    world.until(Step.FAILED)
    world.behaviour.clear()
    assert world.tick(chosen=A) is Action.END
    world.until(Step.IN_USE)
    assert world.started == ["A", "A"]


def test_a_choice_that_cannot_be_followed_ends_nothing() -> None:
    world = in_use()
    assert world.tick(chosen=Failure("B", "The file is gone.")) is Action.NOTHING
    assert world.told == "B did not start: The file is gone. A is in use."
    world.tick(chosen=A)
    assert world.told == "A is in use."


def test_the_model_in_use_chosen_again_is_left_alone() -> None:
    assert in_use().tick(chosen=A) is Action.NOTHING


def test_other_settings_of_the_same_model_are_a_change_too() -> None:
    world = in_use()
    world.tick(chosen=replace(A, options=("--window", "2048")))
    assert world.told == "Ending A to start it anew."
    world.until(Step.IN_USE)
    assert world.situation.model.options == ("--window", "2048")


@pytest.mark.parametrize("after", range(8))
def test_the_latest_choice_counts_whatever_is_under_way(after: int) -> None:
    world = in_use()
    world.tick(chosen=B)
    for _ in range(after):
        world.tick()
    world.tick(chosen=C)
    world.until(Step.IN_USE)
    assert world.situation.model == C


def test_a_crash_is_answered_after_the_usual_time_and_is_no_failed_change() -> None:
    world = in_use()
    world.running, world.exit = None, "killed by SIGKILL"
    world.tick()
    assert world.situation.step is Step.WAITING
    assert world.situation.due - world.now == 0.5
    assert world.told == "A stopped: killed by SIGKILL. It is being started again."
    world.until(Step.STARTING)
    assert world.told == "Starting A."
    world.until(Step.IN_USE)
    assert world.told == "A is in use."


def test_loading_that_gets_on_is_not_failing_however_long_it_takes() -> None:
    world = World({"A": HANGS})
    world.until(Step.LOADING)
    began = world.now
    while world.now < began + 10 * STALL_S:
        world.now += STALL_S / 2
        world.tick(progress=(world.now - began) / (20 * STALL_S))
    assert world.situation.step is Step.LOADING


def test_computing_counts_as_getting_on() -> None:
    world = World({"A": HANGS})
    world.until(Step.LOADING)
    began = world.now
    while world.now < began + 3 * STALL_S:
        world.now += STALL_S / 2
        world.tick(cpu_s=world.now - began)
    assert world.situation.step is Step.LOADING
    world.now = began + LONGEST_START_S
    assert world.tick(cpu_s=world.now) is Action.KILL
    assert "was not ready after 60 minutes" in world.told


def test_a_start_that_hangs_is_given_up() -> None:
    world = World({"A": HANGS})
    world.until(Step.WAITING, most_s=STALL_S + 10)
    assert "nothing has moved for 120 seconds" in world.told


def test_a_model_that_nobody_asks_goes_to_sleep_and_wakes_when_somebody_does() -> None:
    world = in_use()
    assert world.tick(idle=True) is Action.END
    assert world.told == "A goes to sleep."
    world.until(Step.ASLEEP)
    assert world.told == "A is asleep; it wakes with the next question."
    for _ in range(100):
        assert world.tick() is Action.NOTHING
    assert world.tick(woken=True) is Action.START
    world.until(Step.IN_USE)
    assert world.told == "A is in use."


def test_who_asks_while_the_model_falls_asleep_has_it_back() -> None:
    world = in_use()
    world.deaf = True
    world.tick(idle=True)
    world.tick(woken=True)
    world.running = None
    assert world.tick() is Action.START


def test_choosing_a_model_wakes_it() -> None:
    world = in_use()
    world.tick(idle=True)
    world.until(Step.ASLEEP)
    world.tick(chosen=B)
    world.until(Step.IN_USE)
    assert world.told == "B is in use."


KINDS = st.sampled_from([GOOD, ENDS, SAYS_NO, HANGS])
EVENTS = st.sampled_from(
    [{}, {}, {"chosen": A}, {"chosen": B}, {"chosen": C}, {"idle": True}, {"woken": True}, "crash"]
)


@given(
    behaviour=st.fixed_dictionaries({"A": KINDS, "B": KINDS, "C": KINDS}),
    events=st.lists(st.tuples(EVENTS, st.integers(0, 40)), max_size=30),
    deaf=st.booleans(),
)
def test_whatever_happens_one_process_lives_and_the_last_choice_or_a_good_model_is_in_use(
    behaviour: dict[str, str], events: list[tuple[dict[str, object] | str, int]], deaf: bool
) -> None:
    """Laws: never two processes (`World` asserts it), and rest is reached: with the chosen model if that can be.

    Where it cannot, the model before it serves if it has ever served; nothing else is ever in use.
    """
    world = World(dict(behaviour), deaf)
    wanted = A
    for event, pause in events:
        if event == "crash":
            world.running, world.exit = None, "killed by SIGKILL"
            world.tick()
        elif isinstance(event, dict):
            chosen = event.get("chosen")
            wanted = chosen if isinstance(chosen, Target) else wanted
            world.tick(**event)
        for _ in range(pause):
            world.tick()
    world.tick(woken=True)
    for _ in range(3000):
        world.tick()
    situation = world.situation
    if world.behaviour[wanted.id] == GOOD:
        # After a failed change the model before it is the choice again, as the stored one is.
        assert situation.step in (Step.IN_USE, Step.ASLEEP)
        assert world.behaviour[situation.model.id] == GOOD
    elif situation.step is Step.IN_USE:
        assert situation.model == situation.proven
        assert world.behaviour[situation.model.id] == GOOD
    if situation.step is Step.IN_USE:
        assert world.running == situation.model
        assert not situation.failures or situation.purpose is Purpose.ROLL_BACK


@given(pauses=st.lists(st.integers(0, 12), min_size=10, max_size=10))
def test_ten_changes_in_a_row_start_each_model_after_the_one_before_has_gone(pauses: list[int]) -> None:
    world = in_use()
    for number, pause in enumerate(pauses):
        world.tick(chosen=(B, C, A)[number % 3])
        for _ in range(pause):
            world.tick()
    world.until(Step.IN_USE)
    assert world.situation.model == B
    assert world.situation.failures == ()
