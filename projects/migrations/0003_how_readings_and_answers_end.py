from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("projects", "0002_chunk_fts")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="starts",
            field=models.PositiveSmallIntegerField(
                default=0, help_text="Readings begun since a person last asked for one."
            ),
        ),
        migrations.AddField(
            model_name="turn",
            name="finish_reason",
            field=models.CharField(blank=True, help_text="'length': cut off at the most tokens.", max_length=20),
        ),
        migrations.AddField(
            model_name="turn",
            name="prompt_version",
            field=models.CharField(blank=True, help_text="Which wording the prompt was made with.", max_length=40),
        ),
    ]
