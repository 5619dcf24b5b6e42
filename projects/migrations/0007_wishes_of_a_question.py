from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0006_vectors"),
    ]

    operations = [
        migrations.AddField(
            model_name="turn",
            name="fresh",
            field=models.BooleanField(default=False, help_text="Asked for an answer anew, not one that was prepared."),
        ),
        migrations.AddField(
            model_name="turn",
            name="wanted_lane",
            field=models.CharField(blank=True, help_text="The way that the person asked for, if any.", max_length=20),
        ),
    ]
