"""Vectors and their indexes, with triggers that keep a vector out of an index of another dimension."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Q

# A later migration that rebuilds one of the two tables (SQLite does so for most changes) has to create these again.
# An index that is not there has no dimension, and so takes no vector either.
SQLITE = (
    """CREATE TRIGGER projects_vector_insert BEFORE INSERT ON projects_vector
    WHEN length(new.data) IS NOT 4 * (SELECT dim FROM projects_vectorindex WHERE key = new.index_id) BEGIN
        SELECT RAISE(ABORT, 'the vector is of another backend than its index');
    END""",
    """CREATE TRIGGER projects_vector_update BEFORE UPDATE ON projects_vector BEGIN
        SELECT RAISE(ABORT, 'a vector does not change');
    END""",
    """CREATE TRIGGER projects_vectorindex_update BEFORE UPDATE OF key, dim, normalised ON projects_vectorindex
    WHEN new.key IS NOT old.key OR new.dim IS NOT old.dim OR new.normalised IS NOT old.normalised BEGIN
        SELECT RAISE(ABORT, 'the backend of an index does not change');
    END""",
)
POSTGRESQL = (
    """CREATE FUNCTION projects_vector_check() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP = 'UPDATE' THEN
            RAISE EXCEPTION 'a vector does not change' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        IF length(NEW.data) IS DISTINCT FROM 4 * (SELECT dim FROM projects_vectorindex WHERE key = NEW.index_id) THEN
            RAISE EXCEPTION 'the vector is of another backend than its index'
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END $$""",
    """CREATE TRIGGER projects_vector_check BEFORE INSERT OR UPDATE ON projects_vector
    FOR EACH ROW EXECUTE FUNCTION projects_vector_check()""",
    """CREATE FUNCTION projects_vectorindex_check() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'the backend of an index does not change' USING ERRCODE = 'integrity_constraint_violation';
    END $$""",
    """CREATE TRIGGER projects_vectorindex_check BEFORE UPDATE ON projects_vectorindex FOR EACH ROW
    WHEN ((NEW.key, NEW.dim, NEW.normalised) IS DISTINCT FROM (OLD.key, OLD.dim, OLD.normalised))
    EXECUTE FUNCTION projects_vectorindex_check()""",
)
# The triggers themselves go with their tables.
POSTGRESQL_DROP = (
    "DROP FUNCTION projects_vector_check() CASCADE",
    "DROP FUNCTION projects_vectorindex_check() CASCADE",
)


def create(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL:
        schema_editor.execute(statement, params=None)


def drop(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for statement in POSTGRESQL_DROP:
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0005_names_within"),
    ]

    operations = [
        migrations.CreateModel(
            name="VectorIndex",
            fields=[
                ("key", models.CharField(max_length=32, primary_key=True, serialize=False)),
                ("model", models.CharField(help_text="Name or path by which the model is loaded.", max_length=500)),
                ("dim", models.PositiveIntegerField(help_text="Numbers in a vector.")),
                ("normalised", models.BooleanField(default=True, help_text="Every vector has the length 1.")),
                (
                    "state",
                    models.CharField(
                        choices=[("building", "Being built"), ("serving", "In use"), ("retired", "Being deleted")],
                        default="building",
                        max_length=10,
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["created"],
                "constraints": [
                    models.UniqueConstraint(condition=Q(state="serving"), fields=("state",), name="one_index_serves"),
                    models.UniqueConstraint(
                        condition=Q(state="building"), fields=("state",), name="one_index_is_built"
                    ),
                    models.CheckConstraint(condition=Q(dim__gt=0), name="index_has_dimensions"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Vector",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("data", models.BinaryField(help_text="`dim` numbers: float32, little-endian.")),
                (
                    "chunk",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="vectors", to="projects.chunk"
                    ),
                ),
                (
                    "index",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="vectors",
                        to="projects.vectorindex",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("index", "chunk"), name="vector_once_per_index")],
            },
        ),
        migrations.RunPython(create, drop),
    ]
