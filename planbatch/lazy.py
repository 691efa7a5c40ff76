"""Names that a package offers, each imported when it is first used (PEP 562)."""

import ast
import sys
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

#: Libraries that only some of the package needs, and the extras that install them.
EXTRAS = {"jinja2": "report", "matplotlib": "report", "pyarrow": "report"}


def missing_extra(error: ModuleNotFoundError) -> str | None:
    """Return one sentence that names the extra to install, or None if the module belongs to none.

    >>> missing_extra(ModuleNotFoundError(name="matplotlib.figure"))
    "matplotlib is not installed; pictures, pages and stored results need it: pip install 'planbatch[report]'"
    """
    library = (error.name or "").partition(".")[0]
    if library not in EXTRAS:
        return None
    return (
        f"{library} is not installed; pictures, pages and stored results need it: "
        f"pip install 'planbatch[{EXTRAS[library]}]'"
    )


#: What users see in a package besides its names.
PACKAGES = {"planbatch": ("baselines", "experiments", "objectives", "planner")}


class _Package(ModuleType):
    """A package with lazy names. A name wins over a submodule that is called the same, such as ``solve``."""

    #: Name → the module that defines it.
    __sources__: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        if name not in self.__sources__:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}{self.__advice(name)}")
        try:
            value = getattr(import_module(self.__sources__[name]), name)
        except ModuleNotFoundError as error:
            if (advice := missing_extra(error)) is None:
                raise
            raise ModuleNotFoundError(advice, name=error.name) from None
        self.__dict__[name] = value
        return value

    def __advice(self, name: str) -> str:
        """Return where a public name is that is missing here, or the nearest of the names."""
        if name.startswith("_"):
            return ""
        for package in PACKAGES.get(self.__name__, ()):
            if name in import_module(f"{self.__name__}.{package}").__all__:
                return f"; it is in {self.__name__}.{package}"
        near = get_close_matches(name, self.__sources__, n=1)
        return f"; did you mean {near[0]}?" if near else ""

    def __setattr__(self, name: str, value: Any) -> None:
        # The import of a submodule sets it as an attribute of its package.
        if not (isinstance(value, ModuleType) and name in self.__sources__):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        special = (name for name in self.__dict__ if name.startswith("__"))
        return sorted({*special, *self.__sources__, *PACKAGES.get(self.__name__, ())})

    def __reduce__(self) -> tuple[Any, ...]:
        # cloudpickle sends modules by name, but only those of the plain type.
        return import_module, (self.__name__,)


def offer(package: str) -> None:
    """Offer what a package imports under ``if TYPE_CHECKING:``, without importing it yet.

    So every name is written once, in an import statement that type checkers and editors read as well.

    Parameters
    ----------
    package : str
        The ``__name__`` of the package, which calls this in its ``__init__.py`` and gets an ``__all__``.
    """
    module = sys.modules[package]
    assert module.__file__ is not None
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    sources: dict[str, str] = {}
    for line in block.body:
        assert isinstance(line, ast.ImportFrom)
        assert line.module is not None
        names = [alias.name for alias in line.names]
        if names == ["*"]:
            names = import_module(line.module).__all__
        sources |= dict.fromkeys(names, line.module)
    module.__dict__.update(__sources__=sources, __all__=sorted(sources))
    module.__class__ = _Package
