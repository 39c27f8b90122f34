"""Checkpoints: a folder with the weights as safetensors and one JSON that says what they are.

Loading never unpickles or runs anything, and refuses what does not fit with one clear line.  A
checkpoint appears whole or not at all: it is written under another name, then renamed.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env.core.errors import SprawlError
from sprawl_env.core.game import Floats, Game, Games, Mask

Array = npt.NDArray[Any]

FORMAT: Final = 1
WEIGHTS: Final = "weights.safetensors"
DESCRIPTION: Final = "checkpoint.json"
PREFIX: Final = "step-"
_LIBRARIES: Final = ("sprawl-env", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
_ILLEGAL: Final = np.float32(-1e9)


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


def surroundings() -> dict[str, Any]:
    """Return versions, machine and commit, as written beside every result."""
    versions = {"python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            continue
    return {"versions": versions, "machine": platform.machine(), "commit": commit()}


def commit() -> str | None:
    """Return the commit of the checkout this file lies in, None outside of one."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def save(folder: Path, tensors: Mapping[str, Array], about: Mapping[str, Any]) -> Path:
    """Write a checkpoint as ``folder``, atomically; ``about["step"]`` is required."""
    from safetensors.numpy import save as to_bytes  # noqa: PLC0415 - only the train extra has it

    weights = to_bytes({name: np.ascontiguousarray(array) for name, array in tensors.items()})
    described = {
        "format": FORMAT,
        **about,
        "sha256": hashlib.sha256(weights).hexdigest(),
        **surroundings(),
    }
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".writing-", dir=folder.parent))
    try:
        temporary.chmod(0o755)
        _write(temporary / WEIGHTS, weights)
        _write(temporary / DESCRIPTION, json.dumps(described, indent=1).encode())
        if folder.exists():
            shutil.rmtree(folder)
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def _write(path: Path, content: bytes) -> None:
    """Write and make sure it is on disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_atomically(path: Path, content: str) -> None:
    """Write a text file that appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    _write(temporary, content.encode())
    temporary.replace(path)


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
    theirs = about.get("options") or {}
    if about.get("game") != game.name:
        raise CheckpointError(f"{where}: is for game {about.get('game')!r}, not {game.name!r}")
    if not isinstance(theirs, dict) or theirs.get(seats) != game.options[seats]:
        raise CheckpointError(
            f"{where}: is for num_players={theirs.get(seats)}, not {game.options[seats]}"
        )
    for key in ("layout", "observation_size", "num_actions"):
        if about.get(key) != mine[key]:
            raise CheckpointError(
                f"{where}: was trained with {key} {about.get(key)}, this version of "
                f"{game.name} has {mine[key]}; train again or use the version in its JSON"
            )


class PolicyNet:
    """A policy's network in numpy: rectified layers, then one logit an action."""

    def __init__(self, layers: list[tuple[Floats, Floats]]) -> None:
        self._layers = [(np.ascontiguousarray(w.T), b) for w, b in layers]

    def logits(self, observations: Floats) -> Floats:
        """Return float32 ``[n, num_actions]``."""
        x = observations
        for weight, bias in self._layers[:-1]:
            x = x @ weight
            x += bias
            np.maximum(x, 0, out=x)
        weight, bias = self._layers[-1]
        return np.asarray(x @ weight + bias, np.float32)


def policy_layers(
    tensors: Mapping[str, Array], where: str = "checkpoint"
) -> list[tuple[Floats, Floats]]:
    """Return the policy's layers, in order, from the names Stable-Baselines3 gives them.

    Raises:
        CheckpointError: the tensors are not those of such a network.
    """
    hidden = sorted(
        (name for name in tensors if name.startswith("policy.mlp_extractor.policy_net.")),
        key=lambda name: int(name.split(".")[3]) if name.split(".")[3].isdigit() else -1,
    )
    stems = [name.removesuffix(".weight") for name in hidden if name.endswith(".weight")]
    stems.append("policy.action_net")
    layers = []
    width: int | None = None
    for stem in stems:
        weight, bias = tensors.get(f"{stem}.weight"), tensors.get(f"{stem}.bias")
        fits = (
            weight is not None
            and bias is not None
            and weight.dtype == bias.dtype == np.float32
            and weight.ndim == 2  # noqa: PLR2004 - a matrix
            and bias.shape == weight.shape[:1]
            and (width is None or weight.shape[1] == width)
        )
        if not fits or weight is None or bias is None:
            raise CheckpointError(f"{where}: expected float32 layers {stem}.weight and .bias")
        width = int(weight.shape[0])
        layers.append((weight, bias))
    return layers


class CheckpointAgent:
    """Plays a checkpoint's policy: the likeliest legal action, or a sample.

    Args:
        path: a checkpoint's folder or a run's.
        game: the game it will play.
        seed: of its samples.
        sample: draw from the policy instead of taking its likeliest action.
    """

    needs_observations = True
    needs_states = False

    def __init__(self, path: Path, game: Game, seed: int = 0, *, sample: bool = False) -> None:
        checkpoint = load(path, game)
        where = f"checkpoint {str(checkpoint.path)!r}"
        layers = policy_layers(checkpoint.tensors, where)
        shape = (layers[0][0].shape[1], layers[-1][0].shape[0])
        if shape != (game.observation_size, game.num_actions):
            raise CheckpointError(
                f"{where}: its network maps {shape[0]} numbers to {shape[1]} actions, expected "
                f"{game.observation_size} and {game.num_actions}"
            )
        self._start(f"{checkpoint.path.parent.parent.name}/{checkpoint.path.name}", layers, sample)
        self.seed(seed)

    @classmethod
    def from_layers(
        cls, name: str, layers: list[tuple[Floats, Floats]], seed: int = 0, *, sample: bool = True
    ) -> CheckpointAgent:
        """Return an agent for weights in memory."""
        agent = cls.__new__(cls)
        agent._start(name, layers, sample)
        agent.seed(seed)
        return agent

    def _start(self, name: str, layers: list[tuple[Floats, Floats]], sample: bool) -> None:
        self.name = name
        self._net = PolicyNet(layers)
        self._sample = sample

    def seed(self, seed: int) -> None:
        """Start the samples anew."""
        self._rng = np.random.default_rng(seed)

    def act(
        self, observations: Floats | None, masks: Mask, states: Games | None
    ) -> npt.NDArray[np.int64]:
        """Choose by the policy; needs ``observations``."""
        if observations is None:
            raise ValueError(f"{self.name}: act() needs the observations")
        logits = self._net.logits(observations)
        if self._sample:  # the largest of logit + Gumbel noise is a draw from the policy
            logits += self._rng.gumbel(size=logits.shape).astype(np.float32)
        logits[masks == 0] = _ILLEGAL
        return np.asarray(logits.argmax(axis=1), np.int64)
