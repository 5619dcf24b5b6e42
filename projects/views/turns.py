"""Asking, asking again and stopping by plain forms, for browsers without JavaScript or without a socket."""

from __future__ import annotations

from collections.abc import Callable

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from projects import access
from projects.answering import runs
from projects.answering.router import Lane
from projects.answering.turns import Wishes
from projects.asking import QuestionRefused, ask_and_start
from projects.forms import AskForm
from projects.models import Conversation, Turn
from projects.presentation.offers import offer_for
from projects.views.polling import STOP_POLLING


@require_POST
async def turn_ask(request: HttpRequest, pk: int) -> HttpResponse:
    """Open a turn, start its answer and go to the conversation."""
    user = await request.auser()
    project = await sync_to_async(access.project_for)(user, pk)
    form = AskForm(request.POST)
    if not form.is_valid():
        return redirect("projects:desk", pk)
    asked = form.cleaned_data
    conversation_id = asked["conversation"]
    try:
        turn = await ask_and_start(user, project, asked["question"], conversation_id, Wishes(asked["lane"]))
    except QuestionRefused as error:
        messages.error(request, error.message)
        return redirect(_desk(pk, conversation_id))
    return redirect(_place(turn, turn.conversation))


@require_POST
async def turn_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask the question of a turn once more, on the way that it was to take."""
    return await _once_more(request, pk, lambda before: Wishes(before.wanted_lane))


@require_POST
async def turn_deeper(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask the question of a turn once more, of the whole text."""
    return await _once_more(request, pk, lambda _: Wishes(Lane.DEEP))


@require_POST
async def turn_afresh(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask the question of a turn once more, without an answer from before."""
    return await _once_more(request, pk, lambda before: Wishes(before.wanted_lane, fresh=True))


async def _once_more(request: HttpRequest, pk: int, wishes: Callable[[Turn], Wishes]) -> HttpResponse:
    """Ask the question of a turn in a new one that follows in the same conversation."""
    user = await request.auser()
    before = await sync_to_async(access.turn_for)(user, pk)
    conversation = before.conversation
    turn = await ask_and_start(user, conversation.project, before.question, conversation.pk, wishes(before))
    return redirect(_place(turn, conversation))


@require_GET
def turn_offer(request: HttpRequest, pk: int) -> HttpResponse:
    """Whether documents are ready that an answer had to do without; asked until all of them are."""
    offer = offer_for(access.turn_for(request.user, pk))
    return render(request, "projects/_offer.html", {"offer": offer}, status=200 if offer.waits else STOP_POLLING)


@require_POST
async def turn_stop(request: HttpRequest, pk: int) -> HttpResponse:
    """End the answer of a turn; what was written so far is kept."""
    turn = await sync_to_async(access.turn_for)(await request.auser(), pk)
    await runs.stop(turn.pk)
    return redirect(_place(turn, turn.conversation))


def _place(turn: Turn, conversation: Conversation) -> str:
    return f"{_desk(conversation.project_id, conversation.pk)}#turn-{turn.pk}"


def _desk(project_id: int, conversation_id: int | None) -> str:
    if conversation_id is None:
        return reverse("projects:desk", args=[project_id])
    return reverse("projects:conversation", args=[project_id, conversation_id])
