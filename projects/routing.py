"""Websocket routes of the projects app."""

from __future__ import annotations

from typing import Any

from django.urls import path

from projects.consumers import DeskConsumer

websocket_urlpatterns: list[Any] = [
    path("ws/projects/<int:project_id>/", DeskConsumer.as_asgi()),
]
