"""What every measure of intake is handed, and the data folder that it works in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from bench.intake.options import Options


@dataclass(frozen=True)
class Intake:
    """One run over a data folder of its own; `notes` collects what a reader must know besides the figures."""

    options: Options
    folder: Path
    notes: list[str] = field(default_factory=list)


def set_up(home: Path) -> None:
    """Make this process one of an installation whose data lies in `home`, which is empty. Before any import of it."""
    os.environ["READAHEAD_HOME"] = str(home)
    os.environ["DJANGO_SETTINGS_MODULE"] = "ragsite.settings"
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
