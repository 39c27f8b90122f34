"""All kernels: their arguments have names.  Ruff counts arguments and nested blocks."""

import ast
from pathlib import Path

import pytest

from sprawl_env.kernels.sources import PACKAGE

FOLDERS = [PACKAGE, PACKAGE.parent / "experiments", PACKAGE.parent / "examples"]
FILES = sorted(path for folder in FOLDERS for path in folder.rglob("*.py"))


def starred(source):
    """Return the kernels of a file that take or pass ``*args`` or ``**kws``."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        decorators = getattr(node, "decorator_list", [])
        if not any("kernel" in ast.unparse(each).split("(")[0].split(".") for each in decorators):
            continue
        passes = any(
            isinstance(each, ast.Starred) or (isinstance(each, ast.keyword) and each.arg is None)
            for call in ast.walk(node)
            if isinstance(call, ast.Call)
            for each in (*call.args, *call.keywords)
        )
        if node.args.vararg or node.args.kwarg or passes:
            found.add(node.name)
    return found


def test_the_package_has_kernels():
    assert sum("@kernel" in path.read_text() for path in FILES) > 40


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: path.relative_to(PACKAGE.parent).as_posix()
)
def test_no_kernel_takes_or_passes_unnamed_arguments(path):
    assert starred(Path(path).read_text()) == set()


def test_they_are_found():
    source = "@kernel\ndef a(*args): pass\n@kernel(label='')\ndef b(t): a(*t)\ndef c(*args): pass\n"
    assert starred(source + "@kernel\ndef d(t): a(t)\n") == {"a", "b"}
