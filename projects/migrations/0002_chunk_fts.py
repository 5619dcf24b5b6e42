"""The word index of the chunks; it lives beside the rows, in SQLite's own full text engine."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

# The trigger keeps the index in step whoever deletes a chunk, a cascade or the admin: no text outlives its document.
# A later migration that rebuilds projects_chunk (SQLite does so for most changes of a table) has to create it again.
STATEMENTS = (
    """CREATE VIRTUAL TABLE projects_chunk_fts USING fts5(
        text, heading, opening, name, tokenize = "porter unicode61 remove_diacritics 2"
    )""",
    """CREATE TRIGGER projects_chunk_fts_delete AFTER DELETE ON projects_chunk BEGIN
        DELETE FROM projects_chunk_fts WHERE rowid = old.id;
    END""",
)


def create(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "sqlite":
        for statement in STATEMENTS:
            schema_editor.execute(statement)


def drop(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER projects_chunk_fts_delete")
        schema_editor.execute("DROP TABLE projects_chunk_fts")


class Migration(migrations.Migration):
    dependencies = [("projects", "0001_initial")]

    operations = [migrations.RunPython(create, drop)]
