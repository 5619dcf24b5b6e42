"""Choosing a server on the models page: what is said, what is kept, and what never leaves unasked."""

from __future__ import annotations

import datetime as dt
import ipaddress
import json
import logging
import math
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from inference.contracts import EngineState, Health
from inference.external import choice, connection, trial
from inference.external.address import leaves_machine, normalised
from inference.external.choice import Server
from inference.external.report import Report
from tests.inference.openai_like import OpenAILike, Reply, serving

pytestmark = pytest.mark.django_db

ENDED = {"prompt_tokens": 9, "completion_tokens": 1}
REMOTE = Server("https://models.example/v1", "large", key="secret-key")
ACTIONS = ["server-test", "server-use", "server-confirm", "server-forget"]


@pytest.fixture(autouse=True)
def nothing_chosen(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings.HOME, settings.MODELS_DIR = tmp_path, tmp_path / "models"
    settings.SERVER_URL = ""
    monkeypatch.setattr("inference.gateway.health", lambda: Health(EngineState.NOT_LOADED, message="Not running."))
    connection.forget_learned()
    yield
    connection.forget_learned()


@pytest.fixture
def page(client: Client) -> Client:
    client.force_login(User.objects.create_user("anna", is_staff=True))
    return client


@pytest.fixture
def there() -> Iterator[OpenAILike]:
    with serving() as served:
        yield served


def shown(page: Client) -> str:
    text = " ".join(page.get(reverse("models:list")).content.decode().split())
    return text[text.index('<details class="card" id="server"') :].partition("</details>")[0]


def post(page: Client, action: str, **data: str) -> str:
    return page.post(reverse(f"models:{action}"), data, follow=True).content.decode()


def stored() -> choice.Stored:
    return choice.read()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("localhost:1234/v1/", "http://localhost:1234/v1"),
        (" https://Api.Example.com/v1/chat/completions ", "https://api.example.com/v1"),
        ("https://router.example/api/v1/models", "https://router.example/api/v1"),
        ("http://[::1]:8000", "http://[::1]:8000/v1"),
    ],
)
def test_an_address_is_understood_however_it_was_copied(text: str, address: str) -> None:
    assert normalised(text) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not the address of a server"),
        ("ftp://x/v1", "begins with http:// or https://, not with ftp://"),
        ("models.example/v1", "Write the address with http:// or https://"),
        ("https://anna:secret@models.example/v1", "The key has a field of its own"),
        ("https://models.example/v1?key=1", "not the address of a server"),
        ("http://127.0.0.1:99999", "not the address of a server"),
        ("http://[::1", "not the address of a server"),
    ],
)
def test_an_address_that_is_none_is_refused_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as refused:
        normalised(text)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "leaves"),
    [
        ("http://127.0.0.1:8080/v1", False),
        ("http://localhost/v1", False),
        ("http://[::1]:8000/v1", False),
        ("http://192.168.1.5:8080/v1", True),
        ("http://localhost.example/v1", True),
        ("https://127.0.0.1.example/v1", True),
    ],
)
def test_what_leaves_this_machine_is_told_by_the_address(url: str, leaves: bool) -> None:
    assert leaves_machine(url) is leaves


def test_at_first_the_section_is_closed_and_says_what_a_server_cannot_give(page: Client) -> None:
    text = shown(page)
    assert "<details" in text
    assert " open>" not in text
    assert "no memory of read documents is kept on disk" in text


def test_a_test_says_what_the_server_gives_and_changes_nothing(page: Client, there: OpenAILike) -> None:
    there.models = [{"id": "large", "max_model_len": 8192}, {"id": "other"}]
    there.chances = {"Yes": math.log(0.9), "No": math.log(0.1)}
    there.usage, there.counts = ENDED, "vllm"
    assert "answers. What it gives is below." in post(page, "server-test", address=there.url)
    text = shown(page)
    for words in (
        "large answered",
        "Answers come word by word",
        "Window 8,192 tokens",
        "Probabilities of words (logprobs)</span>",
        "Tokens are told (usage)",
        "Not how many of them the server remembered",
        "Counts the tokens of a text",
        '<option value="other">',
        "Use this server",
    ):
        assert words in text
    assert choice.chosen() is None


def test_what_the_server_does_not_give_is_said_with_what_that_means(page: Client, there: OpenAILike) -> None:
    there.streams, there.refuses = False, frozenset({"logprobs", "stream_options"})
    post(page, "server-test", address=there.url)
    text = shown(page)
    for words in (
        "Answers come whole",
        "The window is not told",
        "No probabilities of words",
        "plain Yes or No decides",
        "Tokens are not told",
        "Does not count the tokens",
    ):
        assert words in text


