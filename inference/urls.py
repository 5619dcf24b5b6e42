"""Routes of the models page: one URL for each action."""

from __future__ import annotations

from django.urls import path

from inference import views

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
]
