"""Fit what an agent expects of the victory to games that it plays against itself.

    python -m experiments.outcomes agents/urban_sprawl/ppo-2h runs/fitted
    sprawl-env evaluate --game urban_sprawl --bots search:agent=checkpoint:runs/fitted planner

Searches with the agent become stronger if its value head says less of the winner than the network
knows, as after long games (:mod:`sprawl_env.learning.outcomes`).  The policy stays as it is.
``experiments.export`` does the same for a run's agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg

from sprawl_env.bots.policy.agents import CARD
from sprawl_env.bots.policy.checkpoint import (
    POLICY,
    Checkpoint,
    check_replaceable,
    load,
    save,
)
from sprawl_env.bots.policy.player import game_of
from sprawl_env.console import count_bar, run, say
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.files import read_text
from sprawl_env.core.game import Game
from sprawl_env.learning.outcomes import FITTED, GAMES, with_outcomes


@dataclass(frozen=True)
class Config:
    """Fit what an agent expects of the victory to games that it plays against itself."""

    checkpoint: Annotated[
        Positional[Path], arg(help="folder of an agent, a checkpoint or a run", metavar="AGENT")
    ]
    out: Annotated[
        Positional[Path], arg(help="folder to write, which may be the agent's", metavar="OUT")
    ]
    game: str = ""
    """module:RULES of a game of your own (default: the game that the checkpoint names)"""
    games: int = GAMES
    """games that it plays against itself"""
    seed: int = 0
    """seed of the deals and of its actions"""


def fitted(checkpoint: Checkpoint, game: Game, games: int, seed: int = 0) -> Checkpoint:
    """Return a checkpoint with a fitted head, and say how well it foresees; with a progress bar.

    Raises:
        SprawlError: as :func:`sprawl_env.learning.outcomes.with_outcomes`.
    """
    with count_bar() as bar:
        task = bar.add_task("games against itself", total=games)
        found = with_outcomes(checkpoint, game, games, seed, lambda n: bar.advance(task, n))
    how_well: Any = found.about.get(FITTED) if found is not checkpoint else None
    if not bar.tasks[task].completed:
        say("its values are victories themselves: there is nothing to fit")
    elif how_well is None:
        say("the fitted win probabilities are no better than before: nothing is changed")
    else:
        say(
            f"cross-entropy of the victory in games that were not fitted to: "
            f"{how_well['before']:.4f} before, {how_well['after']:.4f} after"
        )
    return found


def write(config: Config) -> None:
    """Write the folder.

    Raises:
        SprawlError: the checkpoint is damaged, or a search cannot use its values.
    """
    checkpoint = load(config.checkpoint)
    check_replaceable(config.out)
    found = fitted(checkpoint, game_of(checkpoint, config.game), config.games, config.seed)
    tensors = {name: each for name, each in found.tensors.items() if name.startswith(POLICY)}
    card = checkpoint.path / CARD
    try:
        files = {CARD: read_text(card)} if card.exists() else {}
        folder = save(config.out, tensors, found.about, files)
    except OSError as error:
        raise InvalidOption(f"out={str(config.out)!r}: {error.strerror}") from None
    say(f"written: {folder}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line, by default that of this process."""
    run(write, Config, arguments=arguments, prog="python -m experiments.outcomes")


if __name__ == "__main__":
    main()
