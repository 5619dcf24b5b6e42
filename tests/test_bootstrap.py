"""Setting up: over at once when nothing changed, and one sentence for each thing that can be missing."""

from __future__ import annotations

import ast
import io
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import bootstrap
import pip_run

ROOT = Path(bootstrap.__file__).resolve().parent.parent


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """A project without an environment; returns the extras of each installation that was asked of pip."""
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text("")
    venv = tmp_path / ".venv"
    (venv / "bin").mkdir(parents=True)
    python = venv / "bin/python"
    python.touch()
    places = {"ROOT": tmp_path, "VENV": venv, "PYTHON": python, "STAMP": venv / "stamp.json", "LOCK": tmp_path / "lock"}
    for name, value in places.items():
        monkeypatch.setattr(bootstrap, name, value)
    installs: list[set[str]] = []
    monkeypatch.setattr(bootstrap, "make_venv", lambda: None)
    monkeypatch.setattr(bootstrap, "require_compiler", lambda: None)
    monkeypatch.setattr(bootstrap, "install", lambda extras: installs.append(set(extras)))
    return installs


def test_a_second_setup_does_nothing(project: list[set[str]]) -> None:
    bootstrap.bootstrap(set())
    bootstrap.bootstrap(set())
    assert project == [set()]


def test_extras_come_on_top_and_stay(project: list[set[str]]) -> None:
    bootstrap.bootstrap({"test"})
    bootstrap.bootstrap(set())
    bootstrap.bootstrap({"lint"})
    assert project == [{"test"}, {"test", "lint"}]


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_changed_requirements_are_installed(project: list[set[str]], name: str) -> None:
    bootstrap.bootstrap(set())
    (bootstrap.ROOT / name).write_text("changed")
    bootstrap.bootstrap(set())
    assert len(project) == 2