def test_nothing_of_any_document_is_in_a_test(page: Client, there: OpenAILike) -> None:
    post(page, "server-test", address=there.url)
    said = {message["content"] for request in there.asked for message in request["messages"]}
    assert said == {trial.QUESTION}


def test_a_tested_server_is_used_and_given_up_again(page: Client, there: OpenAILike) -> None:
    post(page, "server-test", address=there.url)
    assert "answers from now on" in post(page, "server-use")
    assert choice.chosen() == choice.Chosen(Server(there.url))
    assert ">in use</span>" in shown(page)
    assert "Use this server" not in shown(page)
    assert "The model on this machine answers again." in post(page, "server-forget")
    assert choice.chosen() is None


def test_choosing_a_local_model_meanwhile_says_who_answers(
    page: Client, there: OpenAILike, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inference.views.activate", lambda *_: None)
    post(page, "server-test", address=there.url)
    post(page, "server-use")
    assert "The server in its place goes on answering" in post(page, "use", model="smollm2-135m")


def test_what_was_not_tested_cannot_be_used(page: Client) -> None:
    assert "Test the connection first." in post(page, "server-use")
    assert choice.chosen() is None


class TestRefusals:
    def refused(self, page: Client, url: str, **fields: str) -> str:
        text = post(page, "server-test", address=url, **fields)
        assert "Use this server" not in text
        assert choice.chosen() is None
        return text

    def test_nobody_there(self, page: Client) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        assert "the connection was refused. Does the server run, and is the port right?" in self.refused(page, url)

    def test_another_key(self, page: Client) -> None:
        with serving(OpenAILike(key="right")) as served:
            text = self.refused(page, served.url, key="secret-wrong")
            assert "did not accept the key (status 401)." in text
            assert "secret-wrong" not in text
        with serving(OpenAILike(key="right")) as served:
            assert "asks for a key (status 401)." in self.refused(page, served.url)

    def test_another_address(self, page: Client, there: OpenAILike) -> None:
        there.replies["/api/models"] = Reply(404, "")
        assert "(status 404)" in self.refused(page, there.url.removesuffix("/v1") + "/api")

    def test_no_openai_server(self, page: Client, there: OpenAILike) -> None:
        there.replies["/v1/models"] = Reply(200, "<html>A printer</html>", "text/html")
        text = self.refused(page, there.url)
        assert "answers, but not as an OpenAI-compatible server does (it sent text/html)" in text

    def test_no_http_server(self, page: Client) -> None:
        with serving(context=_certificate(self.folder)) as served:
            plain = served.url.replace("https", "http")
            assert "Is the address right?" in self.refused(page, plain) or "broke" in self.refused(page, plain)

    def test_a_certificate_that_nobody_vouches_for(self, page: Client) -> None:
        with serving(context=_certificate(self.folder)) as served:
            text = self.refused(page, served.url)
        assert "is not trusted: self-signed certificate" in text
        assert "SSL_CERT_FILE" in text

    def test_an_authority_of_ones_own_is_trusted_once_it_is_named(
        self, page: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serving(context=_certificate(self.folder)) as served:
            monkeypatch.setenv("SSL_CERT_FILE", str(self.folder / "server.pem"))
            assert "What it gives is below." in post(page, "server-test", address=served.url)

    def test_tls_where_there_is_none(self, page: Client, there: OpenAILike) -> None:
        assert "does not speak TLS at this port" in self.refused(page, there.url.replace("http:", "https:"))

    def test_a_server_that_says_nothing(self, page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection, "CALL_S", 0.05)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            text = self.refused(page, f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert "took the request and sent nothing" in text

    def test_a_name_that_nobody_knows(self, page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        def unknown(*_: object, **__: object) -> None:
            raise socket.gaierror(-2, "Name or service not known")

        monkeypatch.setattr("socket.getaddrinfo", unknown)
        assert "is not known. Is it written right" in self.refused(page, "https://no-such.example")

    def test_a_window_that_is_no_number(self, page: Client, there: OpenAILike) -> None:
        assert "The window is a number of tokens" in self.refused(page, there.url, window="many")

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path


class TestKey:
    def test_it_is_kept_for_its_owner_alone_and_never_shown(
        self, page: Client, caplog: pytest.LogCaptureFixture, tmp_path: Path
    ) -> None:
        caplog.set_level(logging.DEBUG)
        with serving(OpenAILike(key="secret-key")) as served:
            text = post(page, "server-test", address=served.url, key="secret-key")
            text += post(page, "server-use") + shown(page)
        assert "stored, not shown" in text
        assert "secret-key" not in text
        assert "secret-key" not in caplog.text
        file = tmp_path / choice.FILE_NAME
        assert json.loads(file.read_text())["active"]["key"] == "secret-key"
        assert file.stat().st_mode & 0o777 == 0o600
        assert "secret-key" not in repr(choice.chosen())

    def test_an_empty_field_keeps_it_for_the_same_server(self, page: Client) -> None:
        with serving(OpenAILike(key="secret-key")) as served:
            post(page, "server-test", address=served.url, key="secret-key")
            post(page, "server-test", address=served.url, key="", model="large")
            assert stored().draft == Server(served.url, "large", key="secret-key")

    def test_it_never_gets_to_another_server(self, page: Client, there: OpenAILike) -> None:
        with serving(OpenAILike(key="secret-key")) as served:
            post(page, "server-test", address=served.url, key="secret-key")
        post(page, "server-test", address=there.url, key="")
        assert set(there.keys) == {None}


class TestLeavingTheMachine:
    def test_a_plain_warning_stands_before_the_button_and_must_be_confirmed(self, page: Client) -> None:
        choice.keep_draft(REMOTE, Report(model="large"))
        text = shown(page)
        assert "This server is not on this machine." in text
        assert "will be sent to https://models.example, and whoever runs it can read them" in text
        assert '<input type="checkbox" name="confirmed" value="1" required>' in text
        assert "Nothing was changed." in post(page, "server-use")
        assert choice.chosen() is None

    def test_once_confirmed_it_is_used_and_the_page_goes_on_saying_so(self, page: Client) -> None:
        choice.keep_draft(REMOTE, Report(model="large"))
        post(page, "server-use", confirmed="1")
        there = choice.chosen()
        assert there is not None
        assert not there.held
        assert "Text of your documents and your questions leave this machine" in shown(page)

    def test_an_unencrypted_way_is_called_that(self, page: Client) -> None:
        choice.keep_draft(Server("http://192.168.1.5:8080/v1"), Report(model="large"))
        assert "The way there is not encrypted" in shown(page)

    def test_a_server_by_the_settings_waits_for_the_page(self, page: Client, settings: Settings) -> None:
        settings.SERVER_URL = REMOTE.url
        text = shown(page)
        assert "the setting READAHEAD_SERVER_URL says so, and beats what is chosen here" in text
        assert "Nothing is sent there before that is confirmed" in text
        assert "Nothing was changed" in post(page, "server-confirm")
        assert "Text may be sent to https://models.example." in post(page, "server-confirm", confirmed="1")
        there = choice.chosen()
        assert there is not None
        assert not there.held

    def test_giving_a_server_up_takes_the_agreement_back(self, page: Client, settings: Settings) -> None:
        choice.keep_draft(REMOTE, Report(model="large"))
        post(page, "server-use", confirmed="1")
        post(page, "server-forget")
        settings.SERVER_URL = REMOTE.url
        there = choice.chosen()
        assert there is not None
        assert there.held


def test_the_settings_are_tested_as_they_are(page: Client, there: OpenAILike, settings: Settings) -> None:
    settings.SERVER_URL, settings.SERVER_KEY = there.url, "key-of-the-settings"
    post(page, "server-test", address="http://127.0.0.1:9")
    assert set(there.keys) == {"Bearer key-of-the-settings"}
    assert "Use this server" not in shown(page)


def test_a_broken_file_is_said_and_can_be_dropped(page: Client, tmp_path: Path) -> None:
    (tmp_path / choice.FILE_NAME).write_text('{"active": 3}')
    assert "cannot be read" in shown(page)
    post(page, "server-forget")
    assert choice.chosen() is None


@pytest.mark.parametrize("action", ACTIONS)
def test_only_who_manages_may_change_who_answers(client: Client, action: str) -> None:
    client.force_login(User.objects.create_user("ben"))
    choice.keep_draft(Server("http://127.0.0.1:9/v1"), Report(model="large"))
    assert client.post(reverse(f"models:{action}"), {"address": "http://127.0.0.1:9"}).status_code == 403
    assert choice.chosen() is None
    text = client.get(reverse("models:list")).content.decode()
    assert "Test the connection" not in text


@pytest.mark.parametrize("action", ACTIONS)
def test_looking_changes_nothing(page: Client, action: str) -> None:
    assert page.get(reverse(f"models:{action}")).status_code == 405


def _certificate(folder: Path) -> ssl.SSLContext:
    """Return the context of a server whose certificate it has signed itself."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - dt.timedelta(1)).not_valid_after(now + dt.timedelta(1))
    certificate = builder.add_extension(address, critical=False).sign(key, hashes.SHA256())
    pem = folder / "server.pem"
    plain = serialization.NoEncryption()
    pem.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context
