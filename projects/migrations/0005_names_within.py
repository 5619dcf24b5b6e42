import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0004_staged_intake"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="documentname",
            name="name_once_per_document",
        ),
        migrations.AddField(
            model_name="documentname",
            name="within",
            field=models.ForeignKey(
                blank=True,
                help_text="The document that it is an attachment of; empty if a person added it.",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="names_within",
                to="projects.document",
            ),
        ),
        migrations.AddConstraint(
            model_name="documentname",
            constraint=models.UniqueConstraint(
                condition=models.Q(("within", None)), fields=("document", "name"), name="name_once_per_document"
            ),
        ),
        migrations.AddConstraint(
            model_name="documentname",
            constraint=models.UniqueConstraint(
                condition=models.Q(("within__isnull", False)),
                fields=("document", "name", "within"),
                name="name_once_within_another",
            ),
        ),
    ]
