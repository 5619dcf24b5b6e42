"""A GGUF file of a hundred kilobytes that llama.cpp takes: one layer, letters for a vocabulary, and no sense."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

WIDTH = 32
TENSORS = {
    "attn_norm": (WIDTH,),
    "attn_q": (WIDTH, WIDTH),
    "attn_k": (WIDTH // 2, WIDTH),
    "attn_v": (WIDTH // 2, WIDTH),
    "attn_output": (WIDTH, WIDTH),
    "ffn_norm": (WIDTH,),
    "ffn_gate": (WIDTH, WIDTH),
    "ffn_down": (WIDTH, WIDTH),
    "ffn_up": (WIDTH, WIDTH),
}


def write_gguf(path: Path, architecture: str = "llama", *, template: bool = True, **extra: int | bool | str) -> Path:
    """Write the file and return its path; `extra` are metadata by key, with `__` for a dot."""
    import gguf

    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(512)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(WIDTH)
    writer.add_head_count(2)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    for name, value in extra.items():
        _add(writer, name.replace("__", "."), value)
    words = _add_vocabulary(writer)
    if template:
        writer.add_chat_template("{% for message in messages %}{{ message.content }}{% endfor %}")
    _add_tensors(writer, {"token_embd": (words, WIDTH), "output_norm": (WIDTH,), "output": (words, WIDTH)})
    _add_tensors(writer, {f"blk.0.{name}": shape for name, shape in TENSORS.items()})
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add(writer: Any, key: str, value: int | bool | str) -> None:
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    else:
        writer.add_string(key, value)


def _add_vocabulary(writer: Any) -> int:
    """Add one token for each byte, and return how many tokens there are."""
    words = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(words)
    writer.add_token_scores([0.0] * len(words))
    writer.add_token_types([2, 3, 3] + [6] * 256)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    return len(words)


def _add_tensors(writer: Any, shapes: Mapping[str, tuple[int, ...]]) -> None:
    import numpy as np

    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", np.zeros(shape, dtype=np.float32))
