import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("projects", "0004_staged_intake"),
    ]

    operations = [
        migrations.CreateModel(
            name="Passport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "type",
                    models.CharField(
                        db_index=True, help_text="'document' where no rule recognises it.", max_length=300
                    ),
                ),
                ("language", models.CharField(blank=True, help_text="ISO 639-1; empty where unsure.", max_length=3)),
                (
                    "pages",
                    models.PositiveIntegerField(blank=True, help_text="Empty for formats without pages.", null=True),
                ),
                (
                    "contents",
                    models.JSONField(
                        blank=True, default=list, help_text="Lines of the table of contents: text, page, depth."
                    ),
                ),
                ("made_with", models.PositiveSmallIntegerField(help_text="Version of the rules that made it.")),
                ("key", models.CharField(help_text="SHA-256 of the form that is given to the model.", max_length=64)),
                ("updated", models.DateTimeField(auto_now=True)),
                (
                    "document",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="passport", to="projects.document"
                    ),
                ),
            ],
            options={
                "ordering": ["document"],
            },
        ),
        migrations.CreateModel(
            name="PassportField",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("type", "Type"),
                            ("language", "Language"),
                            ("party", "Party"),
                            ("subject", "Subject"),
                            ("place", "Place"),
                            ("date", "Date"),
                            ("amount", "Amount"),
                            ("identifier", "Identifier"),
                        ],
                        max_length=20,
                    ),
                ),
                ("label", models.CharField(blank=True, help_text="What the document calls it.", max_length=80)),
                ("value", models.CharField(help_text="As written.", max_length=300)),
                (
                    "normalised",
                    models.CharField(blank=True, help_text="For comparing; empty where unsure.", max_length=300),
                ),
                ("page", models.PositiveIntegerField(blank=True, null=True)),
                ("rank", models.PositiveSmallIntegerField(default=0, help_text="0 tells the most.")),
                (
                    "source",
                    models.CharField(
                        choices=[("found", "Found"), ("corrected", "Corrected"), ("removed", "Removed")], max_length=10
                    ),
                ),
                (
                    "replaces",
                    models.CharField(
                        blank=True, help_text="The found value that a person's word stands for.", max_length=300
                    ),
                ),
                (
                    "passport",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="fields", to="study.passport"
                    ),
                ),
            ],
            options={
                "ordering": ["passport", "rank", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("replaces__gt", "")),
                        fields=("passport", "kind", "label", "replaces"),
                        name="one_word_per_found_value",
                    )
                ],
            },
        ),
    ]
