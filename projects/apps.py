"""Registration of the projects app."""

from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "projects"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from projects.intake.recovery import recover
        from study.queue import at_worker_start

        at_worker_start(recover)
