"""Registration of the study app."""

from django.apps import AppConfig


class StudyConfig(AppConfig):
    name = "study"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from study.cluster import end_together

        end_together()
