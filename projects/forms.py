"""The forms of the pages: what a person may enter, and what is said when it cannot be taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms

from projects.answering.router import Lane
from projects.blank import is_blank
from projects.models import Project

NAME_IT = "Give the project a name."
TITLE_IT = "Give the conversation a title."

if TYPE_CHECKING:
    ProjectModelForm = forms.ModelForm[Project]
else:
    # Django's forms are generic for the type checker only.
    ProjectModelForm = forms.ModelForm


class ProjectForm(ProjectModelForm):
    """A project's name; its instance must have an owner already, since a name is taken per owner."""

    class Meta:
        model = Project
        fields = ("name",)
        error_messages = {"name": {"required": NAME_IT}}

    def clean_name(self) -> str:
        name = " ".join(str(self.cleaned_data["name"]).split())
        if is_blank(name):
            raise forms.ValidationError(NAME_IT)
        others = Project.objects.filter(owner_id=self.instance.owner_id, name=name).exclude(pk=self.instance.pk)
        if others.exists():
            raise forms.ValidationError("You have a project with this name already.")
        return name


class TitleForm(forms.Form):
    """A conversation's title, as a person gives it."""

    title = forms.CharField(max_length=200, error_messages={"required": TITLE_IT})

    def clean_title(self) -> str:
        title = " ".join(str(self.cleaned_data["title"]).split())
        if is_blank(title):
            raise forms.ValidationError(TITLE_IT)
        return title


class AskForm(forms.Form):
    """A question as the plain form posts it; how long it may be is for the answering side to say."""

    question = forms.CharField(required=False, strip=True)
    conversation = forms.IntegerField(required=False, min_value=1)
    lane = forms.ChoiceField(required=False, choices=[("", ""), *((lane.value, lane.value) for lane in Lane)])
