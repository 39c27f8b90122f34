"""Look for games, calls, files and interruptions that break the package.

Examples::

    python -m experiments.fuzz games --games 1000000              # random games, resumable
    python -m experiments.fuzz games --games 30000 --bot greedy
    python -m experiments.fuzz calls --calls 10000                # bad calls of everything public
    python -m experiments.fuzz files --mutations 20000            # damaged files of every kind
    python -m experiments.fuzz cache --flips 200                  # damaged kernel caches
    python -m experiments.fuzz kill --kills 10                    # commands, killed and resumed

Each kind writes its results to ``runs/fuzz``, and what failed to ``runs/fuzz/failures``: of a game
its actions and its position, of a file the damaged file.  The command ends with 1 if something
failed.
"""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

from tyro.conf import subcommand

from experiments.fuzz import cache, calls, files, games, kill
from sprawl_env.console import run

MODULES: dict[type, Any] = {
    games.Games: games,
    calls.Calls: calls,
    files.Files: files,
    cache.Cache: cache,
    kill.Kill: kill,
}

Kind = (
    Annotated[games.Games, subcommand("games")]
    | Annotated[calls.Calls, subcommand("calls")]
    | Annotated[files.Files, subcommand("files")]
    | Annotated[cache.Cache, subcommand("cache")]
    | Annotated[kill.Kill, subcommand("kill")]
)


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
