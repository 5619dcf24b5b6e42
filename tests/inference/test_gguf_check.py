"""Model files that cannot be used: each is refused with its own reason, before anything depends on it."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inference.errors import ModelFailed
from inference.gguf_check import check_file, check_header
from inference.gguf_header import NotGguf, read_header
from tests.inference.gguf_files import write_gguf


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


def refusal(path: Path) -> str:
    with pytest.raises(ModelFailed) as refused:
        check_header(path)
    return refused.value.message


def test_a_whole_model_for_chat_is_taken_without_a_word(whole: Path) -> None:
    assert check_file(whole) == ()


def test_a_header_tells_what_the_model_is_and_where_it_ends(whole: Path) -> None:
    header = read_header(whole)
    assert header.architecture == "llama"
    assert header.of_model("context_length") == 512
    assert header.end == whole.stat().st_size


def test_one_byte_short_is_incomplete_and_says_the_numbers(whole: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(whole.read_bytes()[:-1])
    size = whole.stat().st_size
    assert (
        refusal(cut) == f"cut.gguf is incomplete: {size:,} bytes belong to it and {size - 1:,} are there. Get it again."
    )


def test_a_file_cut_within_its_header_did_not_arrive_as_a_whole(whole: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(whole.read_bytes()[:1000])
    assert "ends in the middle of its header" in refusal(cut)


@pytest.mark.parametrize("content", [b"", b"GG", b"PK\x03\x04 a zip", b"\x00" * 64])
def test_what_is_no_gguf_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.gguf"
    path.write_bytes(content)
    assert refusal(path) == "other.gguf is not a GGUF file, the only format that llama.cpp reads."


def test_a_format_of_the_future_is_named(tmp_path: Path) -> None:
    path = tmp_path / "new.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 9, 0, 0))
    assert "version 9" in refusal(path)


def test_a_folder_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path} is a folder. Name the .gguf file itself."
    assert "No such file" in refusal(tmp_path / "none.gguf")


def test_an_architecture_that_llama_cpp_does_not_know_is_named(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "new.gguf", "brandnew")
    check_header(path)  # nothing is wrong with the file itself
    with pytest.raises(ModelFailed, match=r"^new\.gguf has the architecture 'brandnew', which the installed llama"):
        check_file(path)


def test_a_model_without_some_of_its_tensors_is_refused_in_llama_cpps_words(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "gaps.gguf", "qwen3")  # which has norms that this file lacks
    with pytest.raises(ModelFailed, match=r"^llama\.cpp cannot load gaps\.gguf: .*attn_k_norm"):
        check_file(path)


@pytest.mark.parametrize(
    ("architecture", "extra", "words"),
    [
        ("llama", {"llama__pooling_type": 3}, "for embeddings"),
        ("llama", {"llama__attention__causal": False}, "for embeddings"),
        ("nomic-bert", {}, "for embeddings"),
        ("llama", {"llama__pooling_type": 4}, "ranks texts"),
        ("llama", {"general__type": "adapter"}, "a part of one ('adapter')"),
        ("llama", {"split__count": 3}, "one of 3 parts"),
    ],
)
def test_what_is_not_for_chat_says_what_it_is_for(
    tmp_path: Path, architecture: str, extra: dict[str, int | bool | str], words: str
) -> None:
    assert words in refusal(write_gguf(tmp_path / "other.gguf", architecture, **extra))  # type: ignore[arg-type]


def test_a_model_that_says_it_does_not_pool_is_for_chat(tmp_path: Path) -> None:
    check_header(write_gguf(tmp_path / "chat.gguf", llama__pooling_type=0, llama__attention__causal=True))


def test_a_missing_chat_template_is_a_warning(tmp_path: Path) -> None:
    (warning,) = check_file(write_gguf(tmp_path / "base.gguf", template=False))
    assert "no chat template" in warning


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_damage_in_the_header_is_never_more_than_a_named_failure(
    whole: Path, tmp_path: Path, data: st.DataObject
) -> None:
    content = bytearray(whole.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, 6000))] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged.gguf"
    path.write_bytes(content)
    with contextlib.suppress(NotGguf):
        read_header(path)
