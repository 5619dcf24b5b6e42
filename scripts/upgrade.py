"""Writing constraints.txt anew: resolves pyproject.toml without any pins and keeps what came out."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".venv/bin/python"
EVERYTHING = ".[test,lint,bench,postgres]"
HEADER = """\
# Every version of a resolved environment; setup installs no other (docs/adr/0002-pip-and-constraints.md).
# To renew: make upgrade, make test, commit.
"""


def main() -> int:
    """Resolve, write, and return pip's exit code."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [str(PYTHON), "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
        done = subprocess.run([*command, "--report", str(report), "--editable", EVERYTHING], cwd=ROOT, check=False)
        if done.returncode:
            return done.returncode
        resolved = [item["metadata"] for item in json.loads(report.read_text())["install"]]
    # Without the local part, which says how a wheel was built (+cpu) and differs between machines.
    pins = sorted(f"{item['name'].lower()}=={item['version'].partition('+')[0]}" for item in resolved)
    lines = [pin for pin in pins if not pin.startswith("readahead==")]
    (ROOT / "constraints.txt").write_text(HEADER + "\n".join(lines) + "\n")
    print(f"{len(lines)} versions written to constraints.txt. Run make test before you commit them.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
