"""Routes of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("projects.urls")),
    path("admin/", admin.site.urls),
]
