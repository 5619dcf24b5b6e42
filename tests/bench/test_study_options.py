"""What the environment can ask of the benchmark of the study."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.options import BadOption
from bench.study.measures import MEASURES as RUN
from bench.study.options import MEASURES, from_environment


def test_nothing_said_measures_everything_on_the_reference_model() -> None:
    options = from_environment({})
    assert (options.model.id, options.measures) == ("qwen2.5-coder-1.5b", MEASURES)
    assert (options.questions, options.kills) == (200, 30)
    assert set(RUN) == set(MEASURES)


def test_a_corpus_is_a_folder_with_documents(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="no PDF"):
        from_environment({"CORPUS": str(tmp_path)})
    (tmp_path / "a.pdf").touch()
    assert from_environment({"CORPUS": str(tmp_path)}).corpus == tmp_path


@pytest.mark.parametrize(
    "environ", [{"ONLY": "speed"}, {"KILLS": "many"}, {"KILLS": "0"}, {"QUESTIONS": "-4"}, {"MODEL": "none"}], ids=str
)
def test_a_wish_that_makes_no_sense_is_refused(environ: dict[str, str]) -> None:
    with pytest.raises(BadOption):
        from_environment(environ)
