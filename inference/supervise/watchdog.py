"""The process that ends the children of a supervisor that was killed before it could do so itself.

It reads a pipe whose other end only the supervisor holds: the pipe ends when the supervisor does, whatever ended it.
Unlike a signal tied to the parent's death this works on every Unix and reaches grandchildren too.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from inference.supervise.processes import Mark, end_all

GRACE_S = 3.0


def main() -> None:
    """Wait for the end of standard input, then end the children of the run named on the command line."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    run_dir, run = sys.argv[1:3]
    sys.stdin.buffer.read()
    end_all(Mark(Path(run_dir), run), GRACE_S)


if __name__ == "__main__":
    main()
