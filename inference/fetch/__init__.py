"""Bringing a model file onto this machine: sources, resuming, checking, and progress while it lasts."""

from inference.fetch.ensure import ensure_installed
from inference.fetch.errors import FetchError
from inference.fetch.events import Checking, Event, Fetching, Note, Report, Waiting

__all__ = ["Checking", "Event", "FetchError", "Fetching", "Note", "Report", "Waiting", "ensure_installed"]
