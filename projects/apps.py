"""Registration of the projects app."""

from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "projects"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from inference.embeddings.indexing import provide as provide_indexing
        from projects.intake.recovery import recover
        from projects.retrieval.standing import StoredVectors
        from projects.retrieval.vectors import catch_up
        from projects.study_texts import StoredTexts
        from study.queue import READER, at_worker_start
        from study.recovery import go_on
        from study.texts import provide

        provide(StoredTexts())
        provide_indexing(StoredVectors())
        at_worker_start(recover)
        at_worker_start(catch_up)
        at_worker_start(go_on, READER)
