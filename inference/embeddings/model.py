"""One embedding model of this process: loaded in a thread when it is first wanted, shared by all who use it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence

from inference.contracts import EngineState
from inference.embeddings.encoder import Encoder
from inference.embeddings.health import EmbeddingFailed, EmbeddingHealth
from inference.embeddings.vectors import Matrix

logger = logging.getLogger(__name__)

RETRY_S = 60.0
"""A load that failed is tried again no sooner: the folder may have been put in place, or memory be free again."""
LOAD_LIMIT_S = 300.0
"""No disk takes longer; whoever waits for the model gets an error then."""

Load = Callable[[], Encoder]
Listener = Callable[[EmbeddingHealth], None]


class Embedder:
    """States: NOT_LOADED → LOADING → READY, or FAILED with the cause; a FAILED one may go to LOADING again.

    All methods may be called from any thread. Encoding is done by one caller at a time: tokenizers are not made for
    more, and one thread is all that encoding gets.
    """

    def __init__(self, name: str, load: Load, changed: Listener = lambda _: None) -> None:
        self.name = name
        self._load = load
        self._changed = changed
        self._lock = threading.Lock()
        self._encoding = threading.Lock()
        self._settled = threading.Event()
        self._encoder: Encoder | None = None
        self._health = EmbeddingHealth(EngineState.NOT_LOADED, name)
        self._tried = 0.0

    def health(self) -> EmbeddingHealth:
        """Return the state now."""
        return self._health

    def warm_up(self) -> None:
        """Start loading, unless that has begun or has failed just now; returns at once."""
        with self._lock:
            failed_lately = time.monotonic() - self._tried < RETRY_S and self._health.state is EngineState.FAILED
            if failed_lately or self._health.state in (EngineState.LOADING, EngineState.READY):
                return
            self._tried = time.monotonic()
            self._settled.clear()
            self._set(EmbeddingHealth(EngineState.LOADING, self.name))
        threading.Thread(target=self._run, name=f"embeddings {self.name}", daemon=True).start()

    def wait(self, seconds: float = LOAD_LIMIT_S) -> bool:
        """Load if need be and wait for it to end; True when the model is ready."""
        self.warm_up()
        self._settled.wait(seconds)
        return self._health.state is EngineState.READY

    def embed(self, texts: Sequence[str], headings: Sequence[str] | None = None) -> Matrix:
        """Return one vector (float32, length 1) for each text, each read below its heading; waits for the model.

        Raises EmbeddingFailed.
        """
        with self._encoding:
            return self._ready().passages(headings or [""] * len(texts), texts)

    def embed_query(self, text: str) -> Matrix:
        """Return the vector of a question, a matrix of one row; waits for the model. Raises EmbeddingFailed."""
        with self._encoding:
            return self._ready().queries([text])

    def _ready(self) -> Encoder:
        if not self.wait() or self._encoder is None:
            still = "The embedding model is still being loaded. Try again in a moment."
            raise EmbeddingFailed(self._health.message or still)
        return self._encoder

    def _run(self) -> None:
        began = time.monotonic()
        try:
            self._encoder = encoder = self._load()
        except EmbeddingFailed as error:
            logger.warning("embedding model: %s", error.message)
            self._set(EmbeddingHealth(EngineState.FAILED, self.name, message=error.message))
        except Exception as error:  # the edge of the thread: nobody else would see it, and all would wait
            logger.exception("the embedding model could not be loaded")
            message = (
                f"The embedding model {self.name} could not be loaded ({type(error).__name__}); the log says more."
            )
            self._set(EmbeddingHealth(EngineState.FAILED, self.name, message=message))
        else:
            logger.info("embedding model %s loaded in %.1f s", self.name, time.monotonic() - began)
            self._set(EmbeddingHealth(EngineState.READY, self.name, encoder.dim))
        finally:
            self._settled.set()

    def _set(self, health: EmbeddingHealth) -> None:
        self._health = health
        self._changed(health)
