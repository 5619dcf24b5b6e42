"""Tests of the settings: what the environment may say, what is documented, and what keeps the installation closed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from ragsite.environment import OFFLINE
from ragsite.home import data_folder, secret_key

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("inference", "projects", "ragsite", "scripts", "study")
OTHER_NAMES = {"PORT", "HF_TOKEN", "HF_ENDPOINT"}
INTERNAL = {"READAHEAD_SUPERVISED"}


def _variables_in_code() -> set[str]:
    text = "\n".join(path.read_text() for source in SOURCES for path in (ROOT / source).rglob("*.py"))
    return set(re.findall(r"READAHEAD_[A-Z_]+", text)) - INTERNAL | OTHER_NAMES


def _documented() -> set[str]:
    return set(re.findall(r"^\| `([A-Z_]+)`", (ROOT / "docs/settings.md").read_text(), flags=re.MULTILINE))


def test_every_variable_is_documented_and_every_documented_one_exists() -> None:
    assert _documented() == _variables_in_code()


def _manage(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "ragsite.settings", "READAHEAD_HOME": str(home), **variables}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("READAHEAD_SIGN_IN", "yes"),
        ("READAHEAD_HTTPS", "true"),
        ("READAHEAD_MAX_UPLOAD_MB", "-1"),
    ],
)
def test_value_that_makes_no_sense_is_refused_in_one_sentence(name: str, value: str, tmp_path: Path) -> None:
    done = _manage(tmp_path, "up", **{name: value})
    assert done.returncode == 1
    assert name in done.stderr
    assert repr(value) in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("variables", "opens"),
    [
        ({}, True),
        ({"READAHEAD_HOST": "::1"}, True),
        ({"READAHEAD_HOST": "0.0.0.0"}, False),
        ({"READAHEAD_HOST": "192.168.1.5"}, False),
        ({"READAHEAD_SIGN_IN": "1"}, False),
    ],
)
def test_only_a_loopback_address_opens_as_the_owner(variables: dict[str, str], opens: bool, tmp_path: Path) -> None:
    script = "from django.conf import settings; print(settings.OPENS_AS_OWNER)"
    assert _manage(tmp_path, "shell", "--no-imports", "-c", script, **variables).stdout.strip() == str(opens)


def test_what_a_command_creates_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert _manage(home, "migrate", "-v", "0").returncode == 0
    for path in (home, *home.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path
    assert (home / "db.sqlite3").exists()


def test_each_installation_has_a_key_of_its_own(tmp_path: Path) -> None:
    homes = [tmp_path / "one", tmp_path / "two"]
    for home in homes:
        home.mkdir()
    keys = [secret_key(home) for home in homes]
    assert keys[0] != keys[1]
    assert secret_key(homes[0]) == keys[0]
    assert len(keys[0]) >= 50
    assert (homes[0] / "secret_key").stat().st_mode & 0o777 == 0o600


def test_data_folder_is_made_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAHEAD_HOME", str(tmp_path / "deep" / "home"))
    assert data_folder().stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("place", ["/dev/null/home", "/proc/home", "file"])
def test_data_folder_that_cannot_be_made_is_said_in_one_sentence(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    home = tmp_path / place
    done = _manage(home, "up")
    assert done.returncode == 1
    assert done.stderr.startswith(f"Readahead cannot start: The data folder {home} cannot be used (")
    assert "Set READAHEAD_HOME" in done.stderr
    assert done.stderr.count("\n") == 1


def test_data_folder_that_may_not_be_written_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAHEAD_HOME", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: not (path == tmp_path and mode & os.W_OK))
    with pytest.raises(ImproperlyConfigured, match="Permission denied"):
        data_folder()


def test_key_that_cannot_be_read_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "secret_key").mkdir()
    with pytest.raises(ImproperlyConfigured, match="secret_key: Is a directory"):
        secret_key(tmp_path)


def test_call_to_a_foreign_host_name_is_one_line_in_the_log(tmp_path: Path) -> None:
    script = "from django.test import Client; print(Client(headers={'host': 'evil.example'}).get('/').status_code)"
    done = _manage(tmp_path, "shell", "--no-imports", "-c", script)
    assert done.stdout == "400\n"
    assert "Invalid HTTP_HOST header: 'evil.example'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_libraries_are_told_to_stay_offline() -> None:
    assert {name: os.environ.get(name) for name in OFFLINE} == OFFLINE
    assert OFFLINE["HF_HUB_OFFLINE"] == OFFLINE["TRANSFORMERS_OFFLINE"] == "1"


def test_cookies_are_out_of_reach_of_scripts_and_other_sites() -> None:
    for kind in ("SESSION", "CSRF"):
        assert getattr(settings, f"{kind}_COOKIE_HTTPONLY")
        assert getattr(settings, f"{kind}_COOKIE_SAMESITE") == "Strict"


def test_cookies_go_by_https_alone_when_there_is_https(tmp_path: Path) -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "CSRF_TRUSTED_ORIGINS")
    script = f"from django.conf import settings; print(*(getattr(settings, name) for name in {names}))"
    done = _manage(
        tmp_path, "shell", "--no-imports", "-c", script, READAHEAD_HTTPS="1", READAHEAD_ALLOWED_HOSTS="docs.example"
    )
    assert done.stdout.strip() == "True True ['https://docs.example']"
