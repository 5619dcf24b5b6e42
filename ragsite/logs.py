"""How lines of the logs look."""

from __future__ import annotations

import logging
from typing import Any


class WithoutTrace(logging.Formatter):
    """For what a caller did wrong, as often as it likes: the trace is that of our refusal, and tells nothing."""

    def formatException(self, ei: Any) -> str:  # noqa: ARG002, N802 - the name that logging gave it
        return ""
