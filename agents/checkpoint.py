"""Checkpoints: a folder with the weights as safetensors and one JSON that says what they are.

Loading never unpickles or runs anything, and refuses what does not fit with one clear line.  A
checkpoint appears whole or not at all: it is written under another name, then renamed.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
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
ILLEGAL_LOGIT: Final = -1e9  # of what may not be done
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


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8, that appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    _write(temporary, content.encode() if isinstance(content, str) else content)
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
        name = f"{checkpoint.path.parent.parent.name}/{checkpoint.path.name}"
        self._start(name, load_network(checkpoint, game), seed, sample)

    @classmethod
    def from_network(
        cls, name: str, network: Any, seed: int = 0, *, sample: bool = True
    ) -> CheckpointAgent:
        """Return an agent for a network in memory, e.g. one still in training; it is copied."""
        agent = cls.__new__(cls)
        agent._start(name, copy.deepcopy(network), seed, sample)
        return agent

    def _start(self, name: str, network: Any, seed: int, sample: bool) -> None:
        self.name = name
        self._network = network.eval()
        self._sample = sample
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start the samples anew."""
        self._rng = np.random.default_rng(seed)

    def act(
        self, observations: Floats | None, masks: Mask, states: Games | None
    ) -> npt.NDArray[np.int64]:
        """Choose by the policy; needs ``observations``."""
        if observations is None:
            raise ValueError(f"{self.name}: act() needs the observations")
        logits = self._network.logits_of(observations)
        if self._sample:  # the largest of logit + Gumbel noise is a draw from the policy
            logits += self._rng.gumbel(size=logits.shape).astype(np.float32)
        logits[masks == 0] = ILLEGAL_LOGIT
        return np.asarray(logits.argmax(axis=1), np.int64)


def load_network(checkpoint: Checkpoint, game: Game) -> Any:
    """Return a checkpoint's network (an ``agents.networks.EntityNet``).

    Raises:
        CheckpointError: its tensors are not those of such a network.
    """
    import torch  # noqa: PLC0415 - only agents that are networks need torch

    from agents.networks import network_for  # noqa: PLC0415

    where = f"checkpoint {str(checkpoint.path)!r}"
    shape = checkpoint.about.get("network")
    if not isinstance(shape, dict) or not all(
        isinstance(shape.get(key), int) and 1 <= shape[key] <= MOST_WIDTH for key in SHAPE
    ):
        raise CheckpointError(
            f"{where}: {DESCRIPTION}: expected 'network' with {' and '.join(SHAPE)}, whole numbers "
            f"1..{MOST_WIDTH}"
        )
    network = network_for(game, **{key: shape[key] for key in SHAPE})
    weights = {
        name.removeprefix(NET): torch.from_numpy(array)
        for name, array in checkpoint.tensors.items()
        if name.startswith(NET)
    }
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        reason = " ".join(str(error).split())[:200]
        raise CheckpointError(f"{where}: {WEIGHTS} does not hold this network: {reason}") from None
    return network


def load_values(checkpoint: Checkpoint, game: Game) -> Callable[[Floats], Floats]:
    """Return the function by which a checkpoint's policy values positions.

    It takes float32 ``[n, observation_size]``, each as the seat to play sees it, and returns
    float32 ``[n]``: the discounted reward that seat is still to earn, in units of the reward it was
    trained with (points for ``lead``), whatever the scale.

    Raises:
        CheckpointError: it does not hold such a network, or does not say the scale of its rewards.
    """
    import torch  # noqa: PLC0415 - only agents that are networks need torch

    network = load_network(checkpoint, game).eval()
    config = checkpoint.about.get("config")
    scale = config.get("reward_scale") if isinstance(config, dict) else None
    if not isinstance(scale, float | int) or scale <= 0:
        raise CheckpointError(
            f"checkpoint {str(checkpoint.path)!r}: {DESCRIPTION}: expected 'config' with "
            f"reward_scale, a number more than 0"
        )
    weight, bias = (checkpoint.tensors.get(f"{VALUE}{name}") for name in ("weight", "bias"))
    if weight is None or bias is None or weight.shape != (1, network.latent_dim_vf):
        raise CheckpointError(
            f"checkpoint {str(checkpoint.path)!r}: {WEIGHTS} does not hold what values positions"
        )

    def values(observations: Floats) -> Floats:
        with torch.inference_mode():
            summary = network(torch.from_numpy(observations))[1].numpy()
        found: Floats = (summary @ weight[0] + bias[0]) / np.float32(scale)
        return found

    return values