def test_a_failed_installation_is_tried_again(project: list[set[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(extras: set[str]) -> None:
        raise bootstrap.Trouble("no")

    with monkeypatch.context() as patch:
        patch.setattr(bootstrap, "install", fail)
        with pytest.raises(bootstrap.Trouble):
            bootstrap.bootstrap(set())
    bootstrap.bootstrap(set())
    assert project == [set()]


def test_an_interrupted_upgrade_is_repaired_also_after_going_back(
    project: list[set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(extras: set[str]) -> None:
        raise KeyboardInterrupt

    bootstrap.bootstrap({"test"})
    requirements = bootstrap.ROOT / "pyproject.toml"
    with monkeypatch.context() as patch:
        patch.setattr(bootstrap, "install", stop)
        requirements.write_text("newer")
        with pytest.raises(KeyboardInterrupt):
            bootstrap.bootstrap(set())
    requirements.write_text("")
    bootstrap.bootstrap(set())
    assert project == [{"test"}, {"test"}]


def test_a_second_setup_waits_for_the_first_and_has_nothing_left_to_do(
    project: list[set[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    second = threading.Thread(target=bootstrap.bootstrap, args=({"test"},))
    waits = threading.Event()

    def install(extras: set[str]) -> None:
        project.append(set(extras))
        if not second.ident:
            second.start()
            assert waits.wait(60)

    def pause(_seconds: float) -> None:
        waits.set()

    monkeypatch.setattr(bootstrap, "install", install)
    monkeypatch.setattr(time, "sleep", pause)
    bootstrap.bootstrap({"test"})
    second.join(60)
    assert not second.is_alive()
    assert project == [{"test"}]
    assert "Waiting for another setup" in capsys.readouterr().err


def test_a_damaged_stamp_means_installing(project: list[set[str]]) -> None:
    bootstrap.STAMP.write_text('["nonsense"]')
    bootstrap.bootstrap(set())
    assert project == [set()]


def test_a_full_disk_is_told_before_compiling(project: list[set[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_200_000_000))
    with pytest.raises(bootstrap.Trouble, match=r"4 GB are needed and 1\.2 GB are free"):
        bootstrap.bootstrap(set())


def only(*programs: str) -> object:
    return lambda name: f"/bin/{name}" if name in programs else None


@pytest.mark.parametrize(
    ("manager", "command"),
    [("apt-get", "apt-get install build-essential"), ("dnf", "dnf install gcc-c++"), ("apk", "apk add build-base")],
)
def test_a_missing_compiler_comes_with_the_command_to_get_it(
    manager: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(shutil, "which", only(manager, "cc"))
    with pytest.raises(bootstrap.Trouble) as caught:
        bootstrap.require_compiler()
    assert str(caught.value).endswith(f"sudo {command}")


def test_clang_is_a_compiler_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", only("clang", "clang++"))
    bootstrap.require_compiler()


def test_an_old_python_is_told_which_one_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    with pytest.raises(bootstrap.Trouble, match=r"needs Python 3\.11 or newer"):
        bootstrap.require_python()


def test_the_script_answers_an_old_python_in_its_own_grammar() -> None:
    """`ast` reads the file the way Python 3.8 would; the rest is written for the Python that is needed."""
    ast.parse((ROOT / "scripts/bootstrap.py").read_text(), feature_version=(3, 8))


def test_trouble_is_one_line_and_exit_code_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise bootstrap.Trouble("Something is missing.")

    monkeypatch.setattr(sys, "argv", ["bootstrap.py"])
    monkeypatch.setattr(bootstrap, "require_python", fail)
    assert bootstrap.main() == 1
    assert capsys.readouterr().err == "Something is missing.\n"


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("  error: [Errno 28] No space left on device", "The disk is full"),
        (
            (
                "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\n"
                "ERROR: No matching distribution found for django~=5.2.0"
            ),
            "The package index cannot be reached",
        ),
        ("ERROR: No matching distribution found for torch==2.13.0", "has no torch==2.13.0 for Python 3."),
        (
            (
                "  /x/ggml.c:10:2: error: unknown type name 'foo'\n"
                "  ERROR: Failed building wheel for llama-cpp-python\nERROR: Failed to build llama-cpp-python"
            ),
            "llama-cpp-python could not be compiled: unknown type name 'foo'.",
        ),
        (
            (
                "  c++: fatal error: Killed signal terminated program cc1plus\n"
                "ERROR: Failed to build installable wheels for some pyproject.toml based projects (llama-cpp-python)"
            ),
            "ran out of memory",
        ),
        ("ERROR: ResolutionImpossible", "Pip failed: ResolutionImpossible."),
        ("", "Pip failed: it gave no reason."),
    ],
)
def test_each_failure_of_pip_is_a_sentence(output: str, sentence: str) -> None:
    assert sentence in pip_run.explain(output)


def test_progress_follows_the_output() -> None:
    progress = pip_run.Progress()
    seen = []
    for line in (
        "Collecting django~=5.2.0 (from readahead==0.1.0)",
        "  Downloading torch-2.13.0-cp311-cp311-linux_x86_64.whl (190.3 MB)",
        "  Link requires a different Python",
        "Building wheel for llama-cpp-python (pyproject.toml): started",
        "  [45/193] Building CXX object vendor/llama.cpp/src/llama.cpp.o",
        "Installing collected packages: a, b, c",
        "  [1/2] not a compiler's step",
    ):
        progress.feed(line)
        seen.append(progress.text)
    assert seen[0] == "looking for django"
    assert seen[1] == seen[2] == "downloading torch-2.13.0-cp311-cp311-linux_x86_64.whl (190.3 MB)"
    assert seen[3] == "compiling llama-cpp-python (about 4 minutes on 2 cores)"
    assert seen[4] == "compiling llama-cpp-python (about 4 minutes on 2 cores, step 45 of 193)"
    assert seen[5] == seen[6] == "unpacking 3 packages"


def test_a_log_gets_a_line_when_compiling_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    log = io.StringIO()
    display = pip_run.Display(log)
    for text in ("looking for django", pip_run.COMPILING + ")", pip_run.COMPILING + ", step 1 of 2)"):
        display.show(text)
    assert log.getvalue() == f"  0:00  {pip_run.COMPILING})\n"


def test_a_failing_command_is_explained_and_its_output_kept(tmp_path: Path) -> None:
    script = "print('ERROR: No matching distribution found for nothing'); raise SystemExit(1)"
    with pytest.raises(pip_run.PipFailed, match=r"has no nothing for Python .*setup\.log"):
        pip_run.run_pip([sys.executable, "-c", script], tmp_path / "setup.log")
    assert "ERROR" in (tmp_path / "setup.log").read_text()


def test_the_makefile_explains_itself() -> None:
    shown = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert all(f"make {target}" in shown for target in ("setup", "run", "test", "lint", "clean"))
