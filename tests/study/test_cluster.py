"""A queue of which one process is killed ends as a whole, so that the supervisor can start it anew."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.stack import ROOT, manage, wait_for


@pytest.mark.parametrize("victim", [0, 1, 2], ids=["worker", "monitor", "pusher"])
def test_a_queue_ends_when_one_of_its_processes_is_killed(tmp_path: Path, victim: int) -> None:
    manage(tmp_path, "migrate")
    environment = {**os.environ, "READAHEAD_HOME": str(tmp_path)}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, str(ROOT / "manage.py"), "qcluster"]
    queue = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        members = psutil.Process(queue.pid).children
        wait_for(lambda: len(members(recursive=True)) == 4, "the queue has its processes", [queue])
        everyone = members(recursive=True)
        sentinel = members()[0]
        sentinel.children()[victim].kill()

        queue.wait(20)
        assert psutil.wait_procs(everyone, 5)[1] == []
    finally:
        with_left = [process for process in psutil.process_iter() if _session(process.pid) == queue.pid]
        for process in with_left:
            process.send_signal(signal.SIGKILL)


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0
