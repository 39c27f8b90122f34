"""Look for games, calls, files and interruptions that break the package.

Examples::

    python -m experiments.fuzz games --games 1000000              # random games, resumable
    python -m experiments.fuzz games --games 30000 --bot greedy
    python -m experiments.fuzz calls --calls 5000                 # bad calls of all that is public

Each kind writes its results to ``runs/fuzz``, and what failed to ``runs/fuzz/failures``: of a game
its actions and its position.  The command ends with 1 if something failed.
"""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

from tyro.conf import subcommand

from experiments.fuzz import calls, games
from sprawl_env.console import run

MODULES: dict[type, Any] = {
    calls.Calls: calls,
    games.Games: games,
}

Kind = Annotated[calls.Calls, subcommand("calls")] | Annotated[games.Games, subcommand("games")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of this process; return the exit code."""
    failures = []
    kind: Any = Kind
    run(
        lambda config: failures.append(MODULES[type(config)].fuzz(config)),
        kind,
        arguments=arguments,
        prog="python -m experiments.fuzz",
    )
    return int(any(failures))


if __name__ == "__main__":
    sys.exit(main())
