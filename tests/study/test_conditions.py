"""When the reader keeps quiet: a person's word, the battery, somebody who types or asks, a model that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from inference.contracts import EngineState
from inference.fake import FakeEngine
from study import service
from study.conditions import Conditions, Reason, reason_to_wait
from study.models import DocumentSummary
from study.presence import HOLDS_S, Presence, is_present, touch
from tests.study.factories import Clock, Mains, a_reader, add_document, make_project


@pytest.fixture(autouse=True)
def nobody_there() -> None:
    """No signs of presence from other tests."""
    for path in Path(settings.RUN_DIR).glob("presence-*"):
        path.unlink()


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (Conditions(), None),
        (Conditions(paused=True, on_battery=True, typing=True), Reason.PAUSED),
        (Conditions(on_battery=True, typing=True), Reason.ON_BATTERY),
        (Conditions(on_battery=True, battery_allowed=True), None),
        (Conditions(engine=EngineState.LOADING, asking=True), Reason.MODEL_LOADING),
        (Conditions(engine=EngineState.NOT_LOADED), Reason.MODEL_LOADING),
        (Conditions(engine=EngineState.FAILED), Reason.MODEL_FAILED),
        (Conditions(asking=True, typing=True), Reason.ASKING),
        (Conditions(typing=True, measuring=True), Reason.TYPING),
        (Conditions(measuring=True), Reason.MEASURING),
    ],
    ids=str,
)
def test_the_reason_that_counts(now: Conditions, reason: Reason | None) -> None:
    assert reason_to_wait(now) == reason


@pytest.mark.parametrize("kind", list(Presence))
def test_a_sign_of_presence_is_believed_for_a_few_seconds(kind: Presence) -> None:
    clock = Clock()
    assert not is_present(kind, clock)
    touch(kind, clock)
    clock.now += HOLDS_S[kind] - 0.1
    assert is_present(kind, clock)
    clock.now += 0.2
    assert not is_present(kind, clock)


def test_a_sign_from_the_future_is_not_believed() -> None:
    clock = Clock(now=2_000_000.0)
    touch(Presence.TYPING, clock)
    clock.now -= 3_600
    assert not is_present(Presence.TYPING, clock)


@pytest.mark.django_db
def test_nothing_is_read_on_battery_until_the_machine_is_plugged_in(fake_inference: FakeEngine) -> None:
    add_document(make_project(), "a.txt", "Some words.")
    power = Mains(unplugged=True)
    reader = a_reader(power)
    assert reader.run(seconds=30) is True
    assert fake_inference.requests == []
    power.unplugged = False
    reader.run()
    assert DocumentSummary.objects.count() == 1


@pytest.mark.django_db
def test_reading_on_battery_can_be_allowed(fake_inference: FakeEngine, settings: pytest.FixtureRequest) -> None:
    settings.STUDY_ON_BATTERY = True  # type: ignore[attr-defined]
    add_document(make_project(), "a.txt", "Some words.")
    a_reader(Mains(unplugged=True)).run()
    assert DocumentSummary.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("kind", list(Presence))
def test_a_step_begins_only_when_nobody_types_or_asks(fake_inference: FakeEngine, kind: Presence) -> None:
    add_document(make_project(), "a.txt", "Some words.")
    clock = Clock(now=3_000_000.0)
    touch(kind, clock)
    reader = a_reader(clock=clock)
    assert reader.turn() is not None
    assert fake_inference.requests == []
    reader.run()
    assert sum(clock.pauses) >= HOLDS_S[kind] - 1
    assert DocumentSummary.objects.count() == 1


@pytest.mark.django_db
def test_the_reader_waits_for_the_model_and_then_reads(fake_inference: FakeEngine) -> None:
    add_document(make_project(), "a.txt", "Some words.")
    fake_inference.state = EngineState.LOADING
    reader = a_reader()
    assert reader.turn() is Reason.MODEL_LOADING
    fake_inference.state = EngineState.READY
    reader.run()
    assert DocumentSummary.objects.count() == 1


@pytest.mark.django_db
def test_pause_ends_the_run_and_resume_lets_it_go_on(fake_inference: FakeEngine) -> None:
    add_document(make_project(), "a.txt", "Some words.")
    service.pause()
    service.pause()
    assert a_reader().run() is False
    assert fake_inference.requests == []
    service.resume()
    a_reader().run()
    assert DocumentSummary.objects.count() == 1


@pytest.mark.django_db
def test_a_paused_project_does_not_hold_up_another(fake_inference: FakeEngine) -> None:
    quiet, loud = make_project("Quiet"), make_project("Loud")
    add_document(quiet, "a.txt", "Some words.")
    other = add_document(loud, "b.txt", "Other words.")
    service.pause(quiet.pk)
    assert a_reader().run() is False
    assert [row.document_id for row in DocumentSummary.objects.all()] == [other.pk]
