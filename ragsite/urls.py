"""Routes of the site."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path

from ragsite.health import health

urlpatterns = [
    path("", include("projects.urls")),
    path("models/", include("inference.urls")),
    path("sign-in/", auth.LoginView.as_view(redirect_authenticated_user=True), name="sign-in"),
    path("sign-out/", auth.LogoutView.as_view(), name="sign-out"),
    path("health/", health, name="health"),
    path("admin/", admin.site.urls),
]
