"""The stops of the budgets: sizes of files, functions, templates and scripts, and what a light start may load."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILE_LINES = 500
FUNCTION_LINES = 50
TEMPLATE_LINES = 100
ASSET_LINES = 300
HEAVY = (
    *("torch", "llama_cpp", "sentence_transformers", "transformers", "pypdfium2", "rapidocr", "onnxruntime"),
    *("docx", "pptx", "openpyxl", "xlrd", "lxml", "msoffcrypto"),
)


def tracked(*patterns: str) -> list[Path]:
    """Return the files under version control that match, leaving out what others made and we only serve."""
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.exists() and "vendor" not in path.parts]


def length(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def too_long(paths: list[Path], stop: int) -> list[str]:
    return [f"{path.relative_to(ROOT)}: {lines} lines" for path in paths if (lines := length(path)) > stop]


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the name and the number of lines of each function; the docstring is not counted."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            documented = isinstance(first, ast.Expr) and ast.get_docstring(node) is not None
            doc_lines = (first.end_lineno or first.lineno) - first.lineno + 1 if documented else 0
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1 - doc_lines


def test_there_is_something_to_measure() -> None:
    assert len(tracked("*.py")) > 20


def test_python_files_stay_under_the_stop() -> None:
    assert too_long(tracked("*.py"), FILE_LINES) == []


def test_functions_stay_under_the_stop() -> None:
    over = [
        f"{path.relative_to(ROOT)}: {name} has {lines} lines"
        for path in tracked("*.py")
        for name, lines in functions(path)
        if lines > FUNCTION_LINES
    ]
    assert over == []


def test_templates_stay_under_the_stop() -> None:
    assert too_long(tracked("templates/*"), TEMPLATE_LINES) == []


def test_scripts_and_styles_stay_under_the_stop() -> None:
    assert too_long(tracked("static/*.js", "static/*.css"), ASSET_LINES) == []


def test_every_module_says_what_it_is_responsible_for_in_one_sentence() -> None:
    """The linter asks for a docstring; this asks for its first line to be a whole sentence."""
    unclear = []
    for path in tracked("*.py"):
        source = path.read_text(encoding="utf-8")
        first_line = (ast.get_docstring(ast.parse(source)) or "").split("\n\n")[0]
        if source.strip() and "migrations" not in path.parts and not first_line.endswith((".", ")", ":")):
            unclear.append(str(path.relative_to(ROOT)))
    assert unclear == []


@pytest.mark.parametrize("start", ["check", "migrate --help"])
def test_a_light_start_loads_no_heavy_library(start: str, tmp_path: Path) -> None:
    script = (
        "import sys; from django.core.management import execute_from_command_line as run\n"
        f"try: run(['manage.py', *{start.split()!r}])\n"
        "except SystemExit as end: assert not end.code\n"
        f"print('loaded:', *sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    environment = {
        "DJANGO_SETTINGS_MODULE": "ragsite.settings",
        "READAHEAD_HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
    }
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].strip() == "loaded:"
