"""Digests of the source files that a kernel is made from.

A digest changes when a file that may change the kernel's machine code changes:

- the Python and TOML files of ``kernels`` and ``core``, which every kernel may use;
- for a kernel of a game, all Python and TOML files of the game's folder;
- for any other kernel, e.g. of a heuristic or of a user's game, its own file, every file of the
  same package or folder and of this package that it imports, directly or indirectly, the TOML files
  beside them, and the whole folder of each game from which they import.

A file that only draws or only tells what happened is excluded, so a change to a picture or to words
does not recompile anything.  An import contract ensures that no kernel uses it.  Paths count from
the package's folder, so two installs with the same sources have the same digests.

A kernel that a function makes for several games, e.g. the one that steps a batch, also depends on
the kernels that it is given.  Its label carries their digests (:func:`kernels_label`).

Some kernels have no sources that another process could find again: those typed at a prompt or in a
notebook's cell, and those of a module that was reloaded after an edit.  They have no digest, and
neither they nor the kernels that are made from them are kept on disk.
"""

from __future__ import annotations

import functools
import hashlib
import io
import itertools
import re
import tokenize
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

TYPED: Final = "typed"
"""The word in the label of a kernel that is made from a kernel without a digest."""

PACKAGE = Path(__file__).resolve().parents[1]
_HASHED = {".py", ".toml"}
_SHARED = ("kernels", "core")
_GAMES = "games"
_PICTURES = re.compile(r"(render(_\w+)?|changes|guide|points|questions|tips)\.py")
_MAIN = ("__main__", "__mp_main__")  # names of a file that runs as a script
_LONGEST: Final = 200  # characters in the name of a module; files' names have limits
_COMMENT = re.compile(r"#[^\n]*")
_IMPORT = re.compile(
    r"""
    \bfrom\b [ \t\f]* (?P<dots>[. \t\f]*) (?P<module>[\w.]*) [ \t\f]* \bimport\b [ \t\f]*
        (?P<names> \( (?: [^)#] | \#[^\n]*\n )* \) | [^\n;\#]* )
    | \bimport\b [ \t\f]+ (?P<modules>[^\n;\#]*)
    """,
    re.VERBOSE,
)
_DEFINES_KERNELS = re.compile(rb"sprawl_env\.kernels(\.compile)? import")


@functools.cache
def source_digest(root: Path = PACKAGE) -> str:
    """Return 16 hex digits that change when a file changes that any kernel may use.

    These are all files in ``kernels``, ``core`` and ``games``, except those that only draw, and the
    files elsewhere that define kernels.
    """
    paths = [path for folder in (*_SHARED, _GAMES) for path in _folder(root / folder)]
    others = set(root.rglob("*.py")) - set(paths)
    paths += [
        path
        for path in others
        if path.relative_to(root).parts[0] != _GAMES and _DEFINES_KERNELS.search(path.read_bytes())
    ]
    return _digest(paths, root)


_met: dict[tuple[Path, str], tuple[Any, str]] = {}  # import and digest of each module with kernels


def home_digest(function: Callable[..., Any]) -> str:
    """Return 16 hex digits that change with the sources of a kernel.

    Returns "" if they are not files, or if the module was reloaded and they are not what they were
    when it was imported first.  An edit alone changes nothing: what was imported still runs.
    """
    file = _file_of(function)
    if not file.exists():
        return ""
    base, is_script = (package_root(function) or file).parent, _module_of(function) in _MAIN
    loaded = function.__globals__.get("__spec__") or function.__globals__  # new after a reload
    key = (file, function.__module__)
    if key not in _met:
        _met[key] = loaded, _file_digest(file, base, beside=is_script)
    before, digest = _met[key]
    if before is not loaded:
        forget_files()
        same = digest == _file_digest(file, base, beside=is_script)
        _met[key] = loaded, digest if same else ""
    return _met[key][1]


def forget_files() -> None:
    """Forget all files that were read, so that they are read again."""
    for cached in (
        _resolved,
        _file_digest,
        _folder_digest,
        _imported,
        _files_of,
        _imported_names,
    ):
        cached.cache_clear()


