import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0010_answers_that_serve_again"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="titled_by",
            field=models.CharField(
                choices=[
                    ("question", "First words of the question"),
                    ("model", "The model"),
                    ("person", "A person"),
                ],
                default="question",
                help_text="Where the title comes from; a person's own is never overwritten.",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="turn",
            name="conversation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="all_turns",
                to="projects.conversation",
            ),
        ),
        migrations.AddField(
            model_name="turn",
            name="replaced_by",
            field=models.ForeignKey(
                blank=True,
                help_text=(
                    "The turn of the thread for which this one was set aside: its question in other words, or once more."
                ),
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="replaces",
                to="projects.turn",
            ),
        ),
    ]
