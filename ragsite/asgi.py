"""The ASGI application: Django for HTTP, Channels for the websocket."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ragsite.settings")
http_application = get_asgi_application()

from projects.routing import websocket_urlpatterns  # noqa: E402 - needs the app registry
from ragsite.owner import OwnerSocket, SameOriginSocket  # noqa: E402 - needs the app registry
from ragsite.room import RoomForBody  # noqa: E402 - beside the others

application = ProtocolTypeRouter(
    {
        "http": RoomForBody(http_application),
        "websocket": AllowedHostsOriginValidator(
            SameOriginSocket(AuthMiddlewareStack(OwnerSocket(URLRouter(websocket_urlpatterns))))
        ),
    }
)
