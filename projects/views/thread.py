"""Changing a conversation: a question asked in other words, an answer made anew, and what these have replaced."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from projects import access
from projects.answering import runs
from projects.answering.turns import Wishes
from projects.asking import MAX_QUESTION, QuestionRefused, start
from projects.conversations.replacing import TAKEN, ask_instead
from projects.models import Turn
from projects.presentation.turns import for_display


@require_http_methods(["GET", "POST"])
async def turn_edit(request: HttpRequest, pk: int) -> HttpResponse:
    """A question to be changed; on POST it is asked, and what it was and what followed is set aside."""
    turn = await sync_to_async(access.turn_for)(await request.auser(), pk)
    if turn.replaced_by_id:
        return _too_late(request, turn)
    if request.method == "GET":
        return await sync_to_async(_form)(request, turn, turn.question)
    # Forms send lines as the network has them.
    question = request.POST.get("question", "").replace("\r\n", "\n").strip()
    same = question == turn.question.replace("\r\n", "\n")
    try:
        fresh = await _instead(turn, question, Wishes(turn.wanted_lane, fresh=True) if same else Wishes())
    except QuestionRefused as error:
        return await sync_to_async(_form)(request, turn, question, error.message)
    return redirect(_place(fresh))


@require_POST
async def turn_regenerate(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the model answer once more, without an answer from before; the one that was there is set aside.

    Where questions have followed meanwhile, in another tab perhaps, the page that tells what will go is shown first.
    """
    turn = await sync_to_async(access.turn_for)(await request.auser(), pk)
    if turn.replaced_by_id:
        return _too_late(request, turn)
    if await turn.conversation.turns.filter(pk__gt=turn.pk).aexists():
        return redirect("projects:edit", pk)
    try:
        fresh = await _instead(turn, turn.question, Wishes(turn.wanted_lane, fresh=True))
    except QuestionRefused:
        return _too_late(request, turn)
    return redirect(_place(fresh))


@require_GET
def turn_earlier(request: HttpRequest, pk: int) -> HttpResponse:
    """The questions and answers that a turn has taken the place of."""
    turn = access.turn_for(request.user, pk)
    context = {
        "turn": turn,
        "project": turn.conversation.project,
        "conversation": turn.conversation,
        "earlier": for_display(turn.replaces.all()),
    }
    return render(request, "projects/earlier.html", context)


async def _instead(turn: Turn, question: str, wishes: Wishes) -> Turn:
    fresh: Turn = await sync_to_async(ask_instead)(turn, question, wishes)
    # Only now: a question that is refused has stopped nothing.
    async for replaced in fresh.replaces.filter(state__in=Turn.OPEN).values_list("pk", flat=True):
        await runs.stop(replaced)
    await start(fresh)
    return fresh


def _too_late(request: HttpRequest, turn: Turn) -> HttpResponse:
    messages.error(request, TAKEN)
    return redirect("projects:conversation", turn.conversation.project_id, turn.conversation_id)


def _form(request: HttpRequest, turn: Turn, question: str, refusal: str = "") -> HttpResponse:
    context = {
        "turn": turn,
        "project": turn.conversation.project,
        "conversation": turn.conversation,
        "question": question,
        "refusal": refusal,
        "max_question": MAX_QUESTION,
        "later": turn.conversation.turns.filter(pk__gt=turn.pk).count(),
    }
    return render(request, "projects/edit_question.html", context, status=422 if refusal else 200)


def _place(turn: Turn) -> str:
    conversation = turn.conversation
    return f"{reverse('projects:conversation', args=[conversation.project_id, conversation.pk])}#turn-{turn.pk}"
