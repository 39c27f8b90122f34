"""Run this checkout's commands as a user does, in another folder."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def command(*arguments, cwd, **options):
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
    out, err = process.communicate(timeout=seconds)
    assert process.returncode == code, out + err
    return out, err
