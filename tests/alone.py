"""Runs the whole product on a machine without any network (`unshare --net python -m tests.alone HOME FOLDER QUESTION`).

Prints {interfaces, documents, answer}: what network there was, and what `ingest` and `ask` said.
"""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import sys
from pathlib import Path

from tests import stack

SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def main(home: Path, folder: str, question: str) -> None:
    """Start everything, add the files of `folder`, ask, and end everything."""
    raise_loopback()
    with stack.running(home, ["up"], READAHEAD_MODEL="smollm2-135m") as running:
        stack.wait_for(lambda: running.health()["status"] == "ok", "everything is well")
        documents = json.loads(stack.manage(home, "ingest", "Alone", folder, "--wait", "indexed", "--json"))
        answer = json.loads(stack.manage(home, "ask", "Alone", question, "--json"))
    interfaces = [name for _, name in socket.if_nameindex()]
    sys.stdout.write(json.dumps({"interfaces": interfaces, "documents": documents["documents"], "answer": answer}))


def raise_loopback() -> None:
    """Bring up the one interface that a new network namespace has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
