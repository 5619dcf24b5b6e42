"""Routes of the projects app: one URL for each page and each action."""

from __future__ import annotations

from django.urls import path

from projects.views import (
    desk,
    document_actions,
    document_list,
    documents,
    engine,
    originals,
    passport,
    presence,
    projects,
    search,
    source,
    turns,
    upload,
)

app_name = "projects"
urlpatterns = [
    path("", projects.project_list, name="list"),
    path("projects/new/", projects.project_create, name="create"),
    path("projects/<int:pk>/", desk.desk, name="desk"),
    path("projects/<int:pk>/conversations/<int:conversation_id>/", desk.conversation, name="conversation"),
    path("projects/<int:pk>/conversations/", desk.conversations, name="conversations"),
    path("projects/<int:pk>/documents/", document_list.documents, name="documents"),
    path("projects/<int:pk>/search/", search.search, name="search"),
    path("projects/<int:pk>/upload/", upload.upload, name="upload"),
    path("projects/<int:pk>/ask/", turns.turn_ask, name="ask"),
    path("projects/<int:pk>/typing/", presence.typing, name="typing"),
    path("projects/<int:pk>/settings/", projects.project_settings, name="settings"),
    path("projects/<int:pk>/rename/", projects.project_rename, name="rename"),
    path("projects/<int:pk>/meaning/", projects.project_meaning, name="meaning"),
    path("projects/<int:pk>/delete/", projects.project_delete, name="delete"),
    path("documents/<int:pk>/", documents.document, name="document"),
    path("documents/<int:pk>/source/", source.source, name="source"),
    path("documents/<int:pk>/pages/<int:page>/", source.page_picture, name="page-picture"),
    path("documents/<int:pk>/passport/add/", passport.passport_add, name="passport-add"),
    path("documents/<int:pk>/passport/<slug:field>/correct/", passport.passport_correct, name="passport-correct"),
    path("documents/<int:pk>/passport/<slug:field>/remove/", passport.passport_remove, name="passport-remove"),
    path("documents/<int:pk>/passport/<slug:field>/reset/", passport.passport_reset, name="passport-reset"),
    path("documents/<int:pk>/original/", originals.document_original, name="document-original"),
    path("documents/<int:pk>/download/", originals.document_download, name="document-download"),
    path("documents/<int:pk>/cancel/", document_actions.document_cancel, name="document-cancel"),
    path("documents/<int:pk>/retry/", document_actions.document_retry, name="document-retry"),
    path("documents/<int:pk>/password/", document_actions.document_password, name="document-password"),
    path("documents/<int:pk>/replace/", document_actions.document_replace, name="document-replace"),
    path("documents/<int:pk>/delete/", document_actions.document_delete, name="document-delete"),
    path("turns/<int:pk>/again/", turns.turn_again, name="again"),
    path("turns/<int:pk>/stop/", turns.turn_stop, name="stop"),
    path("engine/", engine.engine, name="engine"),
]
