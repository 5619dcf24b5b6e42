"""Tasks of the study and what they leave: plans, summaries, digests, prepared answers."""

import django.db.models.deletion
import django.db.models.functions.comparison
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0005_names_within"),
        ("study", "0001_passports"),
    ]

    operations = [
        migrations.CreateModel(
            name="Forgetting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100, unique=True)),
                ("tried", models.BooleanField(default=False)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Digest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("model_key", models.CharField(max_length=64)),
                ("prompt_version", models.CharField(max_length=20)),
                ("key", models.CharField(max_length=64)),
                (
                    "level",
                    models.CharField(
                        help_text="How much of each document it holds: full, lines or types.", max_length=10
                    ),
                ),
                ("entries", models.JSONField(default=list)),
                ("tokens", models.PositiveIntegerField(default=0)),
                ("updated", models.DateTimeField(auto_now=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="digests", to="projects.project"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "model_key", "prompt_version"), name="one_digest_for_each_model"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DocumentSummary",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text_key", models.CharField(max_length=64)),
                ("model_key", models.CharField(max_length=64)),
                ("prompt_version", models.CharField(max_length=20)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("text", models.TextField()),
                ("language", models.CharField(blank=True, max_length=3)),
                ("dropped", models.PositiveSmallIntegerField(default=0)),
                ("tokens", models.PositiveIntegerField(default=0, help_text="Tokens of the whole text.")),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="projects.document"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "document summaries",
                "ordering": ["document"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("document", "text_key", "model_key", "prompt_version"), name="one_document_summary"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PreparedAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveSmallIntegerField()),
                ("question", models.CharField(max_length=300)),
                ("answer", models.TextField()),
                ("digest_key", models.CharField(max_length=64)),
                ("model_key", models.CharField(max_length=64)),
                ("prompt_version", models.CharField(max_length=20)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="prepared_answers",
                        to="projects.project",
                    ),
                ),
            ],
            options={
                "ordering": ["project", "position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "model_key", "prompt_version", "question"), name="one_prepared_answer"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReadingPlan",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text_key", models.CharField(max_length=64)),
                ("model_key", models.CharField(max_length=64)),
                ("prompt_version", models.CharField(max_length=20)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("counts", models.JSONField(help_text="Tokens of each piece, in order.")),
                ("window", models.PositiveIntegerField(help_text="Tokens that one prompt may have.")),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="projects.document"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("document", "text_key", "model_key", "prompt_version"), name="one_reading_plan"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SectionSummary",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text_key", models.CharField(max_length=64)),
                ("model_key", models.CharField(max_length=64)),
                ("prompt_version", models.CharField(max_length=20)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("step", models.PositiveIntegerField(help_text="Which step of the plan, from 0.")),
                ("page_start", models.PositiveIntegerField(blank=True, null=True)),
                ("page_end", models.PositiveIntegerField(blank=True, null=True)),
                ("text", models.TextField(blank=True)),
                ("error", models.TextField(blank=True)),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="projects.document"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "section summaries",
                "ordering": ["document", "step"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("document", "text_key", "model_key", "prompt_version", "step"),
                        name="one_section_summary",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StudyPause",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "project",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="study_pause",
                        to="projects.project",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.comparison.Coalesce("project", 0), name="one_pause_of_everything"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StudyTask",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("document", "Read a document"), ("digest", "Draw a project together")], max_length=10
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Reading"),
                            ("done", "Read"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        db_index=True,
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("priority", models.SmallIntegerField(default=0, help_text="Higher goes first.")),
                ("checkpoint", models.PositiveIntegerField(default=0, help_text="Steps that are done.")),
                ("steps", models.PositiveIntegerField(default=0, help_text="0 while it is not known.")),
                (
                    "tokens_done",
                    models.PositiveIntegerField(default=0, help_text="Tokens of the text that have been read."),
                ),
                (
                    "tokens_total",
                    models.PositiveIntegerField(default=0, help_text="Tokens of the text; 0 while it is not known."),
                ),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(default=0, help_text="Failed attempts at the current step."),
                ),
                ("error", models.TextField(blank=True, help_text="What went wrong and what to do.")),
                (
                    "tokens",
                    models.PositiveIntegerField(
                        default=0, help_text="Tokens the model has read for it, questions included."
                    ),
                ),
                ("seconds", models.FloatField(default=0.0, help_text="Time spent on it.")),
                ("text_key", models.CharField(blank=True, max_length=64)),
                ("model_key", models.CharField(blank=True, max_length=64)),
                ("prompt_version", models.CharField(blank=True, max_length=20)),
                (
                    "claimed_by",
                    models.CharField(blank=True, help_text="Identity of the process that works on it.", max_length=60),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                (
                    "not_before",
                    models.DateTimeField(blank=True, help_text="When the next attempt may be made.", null=True),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("updated", models.DateTimeField(auto_now=True)),
                (
                    "document",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="study_tasks",
                        to="projects.document",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="study_tasks", to="projects.project"
                    ),
                ),
            ],
            options={
                "ordering": ["-priority", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "document")),
                        fields=("document",),
                        name="one_study_task_for_each_document",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "digest")),
                        fields=("project",),
                        name="one_digest_task_for_each_project",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("document", None), ("kind", "digest")),
                            models.Q(("document__isnull", False), ("kind", "document")),
                            _connector="OR",
                        ),
                        name="study_task_of_a_document_names_it",
                    ),
                ],
            },
        ),
    ]
