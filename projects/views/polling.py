"""How a fragment that is asked for again and again says that it is the last one."""

from __future__ import annotations

STOP_POLLING = 286
"""htmx's status for 'take this and ask no more'."""
