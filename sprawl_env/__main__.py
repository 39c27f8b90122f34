"""The command line: ``sprawl-env COMMAND`` or ``python -m sprawl_env COMMAND``."""

from __future__ import annotations

import sys

from sprawl_env.commands import data, warmup
from sprawl_env.console import run


def main() -> int:
    """Run a command; returns the exit code."""
    module = {"warmup": warmup, "data": data}[sys.argv.pop(1)]
    run(module.main, module.Config)
    return 0


if __name__ == "__main__":
    sys.exit(main())
