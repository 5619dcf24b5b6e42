"""The process that draws one page and dies with it if it must (`python -m projects.facsimile.child`).

It takes a request as JSON on standard input and gives a reply on standard output: a line of JSON, then the picture.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from projects.bounds import bound_process
from projects.facsimile.drawing import Drawn, NoPicture, draw_pdf, draw_picture
from projects.facsimile.wire import Reply, Request
from projects.intake.extract.sniff import PDF

TOO_MUCH_MEMORY = "Showing this page takes more memory than one page may take."


def main() -> None:
    """Draw the page that the request names and reply."""
    request: Request = json.loads(sys.stdin.buffer.read())
    # Whatever a library prints must not end up in the reply.
    out = os.dup(1)
    os.dup2(2, 1)
    bound_process(memory=request["memory"], seconds=request["seconds"], file_size=0)
    reply, picture = answer(request)
    with suppress(BrokenPipeError), os.fdopen(out, "wb") as stream:  # nobody may be waiting any more
        stream.write(json.dumps(reply).encode("ascii") + b"\n" + picture)


def answer(request: Request) -> tuple[Reply, bytes]:
    """Draw the page and say how that ended."""
    try:
        drawn = _drawn(request)
    except NoPicture as error:
        return {"refused": error.message}, b""
    except MemoryError:
        return {"refused": TOO_MUCH_MEMORY}, b""
    page: Reply = {
        "pages": drawn.pages,
        "width": drawn.width,
        "height": drawn.height,
        "places": list(drawn.places),
    }
    return page, drawn.picture


def _drawn(request: Request) -> Drawn:
    path = Path(request["path"])
    if request["media_type"] == PDF:
        return draw_pdf(path, request["password"], request["page"], request["wanted"], draw=request["draw"])
    return draw_picture(path, request["page"], draw=request["draw"])


if __name__ == "__main__":
    main()
