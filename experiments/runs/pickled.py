"""Pickling of policies and tasks for other processes: objects from users' files travel as the text of the file."""

import io
import pickle
from types import FunctionType
from typing import Any

from cloudpickle import CloudPickler

from planbatch.experiments.runs.task import attempt
from planbatch.planner.registry.source import sent


class _PluginPickler(CloudPickler):  # type: ignore[misc]
    """Pickles objects from users' files by the text of the file, anything else as cloudpickle does."""

    def reducer_override(self, obj: object) -> Any:
        users = sent(obj) if isinstance(obj, FunctionType | type) else None
        return super().reducer_override(obj) if users is None else users


def packed(value: object) -> bytes:
    """Pack a task, or a part of one, for another process."""
    buffer = io.BytesIO()
    _PluginPickler(buffer).dump(value)
    return buffer.getvalue()


def unpacked(data: bytes) -> Any:
    """Unpack what :func:`packed` made."""
    return pickle.loads(data)


def run_packed(data: bytes) -> Any:
    """Run a packed task without progress reports; clusters call this on their workers."""
    return attempt(unpacked(data), lambda _count: None)
