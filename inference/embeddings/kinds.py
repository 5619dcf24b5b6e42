"""What kind of model a folder holds, told from its small files: nothing is loaded to refuse the wrong one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from inference.embeddings import places
from inference.embeddings.health import EmbeddingFailed

WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
OTHER_TASKS = {
    "ForCausalLM": "writes text",
    "LMHeadModel": "writes text",
    "ForConditionalGeneration": "writes text",
    "ForSequenceClassification": "judges texts",
    "ForTokenClassification": "judges words",
    "ForQuestionAnswering": "answers from a text",
    "ForImageClassification": "judges pictures",
}
"""Endings of the class of a model, and what it is made for instead of vectors."""
README_HEAD = 4_000
_LICENSE = re.compile(r"^license(?:_name)?:\s*['\"]?([\w.+-]+)", re.MULTILINE)


def require_embedding_model(name: str, models_dir: Path) -> Path:
    """Return the folder of a model that can make vectors. Raises EmbeddingFailed with the cause."""
    path = Path(name).expanduser()
    if path.is_file():
        raise EmbeddingFailed(f"{name} is a file. An embedding model is a folder, as sentence-transformers saves it.")
    if path.is_absolute() and not path.exists():
        raise EmbeddingFailed(f"There is no folder {name} on this machine.")
    folder = places.find_folder(name, models_dir)
    config = _json(folder / "config.json")
    if not (folder / "modules.json").is_file():
        _require_task(folder, config)
    if not any(next(folder.rglob(pattern), None) for pattern in WEIGHTS):
        raise EmbeddingFailed(f"The folder {folder} has no weights in it (*.safetensors). Fetch the model as a whole.")
    return folder


def license_of(folder: Path) -> str:
    """Return the license that the model's own description names, empty when it names none."""
    try:
        with (folder / "README.md").open(encoding="utf-8", errors="replace") as file:
            found = _LICENSE.search(file.read(README_HEAD))
    except OSError:
        return ""
    return found.group(1) if found else ""


def here(models_dir: Path) -> list[str]:
    """Return the names of the embedding models that lie below the models folder, one or two folders deep."""
    folders = [path.parent for depth in ("*", "*/*") for path in models_dir.glob(f"{depth}/modules.json")]
    return sorted(folder.relative_to(models_dir).as_posix() for folder in folders)


def _require_task(folder: Path, config: Any) -> None:
    architectures = config.get("architectures") if isinstance(config, dict) else None
    for architecture in architectures if isinstance(architectures, list) else ():
        for ending, task in OTHER_TASKS.items():
            if str(architecture).endswith(ending):
                raise EmbeddingFailed(f"The model in {folder} is none for search: it {task} ({architecture}).")


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise EmbeddingFailed(f"{path} cannot be read: it is damaged, or not of an embedding model.") from error
