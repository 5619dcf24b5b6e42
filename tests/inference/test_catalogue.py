"""The catalogue: names that can be relied on, and entries that fit together."""

from __future__ import annotations

import re

import pytest

from inference.catalogue import CATALOGUE, DEFAULT_MODEL, TEST_FILES, HubFile, ModelEntry, WheelParts, find
from inference.errors import UnknownModel

EVERY = (*CATALOGUE, *TEST_FILES)


def test_the_default_can_be_found() -> None:
    assert find(DEFAULT_MODEL).file == "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"


def test_an_unknown_id_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(UnknownModel, match=r"'gpt-9'.*qwen2\.5-coder-1\.5b.*smollm2-135m"):
        find("gpt-9")


def test_files_for_tests_are_offered_to_nobody() -> None:
    with pytest.raises(UnknownModel):
        find(TEST_FILES[0].id)


def test_ids_files_and_checksums_are_unique() -> None:
    for values in zip(*((entry.id, entry.file, entry.sha256) for entry in EVERY), strict=True):
        assert len(set(values)) == len(EVERY)


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.id)
def test_an_entry_has_a_checksum_and_an_origin(entry: ModelEntry) -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
    assert entry.origins


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.id)
def test_the_pieces_in_wheels_make_up_the_file(entry: ModelEntry) -> None:
    """Offsets are computed from the size of a piece, so the number of packages has to fit the file's size."""
    for origin in entry.origins:
        if isinstance(origin, WheelParts):
            assert -(-entry.bytes // origin.part_bytes) == len(origin.requirements)


def test_what_is_fetched_at_a_fixed_revision_is_so_for_wheels_alike() -> None:
    for entry in EVERY:
        for origin in entry.origins:
            if isinstance(origin, WheelParts):
                assert all("==" in requirement for requirement in origin.requirements)
            elif isinstance(origin, HubFile):
                assert origin.revision == "main" or re.fullmatch(r"[0-9a-f]{40}", origin.revision)
