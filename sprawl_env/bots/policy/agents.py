"""Trained agents: folders ``agents/<game>/<name>`` that ship with the package.

An agent's folder holds what a checkpoint's does (``weights.safetensors``, ``checkpoint.json``)
and its card, ``README.md``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import numpy as np

from sprawl_env.bots.policy.checkpoint import (
    DESCRIPTION,
    POLICY,
    WEIGHTS,
    Checkpoint,
    CheckpointError,
    save,
)
from sprawl_env.core.errors import UnknownName
from sprawl_env.core.files import parse_json, read_text
from sprawl_env.core.game import Game

CARD: Final = "README.md"
RANKING: Final = "README.md"  # beside the folders of the games
RANKING_TITLE: Final = "## Ranking"  # names of agents before it are examples
BEST: Final = "best"
_PACKAGE: Final = Path(__file__).resolve().parents[2]
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SEATS: Final = "num_players"


def agents_folder() -> Path:
    """Return the folder of trained agents.

    In an installed wheel it lies inside the package; in a checkout, and so in an editable install,
    it lies beside the package.

    Raises:
        UnknownName: there is no such folder.
    """
    inside, beside = _PACKAGE / "agents", _PACKAGE.parent / "agents"
    if inside.is_dir():
        return inside
    if beside.is_dir() and (_PACKAGE.parent / "pyproject.toml").is_file():
        return beside
    raise UnknownName(f"agents: no folder {str(inside)!r}: install the package again")


def agents_of(game: str) -> dict[str, dict[str, Any]]:
    """Return the agents of a game by name, each with its description (the folder's JSON)."""
    found = {}
    for path in sorted((agents_folder() / game).glob(f"*/{DESCRIPTION}")):
        if (path.parent / WEIGHTS).is_file():
            found[path.parent.name] = _describe(path)
    return found


def _describe(path: Path) -> dict[str, Any]:
    """Return the content of an agent's JSON; empty if it is damaged, which loading reports."""
    try:
        content = parse_json(read_text(path))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _seats(about: dict[str, Any]) -> Any:
    options = about.get("options")
    return options.get(_SEATS) if isinstance(options, dict) else None


def find_agent(name: str, game: Game | None = None) -> Path:
    """Return the folder of a trained agent.

    Args:
        name: ``agent:GAME/NAME``; ``agent:NAME`` where the game is given.  The name ``best`` is the
            first agent for the game and its number of seats in the ranking of ``README.md``.
        game: the game that it will play; None: any.

    Raises:
        UnknownName: there is no such agent, or it is for another game or number of seats; the
            message lists those that fit.
    """
    wanted = name.partition(":")[2]
    of, slash, agent = wanted.rpartition("/")
    if not slash and game is not None:
        of = game.name
    if not NAME.fullmatch(of) or not NAME.fullmatch(agent):
        raise UnknownName(f"bot {name!r}: expected agent:GAME/NAME, e.g. agent:tower_up/quick")
    if game is not None and of != game.name:
        raise UnknownName(f"bot {name!r}: plays {of}, not {game.name}; {_listed(game.name, game)}")
    found = agents_of(of)
    if agent == BEST:
        agent = best_of(of, game)
    if agent not in found:
        fits = game if agent == BEST else None
        raise UnknownName(f"bot {name!r}: no such agent; {_listed(of, fits)}")
    seats = _seats(found[agent])
    if game is not None and seats is not None and seats != game.num_seats:
        raise UnknownName(
            f"bot {name!r}: is for {_SEATS}={seats}, not {game.num_seats}; {_listed(of, game)}"
        )
    return agents_folder() / of / agent


def best_of(of: str, game: Game | None = None) -> str:
    """Return the name of a game's first agent in the ranking; ``best`` if there is none.

    Args:
        of: the name of the game.
        game: the game that it will play, which decides the number of seats; None: any.
    """
    found = agents_of(of)
    try:
        ranking = read_text(agents_folder() / RANKING).rpartition(RANKING_TITLE)[2]
    except OSError:
        return BEST
    for name in re.findall(rf"`agent:{of}/({NAME.pattern})`", ranking):
        if name in found and (game is None or _seats(found[name]) == game.num_seats):
            return str(name)
    return BEST


def _listed(name: str, game: Game | None = None) -> str:
    """Return a sentence about the agents of a game: all, or those for its number of seats."""
    fitting = [
        f"agent:{name}/{agent}"
        for agent, about in agents_of(name).items()
        if game is None or _seats(about) == game.num_seats
    ]
    what = name if game is None else f"{name} with {_SEATS}={game.num_seats}"
    return f"agents of {what}: {', '.join(fitting) or 'none'}"


def export_agent(checkpoint: Checkpoint, folder: Path, card: str) -> Path:
    """Write an agent's folder from a checkpoint, whole or not at all, and return it.

    Only the policy's tensors are stored, as float32; the optimizer's are left out.  The
    description keeps the versions, machine and commit of the training.

    Args:
        checkpoint: of the run.
        folder: ``agents/<game>/<name>``; an existing folder is replaced.
        card: the text of the card.

    Raises:
        CheckpointError: the checkpoint holds no policy.
        OSError: the folder cannot be written.
    """
    tensors = {
        name: np.asarray(array, np.float32)
        for name, array in checkpoint.tensors.items()
        if name.startswith(POLICY)
    }
    if not tensors:
        raise CheckpointError(f"checkpoint {str(checkpoint.path)!r}: {WEIGHTS} holds no policy")
    return save(folder, tensors, checkpoint.about, {CARD: card})
