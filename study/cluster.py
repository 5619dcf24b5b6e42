"""Makes the processes of a queue end together when one of them is killed.

They talk through pipes guarded by locks that die with their holder: a worker killed while it waits for a job holds the
lock of that pipe, and the one that django-q2 starts in its place waits for ever; with a killed pusher the job in its
hand is gone until `Q_CLUSTER["retry"]`. The supervisor starts the whole queue anew, which leaves neither.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from multiprocessing import connection
from multiprocessing.process import BaseProcess
from typing import Any

from django_q import cluster

logger = logging.getLogger(__name__)


class Sentinel(cluster.Sentinel):  # type: ignore[misc]
    """django-q2's guard over the worker, the pusher and the monitor."""

    def spawn_process(self, target: Any, *args: Any) -> BaseProcess:
        process: BaseProcess = super().spawn_process(target, *args)
        # Not in the guard's own loop, which takes a lock that the dead one may hold.
        threading.Thread(target=self._await_end, args=(process,), daemon=True).start()
        return process

    def _await_end(self, process: BaseProcess) -> None:
        connection.wait([process.sentinel])
        while (code := process.exitcode) is None:  # the guard's loop may be collecting it at this moment
            time.sleep(0.01)
        if code < 0:
            logger.error("a process of the queue was killed (%s): all of them end", code)
            for other in (*self.pool, self.pusher, self.monitor):
                if other is not None and other.pid is not None:
                    other.kill()
            os._exit(1)


def end_together() -> None:
    """Put the class above in the place where django-q2 looks for its own."""
    cluster.Sentinel = Sentinel
