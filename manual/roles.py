"""Docstrings as the site shows them: roles of Sphinx (``:func:`replay```) become plain code."""

import re

import griffe

_ROLE = re.compile(r":(?:func|class|meth|data|mod|attr|exc|obj):`~?([^`]*)`")


def plain(text: str) -> str:
    """Return a docstring without roles.

    >>> plain("see :func:`~planbatch.replay`, and :meth:`Trace.to_frame`")
    'see `planbatch.replay`, and `Trace.to_frame`'
    """
    return _ROLE.sub(r"`\1`", text)


class Roles(griffe.Extension):
    """Takes roles out of all docstrings."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Replace one docstring."""
        if obj.docstring is not None:
            obj.docstring.value = plain(obj.docstring.value)
