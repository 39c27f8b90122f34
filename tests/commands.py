"""Run this checkout's commands: in this process, or as a user does in another folder."""

import os
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

import sprawl_env.__main__
from experiments.records import alone
from sprawl_env.core.errors import InvalidOption

ROOT = Path(__file__).parents[1]


def call(capsys, *arguments, main=sprawl_env.__main__.main, code=0):
    """Run a command line in this process; return what it printed."""
    if code:
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in arguments])
        assert left.value.code == code
    else:
        main([str(word) for word in arguments])
    return capsys.readouterr()


def refused(capsys, *arguments, main=sprawl_env.__main__.main):
    """Run a command line that is bad input; return its one line."""
    out, err = call(capsys, *arguments, main=main, code=2)
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    return err


def command(*arguments, cwd, **options):
    """Start ``python -m`` with some arguments."""
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", *arguments],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200", "PYTHONPATH": str(ROOT)},
        **options,
    )


def finish(process, code=0, seconds=300):
    """Wait for a process; return what it printed."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    assert process.returncode == code, out + err
    return out, err


def run_code(code, cwd=None, **environment):
    """Run a program in a process that says when kernels are compiled.

    Returns:
        What it printed, to stdout and stderr.
    """
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        cwd=cwd,
        env={**os.environ, "SPRAWL_ENV_QUIET": "0", **environment},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def without(*libraries):
    """Return finders of modules that do not find some libraries."""

    class Finder(PathFinder):
        @classmethod
        def find_spec(cls, name, path=None, target=None):
            if name.partition(".")[0] in libraries:
                return None
            return PathFinder.find_spec(name, path, target)

    is_path = [isinstance(f, type) and issubclass(f, PathFinder) for f in sys.meta_path]
    return [Finder if path else f for path, f in zip(is_path, sys.meta_path, strict=True)]


def hide(monkeypatch, *libraries):
    """Make libraries look as if they were not installed."""
    monkeypatch.setattr(sys, "meta_path", without(*libraries))
    for name in [name for name in sys.modules if name.partition(".")[0] in libraries]:
        monkeypatch.delitem(sys.modules, name)


def refused_beside_another(main, config):
    """Check that a command that measures writes nothing where another one does."""
    says = "another command is writing to it"
    with alone(config.out), pytest.raises(InvalidOption, match=says):
        main(config)
    assert [path.name for path in config.out.iterdir()] == [".lock"]
