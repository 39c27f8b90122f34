"""Train a policy by self-play, then measure it.

    python -m experiments.train --preset quick            # at most 5 minutes on 2 cores
    python -m experiments.train --preset full --seed 3
    python -m experiments.train --resume runs/tower_up-full-3
    python -m experiments.train --game ginkgopolis --num-players 1   # solo, against the automaton

``sprawl_env.train`` does the same from Python.
"""

from __future__ import annotations

from collections.abc import Sequence

from sprawl_env.console import run
from sprawl_env.learning.config import PRESETS, Config, read_config
from sprawl_env.learning.runs import check_kept
from sprawl_env.learning.train import train


def _train(config: Config) -> None:
    if config.resume is not None:
        check_kept(config.resume, vars(config), read_config(config.resume))
    train(**vars(config))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line, by default that of this process."""
    run(
        _train,
        Config,
        PRESETS,
        resumed=read_config,
        arguments=arguments,
        prog="python -m experiments.train",
    )


if __name__ == "__main__":
    main()
