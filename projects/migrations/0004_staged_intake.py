import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0003_how_readings_and_answers_end"),
    ]

    operations = [
        migrations.AddField(
            model_name="document",
            name="parent",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="attachments",
                to="projects.document",
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="password",
            field=models.CharField(
                blank=True,
                help_text="Opens the file. Kept for reading it again and showing its pages, as private as the text itself.",
                max_length=200,
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="report",
            field=models.JSONField(
                blank=True, default=dict, help_text="What was read and what was not: see extract.Report."
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="stage_began",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="document",
            name="stage_done",
            field=models.PositiveIntegerField(default=0, help_text="Units of the current stage that are done."),
        ),
        migrations.AddField(
            model_name="document",
            name="stage_total",
            field=models.PositiveIntegerField(default=0, help_text="0 while it is not known."),
        ),
        migrations.AddField(
            model_name="document",
            name="text_key",
            field=models.CharField(
                blank=True,
                help_text="SHA-256 of the text: what was learned from another text is out of date.",
                max_length=64,
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="vectors",
            field=models.BooleanField(default=True, help_text="Search by meaning as well as by words."),
        ),
        migrations.AlterField(
            model_name="document",
            name="state",
            field=models.CharField(
                choices=[
                    ("queued", "Waiting"),
                    ("extracting", "Reading the file"),
                    ("indexing", "Indexing"),
                    ("ready", "Ready"),
                    ("ready_with_warnings", "Ready with warnings"),
                    ("needs_password", "Needs a password"),
                    ("failed", "Failed"),
                    ("cancelled", "Cancelled"),
                ],
                db_index=True,
                default="queued",
                max_length=20,
            ),
        ),
    ]
