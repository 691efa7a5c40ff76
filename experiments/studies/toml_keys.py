"""The keys of an experiment's file, and the types of their values."""

from typing import Any

NUMBER = (int, float)
#: Keys of the file itself, of a workload, of a policy and of the spans, and the types of their values.
TOP_KEYS: dict[str, Any] = {
    "title": str, "seeds": int, "seeding": str, "estimates": str, "deadlines": str,
    "optimizer": str, "evaluations": int, "seconds": NUMBER, "promise": str, "metrics": str,
    "workload": dict, "policy": dict, "spans": dict,
}  # fmt: skip
WORKLOAD_KEYS: dict[str, Any] = {
    "source": str, "name": str, "skip-bad-lines": bool, "capacity": int, "drop-queue": (str, int),
    "span": str, "first": int, "round-sizes": int, "load": NUMBER, "deadlines": str, "estimates": str,
    "memory": str, "memory-capacity": str, "memory-per": str, "memory-unit": str, "memory-unknown": str,
    "windows": str, "columns": dict, "timezone": str, "partition": (str, int), "known-waits": bool, "resource": str,
}  # fmt: skip
POLICY_KEYS: dict[str, Any] = {
    "name": str, "label": str, "objective": str, "optimizer": str, "evaluations": int,
    "seconds": NUMBER, "promise": str, "scenarios": int, "risk": NUMBER, "calendar": str,
}  # fmt: skip
SPANS_KEYS: dict[str, Any] = {
    "count": int, "warm-up": (str, int), "cool-down": (str, int), "compare": bool,
}  # fmt: skip
WORDS = {str: "a text", int: "a whole number", bool: "true or false", dict: "a table",
          NUMBER: "a number", (str, int): "a text or a whole number"}  # fmt: skip
OPTIONS = ("skip-bad-lines", "capacity", "drop-queue", "span", "first", "round-sizes", "load", "memory",
           "memory-capacity", "memory-per", "memory-unit", "memory-unknown", "windows", "timezone",
           "known-waits")  # fmt: skip
