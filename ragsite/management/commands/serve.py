"""`manage.py serve`: run the web process, pages and websockets in one."""

from __future__ import annotations

import logging
import tempfile
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Run the web process alone; `manage.py up` runs everything."

    def handle(self, *args: Any, **options: Any) -> None:
        # Importing daphne installs twisted's asyncio reactor, so it comes before anything else of twisted.
        from daphne.endpoints import build_endpoint_description_strings
        from daphne.server import Server

        from inference import embeddings
        from projects.answering.turns import recover_interrupted
        from ragsite.asgi import application

        # Daphne and Django spool bodies on their way in without asking where.
        tempfile.tempdir = str(settings.FILE_UPLOAD_TEMP_DIR)
        logger.info("%d interrupted answers marked", recover_interrupted())
        embeddings.publish(settings.RUN_DIR)
        server = Server(
            application=application,
            endpoints=build_endpoint_description_strings(host=settings.HOST, port=settings.PORT),
            application_close_timeout=2,
            server_name="",
        )
        server.run()
        if not server.listening_addresses:
            raise CommandError(f"Port {settings.PORT} on {settings.HOST} cannot be listened on.")
