"""Tells the open desks of a project that its conversations have changed; what has, each finds in the rows.

A notice carries no content and may be lost: the next one, or the page's next `watch`, brings all that was missed.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from channels.layers import get_channel_layer


class Notice(TypedDict):
    """`type` is the name of the consumer's method, with a dot where that has an underscore."""

    type: Literal["conversation.changed"]
    conversation: int


def group_of(project_id: int) -> str:
    """Return the name of the group that the desks of a project listen in."""
    return f"desk-{project_id}"


async def tell(project_id: int, conversation_id: int) -> None:
    """Say that a conversation has a new question, another title, or is gone; call it when that is stored."""
    notice: Notice = {"type": "conversation.changed", "conversation": conversation_id}
    await get_channel_layer().group_send(group_of(project_id), notice)
