"""The site: settings, urls, ASGI application, health and the supervisor command."""
