"""Checkpoints."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.errors import SprawlError
from sprawl_env.core.files import write_durably
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance

Array = npt.NDArray[Any]
FORMAT: Final = 1
WEIGHTS: Final = "weights.safetensors"
DESCRIPTION: Final = "checkpoint.json"
PREFIX: Final = "step-"
ILLEGAL_LOGIT: Final = -1e9  # of an illegal action
SHAPE: Final = ("width", "trunk")  # what a network's size is made of
MOST_WIDTH: Final = 4096


class CheckpointError(SprawlError):
    """A checkpoint that is missing, damaged, or not for this game."""


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint folder holds.

    Attributes:
        path: the folder.
        about: the JSON: game, options, layout, num_actions, step, seed, config, versions, commit.
        tensors: every array by name.
    """

    path: Path
    about: dict[str, Any]
    tensors: dict[str, Array]

    @property
    def step(self) -> int:
        """Learner decisions made when it was written."""
        return int(self.about["step"])


def describe_game(game: Game) -> dict[str, Any]:
    """Return what ties weights to a game: name, options, layout and number of actions."""
    return {
        "game": game.name,
        "options": game.options,
        "layout": game.observation_layout.digest(),
        "observation_size": game.observation_size,
        "num_actions": game.num_actions,
    }


def save(folder: Path, tensors: Mapping[str, Array], about: Mapping[str, Any]) -> Path:
    """Write a checkpoint, whole or not at all, and return its folder.

    Args:
        folder: where; one that is there is replaced.
        tensors: arrays by name, of any shape.
        about: for the JSON: what :func:`describe_game` returns, ``step`` (learner decisions so
            far), and for a policy that is to play ``network`` (its size).

    Raises:
        OSError: the disk is full or cannot be written.
    """
    from safetensors.numpy import save as to_bytes  # noqa: PLC0415 - only the train extra has it

    weights = to_bytes({name: np.ascontiguousarray(array) for name, array in tensors.items()})
    described = {
        "format": FORMAT,
        **about,
        "sha256": hashlib.sha256(weights).hexdigest(),
        **provenance(),
    }
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".writing-", dir=folder.parent))
    try:
        temporary.chmod(0o755)
        write_durably(temporary / WEIGHTS, weights)
        write_durably(temporary / DESCRIPTION, json.dumps(described, indent=1).encode())
        if folder.exists():
            shutil.rmtree(folder)
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def find(path: Path) -> Path:
    """Return the checkpoint folder meant by ``path``: itself, or the newest of a run.

    Raises:
        CheckpointError: there is none.
    """
    if not path.is_dir():
        raise CheckpointError(f"checkpoint {str(path)!r}: no such folder")
    if (path / DESCRIPTION).exists() or (path / WEIGHTS).exists():
        return path
    for folder in (path / "checkpoints", path):
        found = sorted(p for p in folder.glob(f"{PREFIX}*") if p.is_dir())
        if found:
            return found[-1]
    raise CheckpointError(
        f"checkpoint {str(path)!r}: expected a folder with {DESCRIPTION} and {WEIGHTS}, or a run "
        f"with such folders"
    )


def load(path: Path, game: Game | None = None) -> Checkpoint:
    """Read a checkpoint, and check it against a game if one is given.

    Raises:
        CheckpointError: missing, damaged, or for another game, option or layout.
    """
    from safetensors import SafetensorError  # noqa: PLC0415 - only the train extra has it
    from safetensors.numpy import load as from_bytes  # noqa: PLC0415

    folder = find(path)
    where = f"checkpoint {str(folder)!r}"
    try:
        about = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        weights = (folder / WEIGHTS).read_bytes()
    except OSError as error:
        missing = Path(error.filename or "").name
        raise CheckpointError(f"{where}: cannot read {missing}: {error.strerror}") from None
    except ValueError:
        raise CheckpointError(f"{where}: {DESCRIPTION} is not JSON text") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise CheckpointError(f"{where}: {DESCRIPTION}: expected format {FORMAT}")
    if about.get("sha256") != hashlib.sha256(weights).hexdigest():
        raise CheckpointError(
            f"{where}: {WEIGHTS} is not the file that was written (its SHA-256 differs from that "
            f"in {DESCRIPTION}); copy the checkpoint again"
        )
    try:
        tensors = from_bytes(weights)
    except SafetensorError as error:
        raise CheckpointError(f"{where}: {WEIGHTS} is no safetensors file: {error}") from None
    if not isinstance(about.get("step"), int):
        raise CheckpointError(f"{where}: {DESCRIPTION}: expected a whole number as 'step'")
    if game is not None:
        _check_game(where, about, game)
    return Checkpoint(folder, about, tensors)


def _check_game(where: str, about: Mapping[str, Any], game: Game) -> None:
    """Refuse weights of another game, seat count or layout; other options may differ."""
    mine = describe_game(game)
    seats = "num_players"
    options = about.get("options")
    theirs = options if isinstance(options, dict) else {}
    if about.get("game") != game.name:
        raise CheckpointError(f"{where}: is for game {about.get('game')!r}, not {game.name!r}")
    if theirs.get(seats) != game.options[seats]:
        raise CheckpointError(
            f"{where}: is for num_players={theirs.get(seats)}, not {game.options[seats]}"
        )
    for key in ("layout", "observation_size", "num_actions"):
        if about.get(key) != mine[key]:
            raise CheckpointError(
                f"{where}: was trained with {key} {about.get(key)}, this version of "
                f"{game.name} has {mine[key]}; train again or use the version in its JSON"
            )


NET: Final = "policy.mlp_extractor."  # where Stable-Baselines3 keeps the network
VALUE: Final = "policy.value_net."  # and what values its summary
