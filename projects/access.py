"""Who may see what: the one place that turns a user and an id into a project or into something that belongs to one.

Each function costs one query and answers a stranger exactly as it answers a wrong id. Superusers see their own projects
on the pages like everybody else; the admin is the place to see all of them.
"""

from __future__ import annotations

from django.contrib.auth import SESSION_KEY, get_user
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.backends.base import SessionBase
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from projects.models import Conversation, Document, Project, Turn
from study.models import StudyTask

Viewer = AbstractBaseUser | AnonymousUser


def viewer_now(viewer: Viewer, session: SessionBase | None) -> Viewer:
    """Return who stands behind an open connection by now; a visitor once the sign-in or the account has ended.

    `session` is the one that the connection was opened with. Without a sign-in in it the viewer is the local owner, who
    has no session.
    """
    if session is not None and SESSION_KEY in session:
        request = HttpRequest()
        # Read anew: the object at hand keeps what it has read when the connection was opened.
        request.session = type(session)(session.session_key)
        return get_user(request)
    return User.objects.filter(pk=viewer.pk or 0, is_active=True).first() or AnonymousUser()


def projects_of(user: Viewer) -> QuerySet[Project]:
    """Return the projects that `user` may see; none for a visitor who is not signed in."""
    return Project.objects.filter(owner_id=user.pk)


def project_for(user: Viewer, pk: int) -> Project:
    """Return the project, or raise Http404."""
    return get_object_or_404(projects_of(user), pk=pk)


def document_for(user: Viewer, pk: int) -> Document:
    """Return the document with its project, or raise Http404."""
    return get_object_or_404(Document.objects.select_related("project"), pk=pk, project__owner_id=user.pk)


def conversation_for(user: Viewer, pk: int) -> Conversation:
    """Return the conversation with its project, or raise Http404."""
    return get_object_or_404(Conversation.objects.select_related("project"), pk=pk, project__owner_id=user.pk)


def turn_for(user: Viewer, pk: int) -> Turn:
    """Return the turn with its conversation and project, or raise Http404."""
    turns = Turn.objects.select_related("conversation__project")
    return get_object_or_404(turns, pk=pk, conversation__project__owner_id=user.pk)


def study_task_for(user: Viewer, pk: int) -> StudyTask:
    """Return the study task, or raise Http404."""
    return get_object_or_404(StudyTask, pk=pk, project__owner_id=user.pk)
