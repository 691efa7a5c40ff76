"""Pickling of policies and tasks for other processes.

numba would send a kernel as a copy of its function, which the other process compiles again. Here a
kernel travels as its name, so that the other process imports it and finds its compiled code on
disk. What stands in a user's file travels as the text of that file.
"""

import importlib
import io
import pickle
from types import FunctionType
from typing import Any

from numba.cloudpickle import CloudPickler
from numba.core.dispatcher import Dispatcher

from planbatch.experiments.tasks.task import attempt
from planbatch.planner.plugins.source import sent


def _imported(module: str, name: str) -> Any:
    """Import a module and return its attribute ``name``."""
    return getattr(importlib.import_module(module), name)


class _KernelPickler(CloudPickler):  # type: ignore[misc]
    """Pickles kernels by name, what stands in users' files by its text, anything else as cloudpickle."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Dispatcher | FunctionType | type):
            users = sent(obj) or vars(obj).get("made_by")
            if users is not None:
                return users
        if isinstance(obj, Dispatcher):
            module, name = obj.py_func.__module__, obj.py_func.__qualname__
            try:
                found = _imported(module, name) if module != "__main__" else None
            except (ImportError, AttributeError):
                found = None
            if found is obj:
                return _imported, (module, name)
        return super().reducer_override(obj)


def packed(thing: Any) -> bytes:
    """Pack a policy (or anything that holds kernels) for another process."""
    buffer = io.BytesIO()
    _KernelPickler(buffer).dump(thing)
    return buffer.getvalue()


def unpacked(data: bytes) -> Any:
    """Unpack what :func:`packed` made."""
    return pickle.loads(data)


def run_packed(data: bytes) -> Any:
    """Run a packed task without progress reports; clusters call this on their workers."""
    return attempt(unpacked(data), lambda count: None)
