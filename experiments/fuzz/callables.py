"""The public callables of the package and their parameters, computed from the package.

Public is what ``__all__`` of the package and of the modules in it names, what the reference pages
name, and the functions of the modules that are named like an environment (``tower_up_v0``).  So a
new one is found without a new line here.
"""

from __future__ import annotations

import dataclasses
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import sprawl_env
from sprawl_env.core.errors import InvalidOption

PAGES: Final = Path(__file__).parents[2] / "docs" / "reference"
MODULE: Final = "::: "
MEMBERS: Final = re.compile(r"\s+members: \[(.*)\]")
FILTERS: Final = re.compile(r'"!(\^\w+\$?)"')  # names that a page leaves out
KERNELS: Final = "sprawl_env.kernels"  # takes code, not values
ENVIRONMENTS: Final = "_v0"  # at the end of a module's name


@dataclass(frozen=True)
class Parameter:
    """A parameter of a callable.

    Attributes:
        name: its name.
        types: the alternatives of its annotation, as written.
        many: it is ``*name``.
        keywords: it is ``**name``.
    """

    name: str
    types: tuple[str, ...]
    many: bool = False
    keywords: bool = False


@dataclass(frozen=True)
class Target:
    """A public callable.

    Attributes:
        name: without the package's, e.g. ``core.game.Game.observe``.
        parameters: without ``self``.
        method: of an object: its name; "" for a function, constructor or class method.
        owner: the class of the object; None for a function.
        function: what is called, for a method the function without object.
    """

    name: str
    parameters: tuple[Parameter, ...]
    method: str
    owner: type | None
    function: Callable[..., Any]


def documented(pages: Path = PAGES) -> Iterator[tuple[str, tuple[str, ...], list[str]]]:
    """Yield every path that a reference page names, the members that it lists, its filters.

    Raises:
        InvalidOption: there are no pages.
    """
    files = sorted(pages.glob("*.md"))
    if not files:
        raise InvalidOption(f"{pages}: expected the reference pages: use a checkout of the project")
    for file in files:
        path, members, filters = "", tuple[str, ...](), list[str]()
        for line in [*file.read_text(encoding="utf-8").splitlines(), MODULE]:
            listed = MEMBERS.match(line)
            filters += FILTERS.findall(line)
            if listed:
                members = tuple(name.strip() for name in listed[1].split(","))
            elif line.startswith(MODULE):
                if path:
                    yield path, members, filters
                path, members, filters = line.removeprefix(MODULE).strip(), (), []


def find(path: str) -> Any:
    """Return the module or object at a dotted path."""
    try:
        return import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(import_module(module), name)


def public_objects() -> dict[str, tuple[Any, tuple[str, ...]]]:
    """Return public functions and classes by path, with the methods that pages list, if any."""
    found: dict[str, tuple[Any, tuple[str, ...]]] = {}
    for path, members, filters in documented():
        item = find(path)
        if not inspect.ismodule(item):
            add(found, item, members)
            continue
        for name in members or names_of(item):
            if any(re.match(hidden, name) for hidden in filters):
                continue
            add(found, getattr(item, name), ())
    for info in pkgutil.walk_packages(sprawl_env.__path__, "sprawl_env."):
        if (info.ispkg and info.name != KERNELS) or info.name.endswith(ENVIRONMENTS):
            module = import_module(info.name)
            if info.name.endswith(ENVIRONMENTS) or hasattr(module, "__all__"):
                for name in names_of(module):
                    add(found, getattr(module, name), ())
    for name in sprawl_env.__all__:
        add(found, getattr(sprawl_env, name), ())
    return found


def add(found: dict[str, tuple[Any, tuple[str, ...]]], item: Any, members: tuple[str, ...]) -> None:
    """Add a function or class of the package to those that were found."""
    if inspect.isfunction(item) or inspect.isclass(item):
        path = f"{item.__module__}.{item.__qualname__}"
        if path.startswith("sprawl_env") and path not in found:
            found[path] = item, members


def names_of(module: Any) -> Iterable[str]:
    """Return the public names that a module defines: ``__all__``, or all without underscore."""
    if hasattr(module, "__all__"):
        return tuple(module.__all__)
    return tuple(
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    )


def is_record(kind: type) -> bool:
    """Whether a class holds what it is given: its constructor checks nothing, by design.

    Functions that take such a record check it.
    """
    if issubclass(kind, tuple | BaseException):
        return True
    return dataclasses.is_dataclass(kind) and not hasattr(kind, "__post_init__")


def parameters_of(function: Callable[..., Any], skip: int) -> tuple[Parameter, ...]:
    """Return the parameters of a function without the first ones."""
    given = list(inspect.signature(function).parameters.values())[skip:]
    return tuple(
        Parameter(
            one.name,
            parts_of(text_of(one.annotation)),
            one.kind is inspect.Parameter.VAR_POSITIONAL,
            one.kind is inspect.Parameter.VAR_KEYWORD,
        )
        for one in given
    )


def text_of(annotation: Any) -> str:
    """Return an annotation as it is written."""
    written = getattr(annotation, "__forward_arg__", annotation)  # of a named tuple
    return written if isinstance(written, str) else inspect.formatannotation(written)


def parts_of(annotation: str) -> tuple[str, ...]:
    """Return the alternatives of an annotation: ``str`` and ``None`` of ``str | None``."""
    parts, depth = [""], 0
    for sign in annotation:
        depth += (sign == "[") - (sign == "]")
        if sign == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return tuple(part.strip() for part in parts)


def targets(objects: dict[str, tuple[Any, tuple[str, ...]]] | None = None) -> list[Target]:
    """Return all public callables that have parameters, by name."""
    found: list[Target] = []
    for path, (item, members) in sorted((objects or public_objects()).items()):
        name = path.removeprefix("sprawl_env.")
        if inspect.isclass(item):
            found += targets_of(name, item, members)
        else:
            found.append(Target(name, parameters_of(item, 0), "", None, item))
    return [target for target in found if target.parameters]


def targets_of(name: str, kind: type, members: tuple[str, ...]) -> Iterator[Target]:
    """Yield the constructor, methods and setters of a class."""
    if getattr(kind, "_is_protocol", False):
        return
    if not is_record(kind) and not inspect.isabstract(kind):
        made: Callable[..., Any] = kind
        yield Target(
            name,
            parameters_of(vars(kind).get("__init__", kind), 1 if "__init__" in vars(kind) else 0),
            "",
            kind,
            made,
        )
    parts = getattr(kind, "__dataclass_fields__", {})
    for key, value in vars(kind).items():
        if key in parts or key.startswith("_") or (members and key not in members):
            continue
        where = f"{name}.{key}"
        if isinstance(value, classmethod):
            bound = getattr(kind, key)
            yield Target(where, parameters_of(value.__func__, 1), "", kind, bound)
        elif isinstance(value, staticmethod):
            yield Target(where, parameters_of(value.__func__, 0), "", kind, value.__func__)
        elif isinstance(value, property) and value.fset is not None:
            yield Target(where, parameters_of(value.fset, 1), key, kind, value.fset)
        elif inspect.isfunction(value):
            yield Target(where, parameters_of(value, 1), key, kind, value)
