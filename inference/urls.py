"""Routes of the models page: one URL for each action."""

from __future__ import annotations

from django.urls import path

from inference import views
from inference.embeddings import views as meaning
from inference.external import views as external
from inference.tuning import views as tuning

app_name = "models"
urlpatterns = [
    path("", views.models, name="list"),
    path("fetch/", views.fetch, name="fetch"),
    path("use/", views.use, name="use"),
    path("delete/", views.delete, name="delete"),
    path("import/address/", views.import_address, name="import-address"),
    path("import/file/", views.import_file, name="import-file"),
    path("downloads/<int:pk>/cancel/", views.cancel, name="cancel"),
    path("downloads/<int:pk>/retry/", views.retry, name="retry"),
    path("downloads/<int:pk>/drop/", views.drop, name="drop"),
    path("settings/", tuning.show, name="settings"),
    path("settings/save/", tuning.save, name="settings-save"),
    path("settings/reset/", tuning.reset, name="settings-reset"),
    path("measure/", tuning.measure, name="measure"),
    path("measure/stop/", tuning.stop, name="measure-stop"),
    path("meaning/", meaning.state, name="meaning-state"),
    path("meaning/choose/", meaning.choose, name="meaning-choose"),
    path("meaning/back/", meaning.go_back, name="meaning-back"),
    path("server/test/", external.test, name="server-test"),
    path("server/use/", external.use, name="server-use"),
    path("server/confirm/", external.confirm, name="server-confirm"),
    path("server/forget/", external.forget, name="server-forget"),
]
