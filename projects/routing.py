"""Websocket routes of the projects app."""

from typing import Any

websocket_urlpatterns: list[Any] = []
