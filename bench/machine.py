"""What the figures were measured on: the machine's kind and the versions, nothing that names it or its user."""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

import psutil


def describe() -> dict[str, Any]:
    """Return CPU, cores, memory (GB), versions, and the load average over the last minute before the run."""
    return {
        "cpu": cpu_model(),
        "cores": psutil.cpu_count(logical=False) or os.cpu_count(),
        "threads": os.cpu_count(),
        "ram_gb": round(psutil.virtual_memory().total / 1024**3, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
        **library_versions(),
    }


def cpu_model() -> str:
    """Return the processor as its maker calls it, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def library_versions() -> dict[str, str]:
    """Return what the service computes with, and what llama.cpp's own server does if it is installed.

    The builds differ: the first is compiled for this machine, the second comes compiled for all of them.
    """
    import llama_cpp

    features = llama_cpp.llama_print_system_info().decode()
    versions = {"llama-cpp-python": f"{llama_cpp.__version__}, {_ggml()} ({features.strip(' |')})"}
    try:
        import xllamacpp
    except ImportError:
        return {**versions, "xllamacpp": "not installed"}
    features = str(xllamacpp.get_system_info()).strip(" |")
    return {**versions, "xllamacpp": f"{importlib.metadata.version('xllamacpp')} ({features})"}


def _ggml() -> str:
    """Return version and commit of the ggml beneath llama-cpp-python, whose Python side does not offer them."""
    import llama_cpp

    folder = Path(llama_cpp.__file__).parent / "lib"
    library = next(iter(sorted(folder.glob("*ggml-base.*"))), None)
    if library is None:
        return "ggml of unknown version"
    loaded = ctypes.CDLL(str(library))
    loaded.ggml_version.restype = loaded.ggml_commit.restype = ctypes.c_char_p
    return f"ggml {loaded.ggml_version().decode()} at {loaded.ggml_commit().decode()}"
