"""Which models a person has, which one is used, and bringing in a file of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from inference.catalogue import DEFAULT_MODEL, TEST_FILES, find
from inference.errors import ModelFailed, UnknownModel
from inference.fetch import stamp
from inference.installed import Choice, active_model, import_file, known_models, lookup, require_usable
from tests.inference.gguf_files import write_gguf


@pytest.fixture
def models(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "mine.gguf")


def test_the_catalogue_is_listed_before_anything_is_there(tmp_path: Path) -> None:
    states = {model.state for model in known_models(tmp_path / "nowhere")}
    assert states == {"available"}


def test_a_half_fetched_model_shows_how_far_it_is(models: Path) -> None:
    (models / (find("smollm2-135m").file + ".part")).write_bytes(b"GGUF")
    model = lookup("smollm2-135m", models)
    assert (model.state, model.present_bytes, model.bytes) == ("partial", 4, 98_362_432)


def test_files_for_tests_are_not_listed(models: Path) -> None:
    (models / TEST_FILES[0].file).write_bytes(b"GGUF")
    assert all(model.entry for model in known_models(models))


def test_without_a_choice_the_default_is_used(models: Path) -> None:
    assert active_model(None, models, {}).id == DEFAULT_MODEL


def test_a_choice_beats_the_default(models: Path) -> None:
    assert active_model(Choice("smollm2-135m"), models, {}).id == "smollm2-135m"


def test_the_environment_beats_the_choice(models: Path) -> None:
    environ = {"READAHEAD_MODEL": "qwen2.5-coder-0.5b"}
    assert active_model(Choice("smollm2-135m"), models, environ).id == "qwen2.5-coder-0.5b"


def test_the_environment_may_name_a_file(models: Path, own_file: Path) -> None:
    model = active_model(None, models, {"READAHEAD_MODEL": str(own_file)})
    assert (model.id, model.path, model.state) == ("mine", own_file, "installed")


def test_a_file_of_the_catalogue_keeps_its_id_however_it_is_named(models: Path) -> None:
    path = models / find("smollm2-135m").file
    path.write_bytes(b"GGUF")
    assert active_model(None, models, {"READAHEAD_MODEL": str(path)}).id == "smollm2-135m"


@pytest.mark.parametrize("named", ["gpt-9", "/nowhere/at/all.gguf"])
def test_an_unknown_name_is_an_error_and_no_fallback(models: Path, named: str) -> None:
    with pytest.raises(UnknownModel):
        active_model(None, models, {"READAHEAD_MODEL": named})


def test_a_chosen_file_that_is_gone_is_missing_and_not_replaced(models: Path, tmp_path: Path) -> None:
    model = active_model(Choice("mine", str(tmp_path / "mine.gguf")), models, {})
    assert (model.id, model.state) == ("mine", "missing")


def test_an_imported_file_is_a_model_like_any_other(models: Path, own_file: Path) -> None:
    content = own_file.read_bytes()
    imported = import_file(own_file, models)
    own_file.unlink()
    assert lookup("mine", models) == imported
    assert imported.path.read_bytes() == content


def test_importing_leaves_nothing_beside_the_original(models: Path, own_file: Path) -> None:
    before = set(own_file.parent.iterdir())
    import_file(own_file, models)
    assert set(own_file.parent.iterdir()) == before


def test_importing_across_disks_copies(models: Path, own_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError("Invalid cross-device link")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    assert import_file(own_file, models).path.read_bytes() == own_file.read_bytes()
    assert [path.name for path in models.iterdir() if path.name.endswith(".part")] == []


def test_importing_twice_is_harmless(models: Path, own_file: Path) -> None:
    assert import_file(own_file, models) == import_file(own_file, models)


def test_importing_another_file_of_the_same_name_is_refused(models: Path, own_file: Path) -> None:
    (models / "mine.gguf").write_bytes(b"GGUF but different")
    with pytest.raises(ModelFailed, match="already"):
        import_file(own_file, models)
    assert (models / "mine.gguf").read_bytes() == b"GGUF but different"


def test_importing_a_file_of_the_catalogue_installs_it(
    models: Path, own_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamp, "compute", lambda *_: find("smollm2-135m").sha256)
    imported = import_file(own_file, models)
    assert (imported.id, imported.path.name) == ("smollm2-135m", "SmolLM2-135M-Instruct.Q4_1.gguf")


@pytest.mark.parametrize("content", [b"PK\x03\x04", b""])
def test_what_is_no_gguf_is_refused(models: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.gguf").write_bytes(content)
    with pytest.raises(ModelFailed, match="not a GGUF file"):
        import_file(tmp_path / "x.gguf", models)


def test_a_model_without_a_chat_template_is_refused_with_the_reason(models: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match=r"base\.gguf has no chat template.*READAHEAD_MODEL"):
        import_file(write_gguf(tmp_path / "base.gguf", template=False), models)
    assert list(models.iterdir()) == []


def test_a_folder_is_refused_with_the_reason(models: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.gguf").mkdir()
    with pytest.raises(ModelFailed, match="is a folder"):
        import_file(tmp_path / "folder.gguf", models)


def test_a_model_of_another_name_is_refused_with_what_to_do(models: Path, own_file: Path) -> None:
    with pytest.raises(ModelFailed, match=r"ends in \.gguf"):
        import_file(own_file.rename(own_file.with_suffix(".bin")), models)


def test_a_model_that_is_refused_leaves_the_models_as_they_were(models: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match="does not know"):
        import_file(write_gguf(tmp_path / "new.gguf", "brandnew"), models)
    assert list(models.iterdir()) == []


def test_a_file_with_the_catalogues_checksum_is_not_read_again(models: Path) -> None:
    entry = find("smollm2-135m")
    (models / entry.file).write_bytes(b"not what it was")
    stamp.remember(models / entry.file, entry.sha256)
    require_usable(lookup(entry.id, models))


def test_a_file_that_only_has_the_name_of_the_catalogue_is_read(models: Path) -> None:
    (models / find("smollm2-135m").file).write_bytes(b"not a model")
    with pytest.raises(ModelFailed, match="not a GGUF file"):
        require_usable(lookup("smollm2-135m", models))


def test_a_file_that_cannot_be_read_says_why(models: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match="No such file"):
        import_file(tmp_path / "absent.gguf", models)
