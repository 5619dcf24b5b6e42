"""Telling before a model file is used whether it can be: what is wrong with it becomes one sentence."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from inference.errors import ModelFailed
from inference.gguf_header import Cut, Header, NotGguf, read_header

VERDICT_TIMEOUT_S = 120.0
"""For a header of some megabytes on a disk that has to wake up."""
_NO_POOLING, _RANKING = 0, 4
_CAUSE = re.compile(r"error loading model: (?P<cause>.+?)(;|$)")
_UNKNOWN = re.compile(r"unknown model architecture: '(?P<name>[^']*)'")


def check_header(path: Path, name: str = "") -> Header:
    """Return the header of a model for chat that is there as a whole. Raises ModelFailed. Takes about 0.2 s.

    `name` is what sentences call a file that does not have its own name yet.
    """
    name = name or path.name
    if path.is_dir():
        raise ModelFailed(f"{path} is a folder. Name the .gguf file itself.")
    try:
        header = read_header(path)
        size = path.stat().st_size
    except OSError as error:
        raise ModelFailed(f"{path} cannot be read: {error.strerror}.") from error
    except Cut as error:
        raise ModelFailed(f"{name} {error}: it did not arrive as a whole. Get it again.") from error
    except NotGguf as error:
        raise ModelFailed(f"{name} {error}.") from error
    if header.end > size:
        raise ModelFailed(
            f"{name} is incomplete: {header.end:,} bytes belong to it and {size:,} are there. Get it again."
        )
    _require_for_chat(name, header)
    return header


def check_beginning(path: Path, name: str) -> None:
    """Judge a file of which only the beginning is there, as far as that goes. Raises ModelFailed."""
    try:
        _require_for_chat(name, read_header(path))
    except Cut:
        return  # the header goes on behind what is there
    except NotGguf as error:
        raise ModelFailed(f"{name} {error}.") from error


def _require_for_chat(name: str, header: Header) -> None:
    if reason := _not_for_chat(header):
        raise ModelFailed(f"{name} {reason}")


def check_file(path: Path, name: str = "") -> tuple[str, ...]:
    """Return warnings about a model that llama.cpp can run. Raises ModelFailed.

    After the header comes llama.cpp's own verdict, which never goes stale: it builds the model without its weights, in
    a child process, because it ends the process on some kinds of damage. Takes about a second.
    """
    name = name or path.name
    header = check_header(path, name)
    if reason := _verdict(path, name):
        raise ModelFailed(reason)
    return warnings(name, header)


def require_chat_model(path: Path, name: str = "") -> None:
    """Check a file that a person wants to talk to. Raises ModelFailed, also for one without a chat template.

    Only READAHEAD_MODEL starts such a model: whoever names a file there knows what it is.
    """
    if check_file(path, name):
        raise ModelFailed(
            f"{name or path.name} has no chat template: it continues texts and was not made to answer. "
            "To try it all the same, name its path in READAHEAD_MODEL."
        )


def warnings(name: str, header: Header) -> tuple[str, ...]:
    """Return what a person should know about a model that can be used."""
    if header.metadata.get("tokenizer.chat_template"):
        return ()
    return (f"{name} has no chat template, so a built-in one is used. Base models answer poorly.",)


def _not_for_chat(header: Header) -> str:
    """Return why a whole file is no model to talk to, as the end of a sentence; empty when it is one."""
    kind = header.metadata.get("general.type", "model")
    parts = header.metadata.get("split.count", 0)
    pooling = header.of_model("pooling_type", _NO_POOLING)
    if kind != "model":
        return f"is not a model by itself but a part of one ('{kind}'). Choose the model's main file."
    if parts > 1:
        return f"is one of {parts} parts of a model. Join them with llama-gguf-split --merge and use the result."
    if pooling == _RANKING:
        return "is a model that ranks texts and cannot write answers. Choose one for chat."
    if pooling != _NO_POOLING or header.of_model("attention.causal", default=True) is False or _is_encoder(header):
        return "is a model for embeddings: it compares texts and cannot write answers. Choose one for chat."
    return ""


def _is_encoder(header: Header) -> bool:
    """Tell by the name of the architecture, for files whose converter left the other signs out."""
    name = header.architecture
    return "bert" in name or name.endswith(("embedding", "encoder"))


def _verdict(path: Path, name: str) -> str:
    """Return why llama.cpp cannot run the file, as a sentence; empty when it can."""
    command = [sys.executable, "-m", "inference.gguf_check", str(path.resolve())]
    root = Path(__file__).resolve().parent.parent
    environment = {**os.environ, "GGML_NO_BACKTRACE": "1"}
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=VERDICT_TIMEOUT_S, check=False
        )
        cause = str(json.loads(done.stdout)["cause"])
    except subprocess.TimeoutExpired:
        return f"llama.cpp did not finish reading {name} within {VERDICT_TIMEOUT_S:.0f} seconds."
    except (ValueError, KeyError):
        return f"llama.cpp cannot load {name}: it breaks down over it. The file is damaged, or of an unknown kind."
    return _sentence(name, cause) if cause else ""


def _sentence(name: str, cause: str) -> str:
    if unknown := _UNKNOWN.search(cause):
        return f"{name} has the architecture '{unknown['name']}', which the installed llama.cpp does not know."
    return f"llama.cpp cannot load {name}: {cause}."


def _judge(path: Path) -> str:
    """Return llama.cpp's complaint about a file; runs in the child."""
    from inference.engine.llama import Model, library

    try:
        model = Model(path, simulated=True)
    except ModelFailed as error:
        found = _CAUSE.search(error.message)
        return found["cause"].rstrip(".") if found else error.message.rstrip(".")
    if library().llama_model_has_encoder(model.handle):
        return "it has an encoder besides what writes, and Readahead does not run such models"
    if library().llama_model_is_diffusion(model.handle):
        return "it does not write word after word, and Readahead does not run such models"
    return ""


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"cause": _judge(Path(sys.argv[1]))}))
