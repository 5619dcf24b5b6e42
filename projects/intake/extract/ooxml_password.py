"""Opening office files that are locked with a password, into a copy that is gone afterwards."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.parsers import expat

from projects.intake.extract.base import Context, ExtractionError, PasswordNeeded

NEEDED = "The document is protected by a password."
WRONG = "The password does not open it."
UNKNOWN = "The document is locked in a way that Readahead cannot open. Save it without a password and add it again."

_UNASKED = "VelvetSweatshop"
"""Excel locks sheets that are merely write-protected with this word, and opens them without asking for it."""

# A broken container or lock: olefile raises OSErrors, the others come from reading what is not there.
_BROKEN = (
    *(OSError, ValueError, LookupError, AttributeError, TypeError, AssertionError),
    *(expat.ExpatError, struct.error),
)


@contextmanager
def unlocked(path: Path, context: Context) -> Iterator[Path]:
    """Give an opened copy of a locked file for as long as it is read.

    It lies in a folder of its own, private to this user. Raises what `decrypted` raises.
    """
    with TemporaryDirectory(prefix="readahead-", dir=context.folder) as folder:
        yield decrypted(path, context.password, Path(folder))


@contextmanager
def opened_if_locked(path: Path, context: Context) -> Iterator[Path]:
    """Give an old Word, Excel or PowerPoint file as it is, or an opened copy of a locked one; see `unlocked`."""
    if not is_locked(path):
        yield path
        return
    with unlocked(path, context) as opened:
        yield opened


def decrypted(path: Path, password: str, folder: Path) -> Path:
    """Write an opened copy of a locked office file, old or new, into `folder` and return its path.

    Raises PasswordNeeded when `password` is empty or wrong, ExtractionError when the way of locking is not known or the
    file is damaged.
    """
    from msoffcrypto import OfficeFile
    from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError, ParseError

    opened = folder / "opened"
    try:
        with path.open("rb") as locked, opened.open("wb") as out:
            opened.chmod(0o600)
            file = OfficeFile(locked)
            # Only newer files have a way to check a password before everything is deciphered with it.
            check = {"verify_password": True} if file.format == "ooxml" else {}
            file.load_key(password=password or _UNASKED, **check)
            file.decrypt(out)
    except InvalidKeyError:
        raise PasswordNeeded(WRONG if password else NEEDED) from None
    except (DecryptionError, FileFormatError, ParseError) as error:
        raise ExtractionError(UNKNOWN) from error
    except _BROKEN as error:
        raise ExtractionError("The locked document is damaged: it does not open.") from error
    return opened


def is_locked(path: Path) -> bool:
    """Tell whether an old Word, Excel or PowerPoint file is locked; one that cannot be told is left to its reader."""
    from msoffcrypto import OfficeFile
    from msoffcrypto.exceptions import FileFormatError, ParseError

    try:
        with path.open("rb") as file:
            return bool(OfficeFile(file).is_encrypted())
    except (FileFormatError, ParseError, *_BROKEN):
        return False
