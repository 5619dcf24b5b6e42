"""The ways in which fetching a model can fail, each one sentence for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inference.fetch.sizes import human_bytes

if TYPE_CHECKING:
    from pathlib import Path


class FetchError(Exception):
    """The model file is not there and will not come; the text says why and what to do."""


class SourceFailed(FetchError):
    """One source gave up; the next one may still deliver. The text is the bare cause, without a final full stop."""


class Interrupted(FetchError):
    """An attempt ended early; another one may get further. The text is the bare cause."""


class ComeLater(Interrupted):
    """The server asks to come back: after `wait_s` seconds, None when it does not say when."""

    def __init__(self, cause: str, wait_s: float | None = None) -> None:
        super().__init__(cause)
        self.wait_s = wait_s


class Unreachable(Interrupted):
    """An attempt ended early, and the source has tried again often enough by itself."""


class Unusable(FetchError):
    """The file came, or its beginning, and is of no use whoever delivers it; the text is a sentence."""


class Changed(FetchError):
    """The source has another file by now than the one that was begun."""

    def __init__(self, cause: str = "the file has changed at its source") -> None:
        super().__init__(cause)


class DiskFull(FetchError):
    """The file does not fit on the disk; no other source can change that."""

    def __init__(self, folder: Path, needed: int = 0, free: int = 0) -> None:
        figures = f": {human_bytes(needed)} are needed and {human_bytes(free)} are free" if needed else ""
        super().__init__(
            f"The disk that holds {folder} is full{figures}. "
            "Make room, or set READAHEAD_MODELS to a folder on another disk."
        )
