"""The inference service as a process of its own, with the real model and the `openai` client."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from inference import endpoint
from tests.inference.engine.conftest import model_file

pytestmark = pytest.mark.engine

QUESTION: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Name a colour."}]


@contextmanager
def service(run_dir: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start the service and wait until it listens; killed at the end if it still runs."""
    run_dir.mkdir(exist_ok=True)
    model = ("--model", str(model_file("smollm2-135m")), "--window", "1024")
    command = [sys.executable, "-m", "inference.service", *model, "--run-dir", str(run_dir), *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        while endpoint.read(run_dir) is None and process.poll() is None:
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.wait()


def client_of(run_dir: Path) -> openai.OpenAI:
    found = endpoint.read(run_dir)
    assert found is not None
    client = openai.OpenAI(base_url=f"{found.url}/v1", api_key=found.key, max_retries=0)
    while httpx.get(f"{found.url}/health", headers=auth(found)).json()["state"] == "LOADING":
        time.sleep(0.02)
    return client


def auth(found: endpoint.Endpoint) -> dict[str, str]:
    return {"Authorization": f"Bearer {found.key}"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    run_dir = tmp_path_factory.mktemp("home") / "run"
    with service(run_dir):
        client_of(run_dir)
        yield run_dir


def test_the_openai_client_gets_a_whole_answer_with_usage_and_timings(running: Path) -> None:
    reply = client_of(running).chat.completions.create(model="", messages=QUESTION, max_tokens=6)
    assert reply.choices[0].message.content
    assert reply.usage is not None
    assert reply.usage.completion_tokens <= 6
    timings = (reply.model_extra or {})["timings"]
    assert timings["prompt"] == timings["restored"] + timings["reused"] + timings["read"] == reply.usage.prompt_tokens


def test_the_openai_client_streams_the_same_text_with_progress_before_it(running: Path) -> None:
    client = client_of(running)
    whole = client.chat.completions.create(model="", messages=QUESTION, max_tokens=6)
    chunks = list(client.chat.completions.create(model="", messages=QUESTION, max_tokens=6, stream=True))
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == whole.choices[0].message.content
    assert "progress" in (chunks[0].model_extra or {})
    assert chunks[-1].usage is not None
    assert whole.usage is not None
    assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens


def test_a_raw_prompt_is_continued(running: Path) -> None:
    reply = client_of(running).completions.create(model="", prompt="The sky is", max_tokens=4)
    assert reply.choices[0].text
    assert reply.usage is not None
    assert reply.usage.prompt_tokens == 3


def test_the_openai_client_gets_the_chances_of_the_tokens(running: Path) -> None:
    client = client_of(running)
    plain = client.chat.completions.create(model="", messages=QUESTION, max_tokens=4)
    told = client.chat.completions.create(model="", messages=QUESTION, max_tokens=4, logprobs=True, top_logprobs=3)
    assert plain.choices[0].logprobs is None
    assert told.choices[0].message == plain.choices[0].message
    logprobs = told.choices[0].logprobs
    assert logprobs is not None
    assert logprobs.content is not None
    assert b"".join(bytes(token.bytes or ()) for token in logprobs.content).decode() == plain.choices[0].message.content
    for token in logprobs.content:
        assert token.top_logprobs[0].token == token.token
        assert len(token.top_logprobs) == 3
        assert sum(math.exp(other.logprob) for other in token.top_logprobs) <= 1
    with pytest.raises(openai.BadRequestError, match="top_logprobs"):
        client.chat.completions.create(model="", messages=QUESTION, logprobs=True, top_logprobs=21)


def test_the_openai_client_streams_the_chances_that_a_whole_answer_has(running: Path) -> None:
    client = client_of(running)
    whole = client.chat.completions.create(model="", messages=QUESTION, max_tokens=4, logprobs=True, top_logprobs=2)
    chunks = client.chat.completions.create(
        model="", messages=QUESTION, max_tokens=4, logprobs=True, top_logprobs=2, stream=True
    )
    told = [choice.logprobs.content or [] for chunk in chunks for choice in chunk.choices if choice.logprobs]
    assert whole.choices[0].logprobs is not None
    assert [token for content in told for token in content] == whole.choices[0].logprobs.content


def test_a_raw_prompt_has_chances_in_the_form_of_its_interface(running: Path) -> None:
    reply = client_of(running).completions.create(model="", prompt="The sky is", max_tokens=3, logprobs=2)
    told = reply.choices[0].logprobs
    assert told is not None
    assert told.tokens is not None
    assert told.top_logprobs is not None
    assert "".join(told.tokens) == reply.choices[0].text
    assert told.text_offset == [0, len(told.tokens[0]), len(told.tokens[0]) + len(told.tokens[1])]
    assert [max(top, key=lambda token: top[token]) for top in told.top_logprobs] == told.tokens


def test_faults_have_the_status_and_the_sentence_that_clients_expect(running: Path) -> None:
    client = client_of(running)
    with pytest.raises(openai.NotFoundError, match="is not loaded"):
        client.chat.completions.create(model="another", messages=QUESTION)
    with pytest.raises(openai.BadRequestError, match="temperature"):
        client.chat.completions.create(model="", messages=QUESTION, temperature=-1)
    with pytest.raises(openai.BadRequestError, match="window holds 1,024"):
        client.chat.completions.create(model="", messages=QUESTION, max_tokens=2000)
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="wrong").models.list()


def test_every_route_wants_the_key_and_listens_on_loopback_only(running: Path) -> None:
    found = endpoint.read(running)
    assert found is not None
    assert found.url.startswith("http://127.0.0.1:")
    for path in ("/health", "/metrics", "/v1/models"):
        assert httpx.get(found.url + path).status_code == 401
        assert httpx.get(found.url + path, headers=auth(found)).status_code == 200


def test_metrics_count_what_was_asked(running: Path) -> None:
    found = endpoint.read(running)
    assert found is not None

    def requests() -> float:
        text = httpx.get(f"{found.url}/metrics", headers=auth(found)).text
        return float(next(line.split()[1] for line in text.splitlines() if line.startswith("readahead_requests_total")))

    before = requests()
    client_of(running).completions.create(model="", prompt="One", max_tokens=1)
    assert requests() == before + 1


def test_a_client_that_closes_its_connection_leaves_an_idle_engine(running: Path) -> None:
    found = endpoint.read(running)
    assert found is not None
    body = {"messages": QUESTION, "max_tokens": 900, "stream": True, "temperature": 1.0}
    with httpx.stream("POST", f"{found.url}/v1/chat/completions", json=body, headers=auth(found)) as reply:
        next(line for line in reply.iter_lines() if '"content"' in line)
    deadline = time.monotonic() + 10
    while "readahead_conversation_active 0" not in httpx.get(f"{found.url}/metrics", headers=auth(found)).text:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order_and_withdraws_its_endpoint(tmp_path: Path, number: signal.Signals) -> None:
    with service(tmp_path / "run") as process:
        process.send_signal(number)
        assert process.wait(timeout=20) == 0
        assert endpoint.read(tmp_path / "run") is None


def test_a_file_that_is_no_model_is_a_failed_state_with_its_reason(tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + bytes(100))
    with service(tmp_path / "run", "--model", str(bad)):
        found = endpoint.read(tmp_path / "run")
        assert found is not None
        client_of(tmp_path / "run")
        health = httpx.get(f"{found.url}/health", headers=auth(found)).json()
        assert health["state"] == "FAILED"
        assert "bad.gguf" in health["message"]
        reply = httpx.post(f"{found.url}/v1/completions", json={"prompt": "x"}, headers=auth(found))
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "model_failed")


def test_a_taken_port_is_one_sentence(tmp_path: Path, running: Path) -> None:
    found = endpoint.read(running)
    assert found is not None
    port = found.url.rsplit(":", 1)[1]
    with service(tmp_path / "run", "--port", port) as process:
        assert process.wait(timeout=20) == 1
        assert process.stderr is not None
        assert process.stderr.read().decode() == f"Port {port} cannot be used: Address already in use.\n"


def test_the_endpoint_file_holds_a_new_key_for_every_start(tmp_path: Path, running: Path) -> None:
    with service(tmp_path / "run"):
        keys = {json.loads((folder / endpoint.FILE_NAME).read_text())["key"] for folder in (running, tmp_path / "run")}
        assert len(keys) == 2
