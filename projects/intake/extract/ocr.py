"""Reading the text of a picture: RapidOCR with the models of its package, never with the network.

A dense page takes 3 s of one processor. The process that reads takes some 1.4 GB of address space and 0.8 GB of memory,
reached after a few dozen pages and never left: below the least that `limits` allows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

DOTS_PER_INCH = 200
LONGEST_SIDE = 3400
"""Pixels: A3 at full resolution; what is larger is read smaller."""
DETECTION_SIDE = 1280
"""Pixels of the longest side of the picture in which lines are found: as many are found as at full size, in a third of
the time. They are read at full size."""
UNKNOWN = "\ufffd"
"""Stands for a line in letters that the models do not know: they know Latin, Chinese and Japanese."""
LEGIBLE, SURE = 0.5, 0.8
"""Confidence: lines below the first are left out, those below the second may be wrong."""

MOST_THREADS = 4
"""Each reserves address space; a page gives no work to more."""

_MODELS = {
    "Det.model_path": "PP-OCRv6_det_small.onnx",
    "Rec.model_path": "PP-OCRv6_rec_small.onnx",
    "Cls.model_path": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True)
class Found:
    """A line as found: its corners clockwise from the top left of the text, in pixels, and how sure it is (0 to 1)."""

    text: str
    sure: float
    corners: tuple[tuple[float, float], ...]


class OcrFailed(Exception):
    """The recognition broke down on one picture; another one may go."""


def recognise(picture: Any) -> list[Found]:
    """Return the lines on a picture, an array of height × width × 3 bytes in the order blue, green, red.

    Raises OcrFailed; MemoryError if that was why.
    """
    engine = _engine()
    import cv2
    from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError

    try:
        result = engine(picture, use_cls=False)
    except (ONNXRuntimeError, cv2.error) as error:
        if "alloc" in str(error).lower():
            raise MemoryError from error
        raise OcrFailed from error
    if result.txts is None or result.boxes is None:
        return []
    return [
        Found(text, float(sure), tuple((float(x), float(y)) for x, y in corners))
        for text, sure, corners in zip(result.txts, result.scores, result.boxes, strict=True)
    ]


@lru_cache(maxsize=1)
def _engine() -> Any:
    """Load the models, half a second; as many threads as leave a processor to live questions."""
    with _one_thread():
        import cv2
        from rapidocr import RapidOCR
    cv2.setNumThreads(1)

    class Engine(RapidOCR):
        """Keeps lines of which no letter was recognised: RapidOCR forgets them, as if nothing were there."""

        def recognize_txt(self, img: Any) -> Any:
            found: Any = super().recognize_txt(img)
            blank = [not text.strip() for text in found.txts]
            found.txts = tuple(UNKNOWN if is_blank else text for is_blank, text in zip(blank, found.txts, strict=True))
            found.scores = tuple(
                0.0 if is_blank else score for is_blank, score in zip(blank, found.scores, strict=True)
            )
            return found

    models = files("rapidocr") / "models"
    return Engine(
        params={
            # With their paths given it looks for no models elsewhere.
            **{key: str(models / name) for key, name in _MODELS.items()},
            "Global.log_level": "critical",
            "Global.text_score": 0.0,
            "Global.max_side_len": LONGEST_SIDE,
            "Det.limit_type": "max",
            "Det.limit_side_len": DETECTION_SIDE,
            # Lines of one batch are padded to the longest: alone they are faster.
            "Rec.rec_batch_num": 1,
            "EngineConfig.onnxruntime.intra_op_num_threads": min(max((os.cpu_count() or 1) // 2, 1), MOST_THREADS),
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


@contextmanager
def _one_thread() -> Iterator[None]:
    """Load numpy without a thread per processor: each reserves memory, which a reader's process has little of."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
