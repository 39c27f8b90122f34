"""Look for games, calls, files and interruptions that break the package.

Examples::

    python -m experiments.fuzz --games 1000000                  # random games, resumable
    python -m experiments.fuzz --games 30000 --bot greedy

A game per process and core is played at a time.  Results are written to ``runs/fuzz``: a line for
every thousand games, and under ``failures`` the actions and the position of every game that failed.
The command ends with 1 if something failed.
"""

from experiments.fuzz.games import Games, fuzz
from sprawl_env.console import run


def main(config: Games) -> None:
    """Run the command."""
    if fuzz(config):
        raise SystemExit(1)


if __name__ == "__main__":
    run(main, Games)
