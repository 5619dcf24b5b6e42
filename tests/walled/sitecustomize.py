"""Puts the wall around a process of the product: Python imports a module of this name before anything else."""

import os
import sys

from tests.wall import NOTES, Wall

NOTEBOOK = os.environ[NOTES]


def note(line: str) -> None:
    """Add a line; short ones from several processes do not mix."""
    with open(NOTEBOOK, "a") as file:  # noqa: PTH123 - as little as possible is imported here
        file.write(f"{line}\n")


wall = Wall(lambda attempt: note(f"tried {attempt}"))
wall.up = True
sys.addaudithook(wall)
note(f"began {' '.join(sys.orig_argv)}")
