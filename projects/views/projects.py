"""The list of projects, and making, changing and deleting one."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from projects import access
from projects.forms import ProjectForm
from projects.intake.service import remove_project
from projects.models import Document, Project
from projects.retrieval import vectors


@require_GET
def project_list(request: HttpRequest) -> HttpResponse:
    """All projects of this person, and the form for a new one."""
    return render(request, "projects/list.html", {"projects": _with_counts(request), "form": ProjectForm()})


@require_POST
def project_create(request: HttpRequest) -> HttpResponse:
    """Make a project and open its desk."""
    # LoginRequiredMiddleware lets nobody else come here.
    owner = cast("User", request.user)
    form = ProjectForm(request.POST, instance=Project(owner=owner))
    if not form.is_valid():
        context = {"projects": _with_counts(request), "form": form}
        return render(request, "projects/list.html", context, status=422)
    return redirect("projects:desk", form.save().pk)


@require_GET
def project_settings(request: HttpRequest, pk: int) -> HttpResponse:
    """The page to rename or delete a project."""
    project = access.project_for(request.user, pk)
    return render(request, "projects/settings.html", {"project": project, "form": ProjectForm(instance=project)})


@require_POST
def project_rename(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a project another name."""
    project = access.project_for(request.user, pk)
    form = ProjectForm(request.POST, instance=project)
    if not form.is_valid():
        # Validation has written the refused name into the instance; the page shows the one that holds.
        project.refresh_from_db()
        return render(request, "projects/settings.html", {"project": project, "form": form}, status=422)
    form.save()
    messages.success(request, f"The project is now called {project.name}.")
    return redirect("projects:desk", pk)


@require_POST
def project_meaning(request: HttpRequest, pk: int) -> HttpResponse:
    """Switch the search by meaning on (`on=1`) or off; what is missing for it is made in the background."""
    project = access.project_for(request.user, pk)
    project.vectors = request.POST.get("on") == "1"
    project.save(update_fields=["vectors"])
    vectors.catch_up()
    by = "by words and by meaning" if project.vectors else "by words alone"
    messages.success(request, f"The documents are searched {by}.")
    return redirect("projects:settings", pk)


@require_http_methods(["GET", "POST"])
def project_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether the project may go, and delete it on POST."""
    project = access.project_for(request.user, pk)
    if request.method == "GET":
        return render(request, "projects/delete_project.html", {"project": project})
    remove_project(project)
    messages.success(request, f"{project.name} is deleted, with everything in it.")
    return redirect("projects:list")


def _with_counts(request: HttpRequest) -> QuerySet[Project]:
    moving = ~Q(documents__state__in=Document.FINAL) & Q(documents__isnull=False)
    return access.projects_of(request.user).annotate(
        document_count=Count("documents", distinct=True),
        moving_count=Count("documents", filter=moving, distinct=True),
        failed_count=Count("documents", filter=Q(documents__state=Document.State.FAILED), distinct=True),
        conversation_count=Count("conversations", distinct=True),
    )
