"""The check of arguments against the annotations of a function, for calls that take no hot path.

The annotations of public functions are their contract, so the check reads them: a function that is
decorated with :func:`checked` refuses an argument of another type with one line that names it.
Kinds that need more than a type, such as records and masks, are checked by the function itself.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import numpy as np

from sprawl_env.core.checks import as_whole
from sprawl_env.core.errors import InvalidOption, UnknownOption, short, unknown_option

P = ParamSpec("P")
R = TypeVar("R")
Space = Mapping[str, Any]

_WORDS: Final = {
    "int": "a whole number",
    "float": "a finite number",
    "bool": "True or False",
    "str": "a text",
    "Path": "a path",
    "PathLike[str]": "a path",
    "os.PathLike[str]": "a path",
    "tuple[str, ...]": "texts",
    "Game": "a game, as sprawl_env.game() returns it",
}
_LISTS: Final = {"Sequence": Sequence, "Collection": Collection, "Iterable": Collection}
_ALSO: Final = "_takes_also"
_TEXTS: Final = (str, bytes, bytearray, memoryview)


class _Unfit(Exception):
    """A value is not of a kind."""


def takes_also(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Name settings that a function takes out of its ``**options``, for the message of a wrong one.

    It stands below :func:`checked`.
    """

    def named(function: Callable[P, R]) -> Callable[P, R]:
        vars(function)[_ALSO] = frozenset(names)
        return function

    return named


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Check the arguments of every call against the annotations of a function.

    Whole numbers of numpy become ``int``, and a text becomes a ``Path`` where one is expected.
    A keyword that a game does not have may have been meant for the function that passes it on, so
    the message of :class:`~sprawl_env.core.errors.UnknownOption` then names its parameters too.

    Raises:
        InvalidOption: an argument is of another type.
    """
    owner, _, own = function.__qualname__.rpartition(".")
    where = owner if own == "__init__" else function.__qualname__

    @functools.cache
    def known() -> tuple[inspect.Signature, dict[str, tuple[str, ...]]]:
        signature = inspect.signature(function)
        kinds = {
            name: alternatives(_text_of(parameter.annotation))
            for name, parameter in signature.parameters.items()
            if parameter.kind is not parameter.VAR_KEYWORD
        }
        return signature, kinds

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        signature, kinds = known()
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:  # an unknown or missing argument: the call itself says so
            return function(*args, **kwargs)
        space = function.__globals__
        for name, value in bound.arguments.items():
            if name not in kinds:
                continue
            if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
                fitted: Any = tuple(fit(where, name, kinds[name], each, space) for each in value)
            else:
                fitted = fit(where, name, kinds[name], value, space)
            bound.arguments[name] = fitted
        try:
            return function(*bound.args, **bound.kwargs)
        except UnknownOption as error:
            own = kinds.keys() - bound.arguments.keys() | vars(function).get(_ALSO, set())
            if error.option not in kwargs or own <= error.valid:
                raise
            raise unknown_option(error.kind, error.option, error.valid | own) from None

    return call


def check_fields(record: Any, where: str | None = None) -> Any:
    """Check the fields of a dataclass or named tuple against their annotations.

    Args:
        record: the dataclass or named tuple.
        where: what the message begins with; default: the name of the class.

    Returns:
        The record, with plain numbers for those of numpy.

    Raises:
        InvalidOption: a field is of another type.
    """
    kind: Any = type(record)
    changed = {}
    for name, (kinds, space) in _fields_of(kind).items():
        value = getattr(record, name)
        fitted = fit(kind.__name__ if where is None else where, name, kinds, value, space)
        if fitted is not value:
            changed[name] = fitted
    if not changed:
        return record
    named = isinstance(record, tuple)
    return record._replace(**changed) if named else dataclasses.replace(record, **changed)


@functools.cache
def _fields_of(kind: Any) -> dict[str, tuple[tuple[str, ...], Space]]:
    """Return the alternatives of every field of a record, and the names they are made of."""
    module = inspect.getmodule(kind)
    texts = {  # a named tuple wraps the texts
        name: getattr(annotation, "__forward_arg__", annotation)
        for name, annotation in inspect.get_annotations(kind).items()
    }
    space = vars(module) if module else {}
    return {n: (alternatives(text), space) for n, text in texts.items() if isinstance(text, str)}


def _text_of(annotation: Any) -> str:
    """Return an annotation as it is written."""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def alternatives(annotation: str) -> tuple[str, ...]:
    """Return ``("str", "None")`` for the annotation ``str | None``."""
    return _split(annotation, "|")


def _split(text: str, sign: str) -> tuple[str, ...]:
    """Split a text at a sign outside of brackets."""
    parts, depth = [""], 0
    for each in text:
        depth += (each == "[") - (each == "]")
        if each == sign and depth == 0:
            parts.append("")
        else:
            parts[-1] += each
    return tuple(part.strip() for part in parts)


def fit(where: str, name: str, kinds: tuple[str, ...], value: Any, space: Space) -> Any:
    """Return a value as one of several kinds.

    Args:
        where: the function or record, for the message; "" for none.
        name: the argument or field.
        kinds: parts of its annotation.
        value: anything.
        space: the objects that the annotation names.

    Raises:
        InvalidOption: it is none of them.
    """
    paths = any("PathLike" in kind for kind in kinds)  # a text is a path then
    for kind in kinds:
        if paths and kind == "str":
            continue
        try:
            return _fit_one(kind, value, space)
        except _Unfit:
            continue
    expected = " or ".join(dict.fromkeys(_in_words(kind) for kind in kinds))
    begins = f"{where}: " if where else ""
    raise InvalidOption(f"{begins}{name}={short(value)}: expected {expected}")


def _in_words(kind: str) -> str:
    name, _, inner = kind.partition("[")
    if kind in _WORDS:
        return _WORDS[kind]
    if name in _LISTS:
        return f"a list ({inner.removesuffix(']')})"
    return {"Callable": "a function", "Mapping": "a dictionary", "dict": "a dictionary"}.get(
        name, kind
    )


def _fit_one(kind: str, value: Any, space: Space) -> Any:
    """Return a value as one kind; a kind that is not known fits anything.

    Raises:
        _Unfit: it is of another kind.
    """
    if kind in _SIMPLE:
        return _SIMPLE[kind](value)
    name, _, rest = kind.partition("[")
    inner = rest.removesuffix("]")
    if name in _LISTS:
        return _fit_list(name, inner, value, space)
    if name == "tuple":
        return _fit_tuple(inner, value, space)
    if name in {"Mapping", "dict"}:
        return _fit_mapping(inner, value)
    found = Callable if name == "Callable" else space.get(name)
    if getattr(found, "__origin__", found) is Callable:
        return _if(callable(value), value)
    if not isinstance(found, type) or getattr(found, "_is_protocol", False):
        return value
    if not isinstance(value, found):
        raise _Unfit
    equal: Any = found.__eq__
    values = hasattr(found, "__match_args__") and equal is not object.__eq__
    if values and not hasattr(found, "__post_init__"):
        return check_fields(value)
    return value


def _if(condition: bool, value: Any) -> Any:
    if not condition:
        raise _Unfit
    return value


def _fit_whole(value: Any) -> int:
    number = as_whole(value)
    if number is None:
        raise _Unfit
    return number


def _fit_number(value: Any) -> Any:
    if isinstance(value, np.integer) and not isinstance(value, np.timedelta64):
        value = int(value)
    real = isinstance(value, int | float | np.floating) and not isinstance(value, bool)
    fits = real and abs(value) < _MANY  # not true of NaN
    if not fits:
        raise _Unfit
    return value if isinstance(value, int) else float(value)


def _fit_path(value: Any) -> Path:
    _check_path(value)
    return value if isinstance(value, Path) else Path(value)


def _check_path(value: Any) -> Any:
    """Return a path or its text, if the system can take it."""
    try:
        text = os.fspath(value)
        name = os.fsencode(text)
        fits = isinstance(text, str) and b"\0" not in name and len(name) <= _LONGEST_PATH
        fits = fits and all(len(part) <= _LONGEST_NAME for part in Path(text).parts)
    except Exception:  # not a path, letters that no name can have, or a user's class
        fits = False
    return _if(fits, value)


def _fit_list(name: str, inner: str, value: Any, space: Space) -> Any:
    """Return a list whose entries fit; an array as the list of its entries."""
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.names is None:
        value = value.tolist()
    if isinstance(value, str) and "str" in alternatives(inner):
        return value  # the function says what it expects
    if isinstance(value, (*_TEXTS, Mapping)) or not isinstance(value, _LISTS[name]):
        raise _Unfit
    if isinstance(value, np.ndarray) and value.ndim == 0:
        raise _Unfit
    kinds = alternatives(inner)
    for each in value:
        for kind in kinds:
            try:
                _fit_one(kind, each, space)
                break
            except _Unfit:
                continue
        else:
            raise _Unfit
    return value


def _fit_tuple(inner: str, value: Any, space: Space) -> Any:
    if not isinstance(value, tuple):
        raise _Unfit
    parts = _split(inner, ",")
    if parts[-1] == "...":
        parts = parts[:1] * len(value)
    if len(parts) != len(value):
        raise _Unfit
    for kind, each in zip(parts, value, strict=True):
        _fit_one(kind, each, space)
    return value


def _fit_mapping(inner: str, value: Any) -> Any:
    if not isinstance(value, Mapping):
        raise _Unfit
    texts = _split(inner, ",")[0] == "str"
    return _if(not texts or all(isinstance(key, str) for key in value), value)


_MANY: Final = 1e300  # a float beyond is infinite soon
_LONGEST_PATH: Final = 4095  # bytes
_LONGEST_NAME: Final = 255  # letters of one of its parts
_SIMPLE: Final[dict[str, Callable[[Any], Any]]] = {
    "int": _fit_whole,
    "float": _fit_number,
    "bool": lambda value: bool(_if(isinstance(value, bool | np.bool_), value)),
    "str": lambda value: _if(isinstance(value, str), value),
    "None": lambda value: _if(value is None, value),
    "Path": _fit_path,
    "PathLike[str]": _check_path,
    "os.PathLike[str]": _check_path,
    "Any": lambda value: value,
}
