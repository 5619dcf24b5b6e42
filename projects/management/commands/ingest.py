"""`manage.py ingest`: add files and folders to a project."""

from __future__ import annotations

import json as jsonlib
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError

from projects.blank import is_blank
from projects.intake import batch, waiting
from projects.management.base import DataCommand
from projects.models import Document, Project
from projects.owner import local_owner


class Command(DataCommand):
    help = (
        "Add files and folders to a project; the project is made if there is none of this name. With --wait, exit code "
        "1 says that a document failed, was refused, needs a password or could not be read ahead; the report names it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")
        parser.add_argument("path", nargs="+", help="file or folder; folders are walked, hidden files left out")
        parser.add_argument(
            "--wait",
            choices=["indexed", "read"],
            help="return when every document can be searched (indexed), or has been read ahead as well (read)",
        )
        parser.add_argument("--json", action="store_true", help="one JSON object on standard output")

    def handle(self, *args: Any, project: str, path: list[str], wait: str | None, json: bool, **options: Any) -> None:
        if wait == "read":
            self._require_reader()
        added = self._add(project.strip(), path)
        unread = self._wait(added, read=wait == "read") if wait else []
        documents = batch.report(added)
        if json:
            self.stdout.write(jsonlib.dumps({"project": project.strip(), "documents": documents}))
        else:
            self._print(documents, waited=wait is not None)
        for error in unread:
            self.stderr.write(f"Not read ahead: {error}")
        if unread or (wait and not batch.all_searchable(documents)):
            raise SystemExit(1)

    def _add(self, name: str, paths: list[str]) -> list[batch.Added]:
        if is_blank(name) or len(name) > 200:
            raise CommandError("A project's name has 1 to 200 characters.")
        try:
            files = batch.files_in(paths)
        except batch.Unreadable as error:
            raise CommandError(str(error)) from error
        if not files:
            raise CommandError("There are no files in these folders.")
        project, _ = Project.objects.get_or_create(owner=local_owner(), name=name)
        return list(batch.add_files(project, files))

    def _require_reader(self) -> None:
        try:
            waiting.require_reader()
        except waiting.NothingReads as error:
            raise CommandError(str(error)) from error

    def _wait(self, added: Sequence[batch.Added], *, read: bool) -> list[str]:
        """Return the errors of what could not be read ahead."""
        ids = sorted({item.document_id for item in added if item.document_id is not None})
        try:
            waiting.wait_until_indexed(ids, lambda done, total: self._tell(f"{done} of {total} read"))
            if read and ids:
                project_id = Document.objects.values_list("project_id", flat=True).get(pk=ids[0])
                return waiting.wait_until_read(project_id, ids, self._tell)
        except waiting.NothingReads as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped waiting. What is in line will be read while Readahead runs.") from None
        return []

    def _tell(self, line: str) -> None:
        self.stderr.write(line, self.style.NOTICE)

    def _print(self, documents: Sequence[batch.DocumentReport], *, waited: bool) -> None:
        for document in documents:
            notes = "; ".join([*document["warnings"], document["error"]]).strip("; ")
            self.stdout.write(f"{document['name']}: {document['state']}" + (f" - {notes}" if notes else ""))
        if not waited and not waiting.is_running():
            self.stdout.write("Readahead is not running: the files are read when it is (make run).")
