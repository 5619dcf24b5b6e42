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
    "CREATE TABLE projects_chunk_words (chunk_id bigint PRIMARY KEY, opening text NOT NULL, words tsvector NOT NULL)",
    "CREATE INDEX projects_chunk_words_gin ON projects_chunk_words USING gin (words)",
    # No foreign key: `manage.py flush` empties the tables that Django knows, and is refused where another points at one.
    """CREATE FUNCTION projects_chunk_words_follow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP = 'TRUNCATE' THEN
            TRUNCATE projects_chunk_words;
        ELSE
            DELETE FROM projects_chunk_words WHERE chunk_id = OLD.id;
        END IF;
        RETURN NULL;
    END $$""",
    """CREATE TRIGGER projects_chunk_words_delete AFTER DELETE ON projects_chunk
    FOR EACH ROW EXECUTE FUNCTION projects_chunk_words_follow()""",
    """CREATE TRIGGER projects_chunk_words_truncate AFTER TRUNCATE ON projects_chunk
    FOR EACH STATEMENT EXECUTE FUNCTION projects_chunk_words_follow()""",
)
DROP = (
    "DROP FUNCTION projects_chunk_words_follow() CASCADE",
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
