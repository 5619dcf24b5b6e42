"""Renders a turn as the one fragment that the page, the websocket and a reload all show."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from projects.models import Citation, Turn


def for_display(turns: QuerySet[Turn]) -> QuerySet[Turn]:
    """Return the turns in order with everything the fragment needs, in two queries."""
    citations = Citation.objects.select_related("document")
    replaced = Exists(Turn.objects.filter(replaced_by=OuterRef("pk")))
    shown = turns.select_related("conversation").annotate(has_earlier=replaced)
    return shown.prefetch_related(Prefetch("citations", citations)).order_by("id")


def render_turn(turn_id: int) -> SafeString:
    """Return the fragment of one turn as its row says now."""
    turn = for_display(Turn.objects.all()).get(pk=turn_id)
    return render_to_string("projects/_turn.html", {"turn": turn})
