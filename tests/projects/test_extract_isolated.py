"""Reading in a process of its own: the same result, and a sentence for every way in which that process may end."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.extract import (
    Attachment,
    Block,
    Context,
    Extraction,
    ExtractionError,
    PasswordNeeded,
    Report,
    extract,
    isolated,
)
from projects.intake.extract.isolated import ReaderFault, ReadingStopped, Watcher, extract_isolated
from projects.intake.extract.limits import MOST_S, Limits, limits_for
from tests.builders import docx, pdf
from tests.projects.standin import reader, stand_in

GIGABYTE = 1024**3
ENOUGH = Limits(silent=60, seconds=MOST_S, memory=2 * GIGABYTE)
NOTE = Context("note.txt")


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text("The monthly rent is 900 euros.")
    return path


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

    assert extract_isolated(path, Context(name)) == extract(path, Context(name))


def test_a_refusal_keeps_its_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7")

    with pytest.raises(ExtractionError, match="The PDF is damaged or incomplete"):
        extract_isolated(path, Context("a.pdf"))
    with pytest.raises(ExtractionError, match="The stored file is gone"):
        extract_isolated(tmp_path / "gone", Context("a.pdf"))


def test_a_locked_file_asks_for_its_password(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, """print('{"locked": "The PDF is protected by a password."}')""")

    with pytest.raises(PasswordNeeded, match="protected by a password"):
        extract_isolated(note, NOTE)


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("import ctypes; ctypes.string_at(0)", r"crashed on this one \(SIGSEGV\): it is damaged"),
        ("import os; os.abort()", r"crashed on this one \(SIGABRT\)"),
        ("import os; os.kill(os.getpid(), 9)", "ended from outside, most likely because the machine ran out of memory"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "took longer than 240 minutes"),
    ],
)
def test_a_child_that_dies_leaves_a_sentence(
    note: Path, monkeypatch: pytest.MonkeyPatch, script: str, sentence: str
) -> None:
    stand_in(monkeypatch, f"import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); {script}")

    with pytest.raises(ExtractionError, match=sentence):
        extract_isolated(note, NOTE, limits=ENOUGH)


def test_a_child_that_hangs_is_killed_with_all_that_it_started(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grandchild = "import time; time.sleep(60)"
    stand_in(
        monkeypatch,
        f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {grandchild!r}]);"
        f"open({str(note) + '.pid'!r}, 'w').write(str(p.pid)); p.wait()",
    )

    with pytest.raises(ExtractionError, match="took longer than 1 seconds and was given up"):
        extract_isolated(note, NOTE, limits=Limits(silent=1, seconds=9, memory=GIGABYTE))

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
        extract_isolated(note, NOTE, limits=Limits(silent=60, seconds=60, memory=150 * 1024**2))


def test_a_fault_tells_where_and_not_what(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        "from projects.intake.extract import child\n"
        "def broken(*_): raise ValueError('words of the document')\n"
        "child.extract = broken; child.main()",
    )

    with pytest.raises(ReaderFault, match="ValueError") as caught:
        extract_isolated(note, NOTE)

    assert "in answer" in str(caught.value)
    assert "words of the document" not in str(caught.value)


def test_what_a_library_prints_does_not_spoil_the_reply(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        "from projects.intake.extract import child\nread = child.extract\n"
        "def chatty(*args): print('hello', flush=True); return read(*args)\n"
        "child.extract = chatty; child.main()",
    )

    assert extract_isolated(note, NOTE).blocks[0].text == "The monthly rent is 900 euros."


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_name_of_a_file_is_seen_among_the_processes(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        "import json, sys; words = open('/proc/self/cmdline').read();"
        "print(json.dumps({'refused': 'seen' if 'note' '.txt' in words else 'not seen'}))",
    )

    with pytest.raises(ExtractionError, match=r"^not seen$"):
        extract_isolated(note, NOTE)


def test_interrupting_the_reader_ends_the_child(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "import os, signal, time; os.kill(os.getppid(), signal.SIGINT); time.sleep(60)")
    # A shell starts what runs in the background with the signal ignored, the tests too.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    try:
        with pytest.raises(KeyboardInterrupt):
            extract_isolated(note, NOTE, limits=ENOUGH)
    finally:
        signal.signal(signal.SIGINT, before)

    assert [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE] == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the child goes on until its time is up")
def test_the_child_dies_with_the_process_that_waits_for_it(note: Path) -> None:
    child = (
        "import os, sys, time; from projects.intake.extract.child import limit;"
        "limit(dict(memory=2**31, seconds=60, file_size=2**20));"
        "print(os.getpid(), file=sys.stderr, flush=True); time.sleep(60)"
    )
    waiting = (
        "import sys; from pathlib import Path; from projects.intake.extract import Context, isolated;"
        f"isolated.COMMAND = (sys.executable, '-c', {child!r});"
        f"isolated.extract_isolated(Path({str(note)!r}), Context())"
    )
    with subprocess.Popen([sys.executable, "-c", waiting], cwd=isolated.ROOT, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        pid = int(process.stderr.readline())
        process.kill()

    assert not _runs(pid)


def test_progress_is_told_while_the_file_is_read(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        reader(
            "for page in range(1, 4): context.progress(page, 3); time.sleep(0.15)\n"
            "return Extraction('text/plain', (Block('Read.'),))"
        ),
    )
    heard: list[tuple[int, int]] = []

    extract_isolated(note, Context("note.txt", progress=lambda done, total: heard.append((done, total))))

    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_a_reader_that_counts_rows_does_not_flood_the_one_who_listens(
    note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(
        monkeypatch,
        reader(
            "for row in range(200_000): context.progress(row, 200_000)\n"
            "return Extraction('text/plain', (Block('Read.'),))"
        ),
    )
    heard: list[int] = []

    extract_isolated(note, Context("note.txt", progress=lambda done, _: heard.append(done)))

    assert 1 <= len(heard) < 100
    assert heard == sorted(heard)


def test_a_file_that_nobody_wants_any_more_is_let_go_within_a_second(
    note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, reader("Path(str(path) + '.pid').write_text(str(os.getpid()))\ntime.sleep(60)"))
    pid = note.with_name("note.txt.pid")
    moment: list[float] = []

    def wanted() -> bool:
        if pid.exists() and pid.read_text():
            moment.append(time.monotonic())
        return not moment

    with pytest.raises(ReadingStopped):
        extract_isolated(note, NOTE, Watcher(wanted))

    assert time.monotonic() - moment[0] < 1
    assert not _runs(int(pid.read_text()))


def test_a_reader_may_take_long_while_it_gets_on_and_not_when_it_is_stuck(
    note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = "for page in range(1, 8): context.progress(page, 9); time.sleep(0.3)\n"
    limits = Limits(silent=1.2, seconds=60, memory=2 * GIGABYTE)

    stand_in(monkeypatch, reader(pages + "return Extraction('text/plain', (Block('Read.'),))"))
    assert extract_isolated(note, NOTE, limits=limits).blocks[0].text == "Read."

    stand_in(monkeypatch, reader(pages + "time.sleep(60)"))
    with pytest.raises(ExtractionError, match="got stuck: for 1 seconds no page was finished"):
        extract_isolated(note, NOTE, limits=limits)

    stand_in(monkeypatch, reader("while True: context.progress(1, 9); time.sleep(0.2)"))
    with pytest.raises(ExtractionError, match="took longer than 2 seconds"):
        extract_isolated(note, NOTE, limits=Limits(silent=60, seconds=2, memory=2 * GIGABYTE))


def test_the_password_and_the_report_go_the_whole_way(
    note: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(
        monkeypatch,
        reader(
            "inner = context.folder / 'a.txt'\ninner.write_text('inner')\n"
            "report = Report(ocr=(2,), unreadable=(3,), replaced=4, tables=5, left_out=('Macros.',))\n"
            "found = (Attachment('ä.txt', inner),)\n"
            "return Extraction('text/plain', (Block(context.password),), 3, ('W',), report, found)"
        ),
    )

    extraction = extract_isolated(note, Context("note.txt", "geheim – 租约", folder=tmp_path))

    assert extraction == Extraction(
        "text/plain",
        (Block("geheim – 租约"),),
        3,
        ("W",),
        Report(ocr=(2,), unreadable=(3,), replaced=4, tables=5, left_out=("Macros.",)),
        (Attachment("ä.txt", tmp_path / "a.txt"),),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_password_is_seen_among_the_processes(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        reader(
            "public = Path('/proc/self/cmdline').read_bytes() + Path('/proc/self/environ').read_bytes()\n"
            "raise ExtractionError('seen' if b'geh' + b'eim' in public else 'not seen')"
        ),
    )

    with pytest.raises(ExtractionError, match=r"^not seen$"):
        extract_isolated(note, Context("note.txt", "geheim"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the size of files")
def test_an_attachment_that_swells_is_refused(note: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MAX_UPLOAD_BYTES", 1024 * 1024)
    stand_in(monkeypatch, reader("(context.folder / 'a').write_bytes(bytes(2 * 1024 * 1024))"))

    with pytest.raises(ExtractionError, match="larger than any file may be"):
        extract_isolated(note, Context("note.txt", folder=tmp_path))


@given(st.integers(0, 10**12), st.integers(GIGABYTE, 10**13))
def test_limits_grow_with_the_file_up_to_a_ceiling(size: int, machine: int) -> None:
    limits = limits_for(size, machine)

    assert 60 <= limits.silent <= 600
    assert 2 * GIGABYTE <= limits.memory <= max(machine // 2, 2 * GIGABYTE)
    assert limits_for(0, 64 * GIGABYTE) == ENOUGH


def test_the_child_loads_nothing_heavy(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        "import json, sys; from projects.intake.extract import child;"
        "print(json.dumps({'refused': ' '.join({'django', 'psutil', 'subprocess', 'docx'} & set(sys.modules))}))",
    )

    with pytest.raises(ExtractionError, match=r"^$"):
        extract_isolated(note, NOTE)


def test_three_hundred_pages_tell_their_progress_within_a_gigabyte(tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    path.write_bytes(pdf(*([f"This is page {number}.", *["A line of text."] * 40] for number in range(1, 301))))
    heard: list[int] = []

    extraction = extract_isolated(
        path,
        Context("long.pdf", progress=lambda done, _: heard.append(done)),
        limits=Limits(silent=60, seconds=600, memory=GIGABYTE),
    )

    assert extraction.pages == 300
    assert "This is page 300." in extraction.blocks[-1].text
    assert heard == sorted(set(heard))
    assert len(heard) > 1


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
def test_what_a_crashed_reader_has_started_ends_with_it(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = note.with_name("started")
    stand_in(
        monkeypatch,
        "import os, signal, subprocess, sys, pathlib;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
        f"pathlib.Path({str(started)!r}).write_text(str(child.pid));"
        "os.kill(os.getpid(), signal.SIGKILL)",
    )

    with pytest.raises(ExtractionError):
        extract_isolated(note, NOTE, limits=ENOUGH)

    gone = psutil.Process(int(started.read_text())) if psutil.pid_exists(int(started.read_text())) else None
    assert gone is None or gone.wait(5) is None
