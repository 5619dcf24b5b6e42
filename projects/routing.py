"""Websocket routes of the projects app."""

from __future__ import annotations

from typing import Any

from channels.security.websocket import WebsocketDenier
from django.urls import path, re_path

from projects.consumers import DeskConsumer

websocket_urlpatterns: list[Any] = [
    path("ws/projects/<int:project_id>/", DeskConsumer.as_asgi()),
    # Without it, the router raises for any other address: a fault in the log for each, where a refusal will do.
    re_path("", WebsocketDenier.as_asgi()),
]
