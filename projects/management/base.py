"""What the commands of this app have in common: a database that is there and up to date."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


class DataCommand(BaseCommand):
    """A command on a person's data; the first one in a new data folder, or after an update, makes the tables."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Bring the database up to date and run."""
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", verbosity=0, interactive=False)
        return super().execute(*args, **options)
