"""Routes of the projects app."""

from django.urls.resolvers import URLPattern

app_name = "projects"
urlpatterns: list[URLPattern] = []
