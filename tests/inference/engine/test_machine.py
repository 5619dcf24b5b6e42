"""What a process may have of its machine, inside containers and out."""

from __future__ import annotations

from pathlib import Path

import pytest

from inference.engine import machine as module
from inference.engine.machine import Machine, _limits, this_machine, threads_at_most


def group(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content + "\n")
    return folder


def limits(tmp_path: Path, membership: str) -> list[Machine]:
    (tmp_path / "cgroup").write_text(membership)
    return list(_limits(tmp_path / "cgroup", tmp_path / "fs"))


def test_this_machine_has_memory_and_cores() -> None:
    machine = this_machine()
    assert 0 < machine.available <= machine.total
    assert machine.cores >= 1


def test_the_limit_of_a_container_counts_and_its_page_cache_does_not(tmp_path: Path) -> None:
    group(
        tmp_path / "fs",
        memory__max="4000",
        memory__current="3000",
        memory__stat="anon 1000\ninactive_file 1500",
        cpu__max="250000 100000",
    )
    assert limits(tmp_path, "0::/\n") == [Machine(total=4000, available=2500, cores=2)]


def test_a_limit_further_up_counts_too(tmp_path: Path) -> None:
    group(tmp_path / "fs/user", memory__max="900", memory__current="100")
    group(tmp_path / "fs/user/app", memory__max="max", memory__current="50", cpu__max="max 100000")
    totals = [limit.total for limit in limits(tmp_path, "0::/user/app\n")]
    assert min(totals) == 900
    assert [limit.cores for limit in limits(tmp_path, "0::/user/app\n")] == [0, 0, 0]


def test_a_name_of_the_host_leads_to_the_containers_own_root(tmp_path: Path) -> None:
    group(tmp_path / "fs", memory__max="700", memory__current="0")
    assert [limit.total for limit in limits(tmp_path, "0::/docker/abc\n")] == [700]


def test_the_older_hierarchy_is_read_as_well(tmp_path: Path) -> None:
    group(tmp_path / "fs/memory/app", memory__limit_in_bytes="500", memory__usage_in_bytes="100")
    found = limits(tmp_path, "5:cpu,cpuacct:/app\n4:memory:/app\n0::/\n")
    assert min(limit.total for limit in found) == 500


def test_no_control_groups_are_no_limits(tmp_path: Path) -> None:
    assert list(_limits(tmp_path / "absent", tmp_path)) == []


def test_threads_are_bounded_by_the_processors_and_by_the_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_allowed", lambda: 8)
    monkeypatch.setattr(module, "_limits", lambda *_: iter(()))
    assert threads_at_most() == 8
    monkeypatch.setattr(module, "_limits", lambda *_: iter([Machine(1, 1, 0), Machine(1, 1, 3)]))
    assert threads_at_most() == 3
