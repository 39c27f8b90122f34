"""The command line: ``sprawl-env COMMAND`` or ``python -m sprawl_env COMMAND``."""

from __future__ import annotations

import sys

from sprawl_env.commands import data, warmup


def main() -> int:
    """Run a command; returns the exit code."""
    command = sys.argv.pop(1)
    return {"warmup": warmup.main, "data": data.main}[command]()


if __name__ == "__main__":
    sys.exit(main())
