from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0008_chunk_words_on_postgresql"),
    ]

    operations = [
        migrations.AddField(
            model_name="document",
            name="stage_from",
            field=models.PositiveIntegerField(default=0, help_text="Units that an earlier reading had done already."),
        ),
    ]
