"""Reads old Word and PowerPoint files (.doc, .ppt) by having LibreOffice convert them, where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from projects.intake.extract import docx, pptx
from projects.intake.extract.base import Context, Extraction, ExtractionError
from projects.intake.extract.ooxml_password import opened_if_locked

AGAIN = "and add it again."
COMMANDS = ("soffice", "libreoffice")
_ELSEWHERE = ("/Applications/LibreOffice.app/Contents/MacOS", r"C:\Program Files\LibreOffice\program")
SECONDS = 50
"""For one conversion, the first start of LibreOffice included: less than a reader may be silent."""

_ENTRIES = (
    ("org.openoffice.Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("org.openoffice.Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("org.openoffice.Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("org.openoffice.Office.Writer/Content/Update", "Link", "0"),
)
_NO_NETWORK = ("unshare", "--user", "--map-current-user", "--net", "--")
"""Of Linux: a name space with no network in it, which a document could fetch pictures from."""


def extract(path: Path, context: Context) -> Extraction:
    """Convert an old file and read what comes out; ExtractionError without LibreOffice."""
    with opened_if_locked(path, context) as opened:
        return _read(opened, context)


def _read(path: Path, context: Context) -> Extraction:
    slides = _is_slides(path)
    kind, ending = ("PowerPoint file", "pptx") if slides else ("Word document", "docx")
    program = _program()
    if program is None:
        raise ExtractionError(
            f"This is a {kind} in the old .{ending[:3]} format, which Readahead reads with the help of LibreOffice. "
            f"Install LibreOffice, or save it as .{ending}, {AGAIN}"
        )
    with _converted(program, path, ending, context.folder) as result:
        return pptx.extract(result, context) if slides else docx.extract(result, context)


def _is_slides(path: Path) -> bool:
    import olefile

    with olefile.OleFileIO(str(path)) as container:
        return bool(container.exists("PowerPoint Document"))


def _program() -> str | None:
    """Return the path of LibreOffice, None where it is not installed."""
    places = os.pathsep.join((os.environ.get("PATH", ""), *_ELSEWHERE))
    return next((found for command in COMMANDS if (found := shutil.which(command, path=places))), None)


@contextmanager
def _converted(program: str, path: Path, ending: str, parent: Path | None) -> Iterator[Path]:
    """Give the converted file for as long as it is read; nothing of it or of LibreOffice's own files stays behind."""
    with TemporaryDirectory(prefix="readahead-", dir=parent) as folder:
        profile, out = Path(folder, "profile"), Path(folder, "out")
        _write_profile(profile)
        source = Path(folder, f"document.{ending[:3]}")
        shutil.copyfile(path, source)
        options = (f"-env:UserInstallation={profile.as_uri()}", "--headless", "--norestore", "--nolockcheck")
        _run((program, *options, "--convert-to", ending, "--outdir", str(out), str(source)), folder)
        result = out / f"document.{ending}"
        if not result.exists():
            raise ExtractionError(f"LibreOffice could not open this file: it is damaged. Save it as .{ending} {AGAIN}")
        yield result


def _run(command: tuple[str, ...], folder: str) -> None:
    """Run a conversion to its end, or end it with all the processes that it started."""
    null = subprocess.DEVNULL
    whole = (*_without_network(), *command)
    with subprocess.Popen(whole, env=_environment(folder), stdin=null, stdout=null, stderr=null) as process:
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            for descendant in psutil.Process(process.pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    descendant.kill()
            process.kill()
            raise ExtractionError(
                f"LibreOffice took longer than {SECONDS} seconds to open this file. Save it anew {AGAIN}"
            ) from None


def _environment(folder: str) -> dict[str, str]:
    """Return variables that give LibreOffice no home but the temporary folder, and no way out by a proxy."""
    nowhere = "http://127.0.0.1:9"
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "TEMP") if name in os.environ}
    return {**kept, "HOME": folder, "TMPDIR": folder, "http_proxy": nowhere, "https_proxy": nowhere}


def _without_network() -> tuple[str, ...]:
    """Return the command that runs another without a network; empty where the system or its rules do not have it."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return ()
    tried = subprocess.run([*_NO_NETWORK, "true"], capture_output=True, check=False)
    return _NO_NETWORK if tried.returncode == 0 else ()


def _write_profile(profile: Path) -> None:
    """Write settings that run no macros and follow no links out of the document."""
    items = "".join(
        f'<item oor:path="/{place}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for place, name, value in _ENTRIES
    )
    user = profile / "user"
    user.mkdir(parents=True)
    (user / "registrymodifications.xcu").write_text(
        '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"{items}</oor:items>",
        encoding="utf-8",
    )
