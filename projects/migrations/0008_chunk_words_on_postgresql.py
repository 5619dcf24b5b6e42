"""The word index of the chunks on PostgreSQL; on SQLite it is the table of migration 0002."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

# An English stemmer without stop words, which is what SQLite's 'porter' is: 'tenants' finds 'tenant', 'will' and 'is'
# stay words. The parser gets words alone, in lower case and without accents (retrieval.lexical.postgresql).
STATEMENTS = (
    "CREATE TEXT SEARCH DICTIONARY readahead_stem (TEMPLATE = snowball, LANGUAGE = english)",
    "CREATE TEXT SEARCH CONFIGURATION readahead (COPY = simple)",
    "ALTER TEXT SEARCH CONFIGURATION readahead ALTER MAPPING FOR asciiword, word, numword WITH readahead_stem",
    """CREATE TABLE projects_chunk_words (
        chunk_id bigint PRIMARY KEY REFERENCES projects_chunk (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        opening text NOT NULL,
        words tsvector NOT NULL
    )""",
    "CREATE INDEX projects_chunk_words_gin ON projects_chunk_words USING gin (words)",
)
DROP = (
    "DROP TABLE projects_chunk_words",
    "DROP TEXT SEARCH CONFIGURATION readahead",
    "DROP TEXT SEARCH DICTIONARY readahead_stem",
)


def create(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for statement in STATEMENTS:
            schema_editor.execute(statement, params=None)


def drop(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for statement in DROP:
            schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("projects", "0007_wishes_of_a_question")]

    operations = [migrations.RunPython(create, drop)]
