import django.utils.timezone
from django.db import migrations, models

STATES = [
    ("waiting", "in line"),
    ("measuring", "being measured"),
    ("done", "measured"),
    ("failed", "failed"),
    ("cancelled", "stopped"),
]
MODEL = "Catalogue id, or the name of an imported file."


class Migration(migrations.Migration):
    dependencies = [("inference", "0002_download")]

    operations = [
        migrations.CreateModel(
            name="ModelSettings",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("model_id", models.CharField(help_text=MODEL, max_length=200, unique=True)),
                (
                    "window",
                    models.PositiveIntegerField(blank=True, help_text="Tokens for each conversation.", null=True),
                ),
                ("kv", models.CharField(blank=True, help_text="Type of cached keys and values.", max_length=10)),
                ("flash_attention", models.BooleanField(blank=True, null=True)),
                ("threads", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "gpu_layers",
                    models.PositiveIntegerField(blank=True, help_text="Layers on the graphics card.", null=True),
                ),
                ("conversations", models.PositiveIntegerField(blank=True, help_text="Answered at once.", null=True)),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
            options={"verbose_name_plural": "model settings", "ordering": ["model_id"]},
        ),
        migrations.CreateModel(
            name="Measurement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("model_id", models.CharField(help_text=MODEL, max_length=200, unique=True)),
                ("state", models.CharField(choices=STATES, db_index=True, default="waiting", max_length=10)),
                ("done", models.PositiveIntegerField(default=0, help_text="Runs that are through.")),
                ("total", models.PositiveIntegerField(default=0, help_text="Runs in all; 0 until they are known.")),
                ("note", models.CharField(blank=True, help_text="Why it waits.", max_length=500)),
                ("error", models.TextField(blank=True)),
                ("until", models.DateTimeField(blank=True, help_text="Not before.", null=True)),
                ("worker", models.CharField(blank=True, max_length=40)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
            options={"ordering": ["created", "pk"]},
        ),
    ]
