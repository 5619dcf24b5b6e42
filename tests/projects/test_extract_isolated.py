"""Reading in a process of its own: the same result, and a sentence for every way in which that process may end."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.extract import Context, ExtractionError, PasswordNeeded, extract, isolated
from projects.intake.extract.isolated import Limits, ReaderFault, extract_isolated, limits_for
from tests.builders import docx, pdf

GIGABYTE = 1024**3
ENOUGH = Limits(seconds=60, memory=2 * GIGABYTE)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text("The monthly rent is 900 euros.")
    return path


def stand_in(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Run `script` in place of the child's own program."""
    monkeypatch.setattr(isolated, "COMMAND", (sys.executable, "-c", script))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lease.pdf", pdf([("Lease", 20), "The rent is 900 euros."], [], fields=[("Tenant", "Ada")])),
        ("lease.docx", docx(lambda document: document.add_heading("Lease § 1 – “flat”", 1))),
        ("lease.md", "# Mietvertrag\n\nDie Kündigungsfrist beträgt drei Monate. 租约".encode()),
    ],
)
def test_a_file_reads_the_same_as_in_this_process(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    assert extract_isolated(path, name) == extract(path, Context(name))


def test_a_refusal_keeps_its_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7")

    with pytest.raises(ExtractionError, match="The PDF is damaged or incomplete"):
        extract_isolated(path, "a.pdf")
    with pytest.raises(ExtractionError, match="The stored file is gone"):
        extract_isolated(tmp_path / "gone", "a.pdf")


def test_a_locked_file_asks_for_its_password(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, """print('{"locked": "The PDF is protected by a password."}')""")

    with pytest.raises(PasswordNeeded, match="protected by a password"):
        extract_isolated(note, "note.txt")


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("import ctypes; ctypes.string_at(0)", r"crashed on this one \(SIGSEGV\): it is damaged"),
        ("import os; os.abort()", r"crashed on this one \(SIGABRT\)"),
        ("import os; os.kill(os.getpid(), 9)", "ended from outside, most likely because the machine ran out of memory"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "took longer than 60 seconds"),
    ],
)
def test_a_child_that_dies_leaves_a_sentence(
    note: Path, monkeypatch: pytest.MonkeyPatch, script: str, sentence: str
) -> None:
    stand_in(monkeypatch, f"import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); {script}")

    with pytest.raises(ExtractionError, match=sentence):
        extract_isolated(note, "note.txt", ENOUGH)


def test_a_child_that_hangs_is_killed_with_all_that_it_started(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grandchild = "import time; time.sleep(60)"
    stand_in(
        monkeypatch,
        f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {grandchild!r}]);"
        f"open({str(note) + '.pid'!r}, 'w').write(str(p.pid)); p.wait()",
    )

    with pytest.raises(ExtractionError, match="took longer than 1 seconds and was given up"):
        extract_isolated(note, "note.txt", Limits(seconds=1, memory=GIGABYTE))

    assert not _runs(int(note.with_name("note.txt.pid").read_text()))


def _runs(pid: int) -> bool:
    """Tell whether a process runs, a moment after it was killed: collecting it is up to the system."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return False
        except psutil.NoSuchProcess:
            return False
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the address space")
def test_a_file_that_takes_too_much_memory_says_so(note: Path) -> None:
    note.write_text("The monthly rent is 900 euros.\n\n" * 1_500_000)

    with pytest.raises(ExtractionError, match=r"more than the 0\.1 GB of memory"):
        extract_isolated(note, "note.txt", Limits(seconds=60, memory=150 * 1024**2))


def test_a_fault_tells_where_and_not_what(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        "from projects.intake.extract import child\n"
        "def broken(*_): raise ValueError('words of the document')\n"
        "child.extract = broken; child.main()",
    )

    with pytest.raises(ReaderFault, match="ValueError") as caught:
        extract_isolated(note, "note.txt")

    assert "in answer" in str(caught.value)
    assert "words of the document" not in str(caught.value)


def test_what_a_library_prints_does_not_spoil_the_reply(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        "from projects.intake.extract import child\nread = child.extract\n"
        "def chatty(*args): print('hello', flush=True); return read(*args)\n"
        "child.extract = chatty; child.main()",
    )

    assert extract_isolated(note, "note.txt").blocks[0].text == "The monthly rent is 900 euros."


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_name_of_a_file_is_seen_among_the_processes(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        "import json, sys; words = open('/proc/self/cmdline').read();"
        "print(json.dumps({'refused': 'seen' if 'note' '.txt' in words else 'not seen'}))",
    )

    with pytest.raises(ExtractionError, match=r"^not seen$"):
        extract_isolated(note, "note.txt")


def test_interrupting_the_reader_ends_the_child(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "import os, signal, time; os.kill(os.getppid(), signal.SIGINT); time.sleep(60)")

    with pytest.raises(KeyboardInterrupt):
        extract_isolated(note, "note.txt", ENOUGH)

    assert [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE] == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the child goes on until its time is up")
def test_the_child_dies_with_the_process_that_waits_for_it(note: Path) -> None:
    child = (
        "import os, sys, time; from projects.intake.extract.child import limit; limit(2**31, 60);"
        "print(os.getpid(), file=sys.stderr, flush=True); time.sleep(60)"
    )
    waiting = (
        "import sys; from pathlib import Path; from projects.intake.extract import isolated;"
        f"isolated.COMMAND = (sys.executable, '-c', {child!r}); isolated.extract_isolated(Path({str(note)!r}), 'a')"
    )
    with subprocess.Popen([sys.executable, "-c", waiting], cwd=isolated.ROOT, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        pid = int(process.stderr.readline())
        process.kill()

    assert not _runs(pid)


@given(st.integers(0, 10**12), st.integers(GIGABYTE, 10**13))
def test_limits_grow_with_the_file_up_to_a_ceiling(size: int, machine: int) -> None:
    limits = limits_for(size, machine)

    assert 60 <= limits.seconds <= 600
    assert 2 * GIGABYTE <= limits.memory <= max(machine // 2, 2 * GIGABYTE)
    assert limits_for(0, 64 * GIGABYTE) == ENOUGH


def test_the_child_loads_nothing_heavy(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        "import json, sys; from projects.intake.extract import child;"
        "print(json.dumps({'refused': ' '.join({'django', 'psutil', 'subprocess', 'docx'} & set(sys.modules))}))",
    )

    with pytest.raises(ExtractionError, match=r"^$"):
        extract_isolated(note, "note.txt")
