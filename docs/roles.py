"""Docstrings use Sphinx's roles; mkdocstrings renders Markdown.  This extension translates them."""

from __future__ import annotations

import re
from typing import Any, Final

import griffe

ROLE: Final = re.compile(r":(?:func|class|meth|mod|attr|data|exc|obj):`(~?)([\w.]+)`")


def translated(text: str) -> str:
    """Return a text with its roles as links, or as plain code where no page has the target."""

    def link(found: re.Match[str]) -> str:
        target = found[2]
        shown = target.rpartition(".")[2] if found[1] else target
        return f'<autoref optional identifier="{target}"><code>{shown}</code></autoref>'

    return ROLE.sub(link, text)


class Roles(griffe.Extension):
    """Translates the roles in every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Translate one object's docstring; griffe calls this when the object is loaded."""
        if obj.docstring is not None:
            obj.docstring.value = translated(obj.docstring.value)
