import django.utils.timezone
from django.db import migrations, models

KINDS = [("catalogue", "from the catalogue"), ("address", "from an address"), ("file", "from this machine")]
STATES = [
    ("waiting", "waiting"),
    ("fetching", "fetching"),
    ("limited", "rate-limited"),
    ("checking", "checking"),
    ("done", "done"),
    ("failed", "failed"),
    ("cancelled", "cancelled"),
]


class Migration(migrations.Migration):
    dependencies = [("inference", "0001_model_choice")]

    operations = [
        migrations.CreateModel(
            name="Download",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("file", models.CharField(help_text="Name in the models folder.", max_length=255, unique=True)),
                ("kind", models.CharField(choices=KINDS, max_length=10)),
                (
                    "origin",
                    models.CharField(
                        blank=True, help_text="Address or path; empty for the catalogue.", max_length=2000
                    ),
                ),
                (
                    "sha256",
                    models.CharField(blank=True, help_text="What a person asked for; empty for none.", max_length=64),
                ),
                ("state", models.CharField(choices=STATES, db_index=True, default="waiting", max_length=10)),
                ("bytes_done", models.BigIntegerField(default=0)),
                ("bytes_total", models.BigIntegerField(default=0, help_text="0 until a source has said it.")),
                ("speed", models.FloatField(blank=True, help_text="Bytes a second.", null=True)),
                ("eta_s", models.FloatField(blank=True, help_text="Seconds left.", null=True)),
                ("source", models.CharField(blank=True, help_text="Who delivers at the moment.", max_length=200)),
                (
                    "note",
                    models.CharField(blank=True, help_text="Why it waits, or why it was begun anew.", max_length=500),
                ),
                ("error", models.TextField(blank=True)),
                ("until", models.DateTimeField(blank=True, help_text="Not before.", null=True)),
                (
                    "position",
                    models.JSONField(blank=True, help_text="Where the fetch stands among its sources.", null=True),
                ),
                ("worker", models.CharField(blank=True, max_length=40)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
            options={"ordering": ["created", "pk"]},
        ),
    ]