def kernels_label(*kernels: Callable[..., Any] | None) -> str:
    """Return what tells apart kernels that are compiled into others.

    It changes with their names, their sources and their own labels.  It is :data:`TYPED` if one has
    no digest, or is made by a factory without a label.
    """
    parts = []
    for each in kernels:
        if each is None:
            continue
        function, label = getattr(each, "py_func", each), getattr(each, "cache_label", "")
        digest = home_digest(function)
        if not digest or TYPED in label.split() or (function.__closure__ and not label):
            return TYPED
        line = function.__code__.co_firstlineno
        parts.append(f"{function.__module__} {function.__qualname__} {line} {digest} {label}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16] if parts else ""


def package_root(function: Callable[..., Any]) -> Path | None:
    """Return the folder of a function's top-level package; None if it is not in a package."""
    name, file = _module_of(function), _file_of(function)
    if name in _MAIN:  # which does not tell the package
        inside = itertools.takewhile(lambda each: (each / "__init__.py").is_file(), file.parents)
        return next(iter([*inside][::-1]), None)
    depth = name.count(".")
    if depth == 0:
        return None
    return file.parents[depth - (1 if file.name != "__init__.py" else 0)]


def _module_of(function: Callable[..., Any]) -> str:
    """Return the name of a function's module, of ``python -m NAME`` that name."""
    spec = function.__globals__.get("__spec__")
    return function.__module__ if spec is None else str(spec.name)


@functools.cache
def _resolved(filename: str) -> Path:
    return Path(filename).resolve()


def _file_of(function: Callable[..., Any]) -> Path:
    return _resolved(function.__code__.co_filename)


@functools.cache
def _file_digest(file: Path, base: Path, package: Path = PACKAGE, *, beside: bool = False) -> str:
    """Return the digest of the kernels in a file of the folder ``base``.

    With ``beside``, imports are also looked for beside the file, as Python does for a script.
    """
    bases = {base, file.parent} if beside else {base}
    found, waiting = {file}, [file]
    while waiting:
        path = waiting.pop()
        if not _folder_of(path, package):
            new = _imported(path, package.parent, package.name)
            new = new.union(*(_imported(path, folder) for folder in bases))
            new -= {*found, package / "__init__.py"}  # defines no kernel, and imports everything
            found |= new
            waiting += new
    single = {path for path in found if not _folder_of(path, package)}
    single |= {
        path for parent in {path.parent for path in single} for path in parent.glob("*.toml")
    }
    folders = {package / name for name in _SHARED}
    folders |= {folder for path in found if (folder := _folder_of(path, package))}
    digests = [_folder_digest(folder) for folder in sorted(folders)]
    digests.append(_digest((path for path in single if package in path.parents), package))
    digests.append(_digest((path for path in single if package not in path.parents), base))
    return hashlib.sha256(" ".join(digests).encode()).hexdigest()[:16]


@functools.cache
def _folder_of(path: Path, package: Path) -> Path | None:
    """Return the folder that counts as a whole and contains a file: shared, or a game's."""
    games = package / _GAMES
    for folder in (path, *path.parents):
        if folder.parent == games and folder != path:
            return folder
        if folder.parent == package and folder.name in _SHARED:
            return folder
    return None


def _folder(folder: Path) -> list[Path]:
    """Return the files of a folder that count, except those that only draw."""
    return [
        path
        for path in folder.rglob("*")
        if path.suffix in _HASHED
        and "__pycache__" not in path.parts
        and not _PICTURES.fullmatch(path.name)
    ]


@functools.cache
def _folder_digest(folder: Path) -> str:
    """Return the digest of all files of a folder that count."""
    return _digest(_folder(folder), folder.parent)


def _digest(paths: Iterable[Path], base: Path) -> str:
    """Return the digest of files and of their paths below a folder."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(base).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


@functools.cache
def _imported(file: Path, base: Path, top: str = "") -> frozenset[Path]:
    """Return the files below ``base`` that a file imports, and the packages around them.

    With ``top``, only those of this top-level package.  Otherwise other packages are left out where
    ``base`` holds installed ones: they change by installing.
    """
    own = file.relative_to(base).with_suffix("").parts if base in file.parents else ()
    if not top and {"site-packages", "dist-packages"} & set(base.parts):
        top = own[0] if own else file.stem
    names = (name for name in _imported_names(file, own) if name and (not top or name[0] == top))
    return frozenset[Path]().union(*(_files_of(base, name) for name in names))


@functools.cache
def _files_of(base: Path, name: tuple[str, ...]) -> frozenset[Path]:
    """Return the files below ``base`` of a module, and of the packages around it."""
    path = base.joinpath(*name)
    own = [each for each in (path / "__init__.py", path.with_suffix(".py")) if each.is_file()]
    return frozenset(own) | (_files_of(base, name[:-1]) if len(name) > 1 else frozenset())


@functools.cache
def _imported_names(file: Path, own: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """Return what a file imports as dotted names; ``own`` is its own name.

    These are all that look like imports, those in texts too; a file that Python cannot read imports
    nothing.  To parse the files would take as long as to import numpy, at each start of Python.
    """
    content = file.read_bytes()
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = io.TextIOWrapper(io.BytesIO(content), encoding).read().replace("\\\n", " ")
    except (SyntaxError, UnicodeDecodeError):
        return frozenset()
    names: set[tuple[str, ...]] = set()
    for found in _IMPORT.finditer(text):
        modules, level = _listed(found["modules"] or ""), (found["dots"] or "").count(".")
        names |= {tuple(name.split(".")) for name in modules}
        if found["names"] is not None:
            start = own[:-level] if level else ()
            module = (*start, *(found["module"].split(".") if found["module"] else ()))
            names |= {module} | {(*module, name) for name in _listed(found["names"].strip("() "))}
    return frozenset(name for name in names if all(map(_may_be_a_file, name)))


def _listed(text: str) -> list[str]:
    """Return the names in a list like ``a, b.c as d``, over several lines with comments."""
    parts = _COMMENT.sub("", text).split(",")
    return [part.split()[0] for part in parts if part.split()]


def _may_be_a_file(word: str) -> bool:
    return word.isidentifier() and len(word) < _LONGEST
