"""Template filters and tags for answers, states and sizes."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from projects.answering.router import Lane
from projects.answering.silence import is_silence
from projects.answering.turns import ended
from projects.models import Citation, Document, Turn
from projects.presentation import markdown, words
from projects.presentation import ways as menu
from projects.presentation.offers import AnswerOffer, offer_for

register = template.Library()

_BADGES = {
    Document.State.READY: "badge-good",
    Document.State.WARNINGS: "badge-warn",
    Document.State.NEEDS_PASSWORD: "badge-warn",
    Document.State.FAILED: "badge-bad",
    Document.State.CANCELLED: "",
}


@register.filter
def badge_class(document: Document) -> str:
    """Return the badge's colour for a document's state; anything not final is busy."""
    return _BADGES.get(Document.State(document.state), "badge-busy")


@register.filter
def source_url(citation: Citation) -> str:
    """Return the address of the cited document, open at its page and with the quoted words marked."""
    return f"{reverse('projects:source', args=[citation.document_id])}?citation={citation.pk}#quote"


@register.filter
def answer_html(turn: Turn) -> SafeString:
    """Return the answer as safe HTML with its citation marks linked."""
    links = {
        citation.number: markdown.Link(source_url(citation), words.preview(citation))
        for citation in turn.citations.all()
    }
    return markdown.render(turn.answer, links)


@register.filter
def timing(turn: Turn) -> str:
    """Return the line that says how long the answer took and what was read for it."""
    return words.timing_line(turn)


@register.filter
def cut_off(turn: Turn) -> str:
    """Return the line that says that the answer was cut off, or nothing."""
    return words.cut_off_line(turn)


@register.filter
def untraced(turn: Turn) -> bool:
    """Tell whether an answer says something and none of it could be traced to a document."""
    return turn.state == Turn.State.DONE and not turn.citations.all() and not is_silence(turn.answer)


@register.filter
def coverage(turn: Turn) -> str:
    """Return the line that says which documents the answer could come from; a turn that failed comes from none."""
    if turn.state in (Turn.State.FAILED, Turn.State.INTERRUPTED):
        return ""
    return words.coverage_line(turn.coverage, turn.lane)


@register.filter
def lane(turn: Turn) -> str:
    """Return what the answer was made from, in words."""
    return words.lane_label(turn.lane)


@register.filter
def ago(moment: datetime) -> str:
    """Return how long ago a moment was: 'just now', '5 minutes ago', '3 weeks ago'."""
    if timezone.now() - moment < timedelta(minutes=1):
        return "just now"
    return f"{timesince(moment, depth=1)} ago"


@register.filter
def can_retry(turn: Turn) -> bool:
    """Tell whether asking the same question again makes sense."""
    return ended(turn).retry


@register.filter
def can_go_deeper(turn: Turn) -> bool:
    """Tell whether the whole text could say more than what an answer was made from."""
    return turn.state == Turn.State.DONE and turn.lane in (Lane.DIGEST, Lane.PASSAGES)


@register.filter
def offer(turn: Turn) -> AnswerOffer:
    """Return what there is to be offered for an answer that had to do without some documents."""
    return offer_for(turn)


@register.simple_tag
def ways() -> list[menu.Option]:
    """Return the ways that a question can take, as the page shows them before it knows what they cost."""
    return menu.options()


@register.filter
def megabytes(size: int) -> str:
    """Return a limit in bytes as people say it: '200 MB'."""
    return f"{size // (1024 * 1024):,} MB"


@register.filter
def place(rank: int) -> str:
    """Return a rank as people say it: '1st', '2nd', '11th'."""
    return words.ordinal(rank)
