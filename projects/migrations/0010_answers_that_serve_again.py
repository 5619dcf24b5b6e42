from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0009_where_a_reading_began"),
    ]

    operations = [
        migrations.AddField(
            model_name="turn",
            name="cache_key",
            field=models.CharField(
                blank=True,
                db_index=True,
                help_text="Hash of all that the answer follows from; empty if it must not serve again.",
                max_length=64,
            ),
        ),
        migrations.AddField(
            model_name="turn",
            name="restore_ms",
            field=models.FloatField(default=0.0, help_text="Fetching what the model had read before."),
        ),
        migrations.AddField(
            model_name="turn",
            name="read_ms",
            field=models.FloatField(default=0.0, help_text="Reading the rest of the prompt."),
        ),
        migrations.AddField(
            model_name="turn",
            name="decode_ms",
            field=models.FloatField(default=0.0, help_text="Writing the answer behind its first token."),
        ),
    ]
