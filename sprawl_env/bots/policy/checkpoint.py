"""Checkpoints: a folder with weights as safetensors and one JSON that describes them."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import safetensors
import safetensors.numpy

from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import as_array
from sprawl_env.core.errors import OtherOptions, SprawlError, printable, short, shortened
from sprawl_env.core.files import (
    HOST,
    exchange,
    is_running,
    parse_json,
    read_bytes,
    read_text,
    write_durably,
)
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import provenance

Array = npt.NDArray[Any]
FORMAT: Final = 1
WEIGHTS: Final = "weights.safetensors"
DESCRIPTION: Final = "checkpoint.json"
PREFIX: Final = "step-"  # of the folders of a run's checkpoints; the step follows
_NUMBERED: Final = re.compile(f"{PREFIX}[0-9]+")
ILLEGAL_LOGIT: Final = -1e9  # of an illegal action
SHAPE: Final = ("width", "trunk")  # the numbers that give a network's size
LARGEST_NUMBER: Final = 8  # bytes
MOST_WIDTH: Final = 4096
MOST_STEPS: Final = 10**15  # decisions learned from
_WRITING: Final = f".writing-{HOST}-"  # before the process's id: folders that are being written
POLICY: Final = "policy."  # prefix of the policy's tensors; the others are the optimizer's
OPTIMIZER: Final = re.compile(r"optimizer\.([0-9]{1,6})\.(step|exp_avg|exp_avg_sq)")
NET: Final = "policy.mlp_extractor."  # prefix of the network, as Stable-Baselines3 names it
VALUE: Final = "policy.value_net."  # prefix of the value head
SHARES: Final = "policy.share_net."  # of the head of the sides' shares of the victory


class CheckpointError(SprawlError):
    """A checkpoint that is missing, damaged, or not for this game."""


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint folder holds.

    Attributes:
        path: the folder.
        about: the JSON: game, options, layout, num_actions, step, seed, config, versions, commit;
            variants, if it was trained with several sets of options.
        tensors: every array by name.
    """

    path: Path
    about: dict[str, Any]
    tensors: dict[str, Array]

    @property
    def step(self) -> int:
        """Decisions learned from when it was written."""
        return int(self.about["step"])


@checked
def describe_game(game: Game) -> dict[str, Any]:
    """Return what weights must match: game, options, observation layout, number of actions.

    The options of a game that was made by :meth:`~sprawl_env.core.game.Game.mixed` are its own
    options, and under ``"variants"`` all sets that it accepts.
    """
    variants = {"variants": [dict(each) for each in game.accepted]} if game.is_mixed else {}
    return {
        "game": game.name,
        "options": dict(game.options),
        **variants,
        "layout": game.observation_layout.digest(),
        "observation_size": game.observation_size,
        "num_actions": game.num_actions,
    }


@checked
def save(
    folder: Path,
    tensors: Mapping[str, Array],
    about: Mapping[str, Any],
    files: Mapping[str, str | bytes] | None = None,
) -> Path:
    """Write a checkpoint that :func:`load` reads, whole or not at all, and return its folder.

    What killed processes left of checkpoints beside it is deleted.

    Args:
        folder: where; an existing folder is replaced, on Linux in one step.
        tensors: arrays of finite floats by name, of any shape.
        about: the content of the JSON: what :func:`describe_game` returns, ``step`` (learner
            decisions so far), and ``network`` (its size) for a policy that can play.  Versions,
            machine and commit are those of this process unless given.
        files: further files by name, with their text or bytes.

    Raises:
        CheckpointError: the folder holds something else, a tensor is no array of finite floats, a
            file is neither text nor bytes, or ``about`` is not JSON or does not say the step.
        OSError: the disk is full or cannot be written.
    """
    where = f"checkpoint {str(folder)!r}"
    arrays = {name: as_array(array) for name, array in tensors.items()}
    _check_numbers(f"{where}: tensors", arrays)
    for name, content in (files or {}).items():
        if not isinstance(content, str | bytes):
            raise CheckpointError(
                f"{where}: files: {short(name)}: expected text or bytes, got {short(content)}"
            )
        if Path(name).name != name or name in {WEIGHTS, DESCRIPTION}:
            raise CheckpointError(
                f"{where}: files: expected names without a folder, other than {WEIGHTS} and "
                f"{DESCRIPTION}, got {short(name)}"
            )
    weights = safetensors.numpy.save(
        {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    )
    described = {
        **provenance(),
        **about,
        "format": FORMAT,
        "sha256": hashlib.sha256(weights).hexdigest(),
    }
    try:
        description = json.dumps(described, indent=1).encode()
        stored = parse_json(description)
    except (TypeError, ValueError, RecursionError):
        raise CheckpointError(f"{where}: about: expected values that JSON can hold") from None
    _check_steps(f"{where}: about", stored)
    check_replaceable(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    remove_unfinished(folder.parent)
    temporary = Path(tempfile.mkdtemp(prefix=f"{_WRITING}{os.getpid()}-", dir=folder.parent))
    try:
        temporary.chmod(0o755)
        write_durably(temporary / WEIGHTS, weights)
        write_durably(temporary / DESCRIPTION, description)
        for name, content in (files or {}).items():
            whole = content.encode() if isinstance(content, str) else content
            write_durably(temporary / name, whole)
        if not folder.exists():
            temporary.replace(folder)
        elif not exchange(temporary, folder):
            shutil.rmtree(folder)
            temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def check_replaceable(folder: Path) -> None:
    """Check that a checkpoint may be written to a folder: only a checkpoint is replaced.

    Raises:
        CheckpointError: something else is there.
    """
    if not os.path.lexists(folder):
        return
    own = folder.is_dir() and not folder.is_symlink() and bool(folder.name)
    if not own or (not (folder / DESCRIPTION).exists() and any(folder.iterdir())):
        raise CheckpointError(
            f"checkpoint {str(folder)!r}: expected a new folder or a checkpoint's"
        )


def remove_unfinished(parent: Path) -> None:
    """Delete the checkpoints that processes of this machine which no longer run were writing."""
    for path in parent.glob(f"{_WRITING}*"):
        number = path.name.removeprefix(_WRITING).partition("-")[0]
        if number.isdecimal() and not is_running(int(number)):
            shutil.rmtree(path, ignore_errors=True)


def step_name(step: int) -> str:
    """Return the name of the folder of a run's checkpoint."""
    return f"{PREFIX}{step:010d}"


def checkpoints_in(folder: Path) -> list[Path]:
    """Return what has the name of a checkpoint of a run in a folder, in the order of the steps.

    The order of the names as text is another one from 10**10 decisions on.
    """
    found = [path for path in folder.glob(f"{PREFIX}*") if _NUMBERED.fullmatch(path.name)]
    return sorted(found, key=lambda path: (step_of(path), path.name))


def step_of(path: Path) -> int:
    """Return the step in the name of the folder of a run's checkpoint."""
    return int(path.name.removeprefix(PREFIX))


@checked
def find(path: Path) -> Path:
    """Return the checkpoint folder at ``path``: the path itself, or the newest one of a run.

    Raises:
        CheckpointError: there is no checkpoint.
    """
    if not path.is_dir():
        raise CheckpointError(f"checkpoint {str(path)!r}: no such folder")
    if (path / DESCRIPTION).exists() or (path / WEIGHTS).exists():
        return path
    for folder in (path / "checkpoints", path):
        found = [each for each in checkpoints_in(folder) if each.is_dir()]
        if found:
            return found[-1]
    raise CheckpointError(
        f"checkpoint {str(path)!r}: expected a folder with {DESCRIPTION} and {WEIGHTS}, or a run "
        f"with such folders"
    )


@checked
def load(path: Path, game: Game | None = None) -> Checkpoint:
    """Read a checkpoint, and check it against a game if one is given.

    Raises:
        CheckpointError: missing, damaged, or for another game, number of seats or layout.
    """
    folder = find(path)
    where = f"checkpoint {str(folder)!r}"
    try:
        about = parse_json(read_text(folder / DESCRIPTION))
        weights = read_bytes(folder / WEIGHTS)
    except OSError as error:
        missing = Path(error.filename or "").name
        raise CheckpointError(f"{where}: cannot read {missing}: {error.strerror}") from None
    except ValueError:
        raise CheckpointError(f"{where}: {DESCRIPTION} is not JSON text") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise CheckpointError(f"{where}: {DESCRIPTION}: expected format {FORMAT}")
    if about.get("sha256") != hashlib.sha256(weights).hexdigest():
        raise CheckpointError(
            f"{where}: {WEIGHTS} is damaged: its SHA-256 differs from the one in {DESCRIPTION}: "
            f"copy the checkpoint again"
        )
    try:
        tensors = safetensors.numpy.load(weights)
    except (safetensors.SafetensorError, KeyError) as error:  # KeyError: a type numpy has not
        raise CheckpointError(f"{where}: {WEIGHTS} is not a safetensors file: {error}") from None
    _check_steps(f"{where}: {DESCRIPTION}", about)
    _check_numbers(f"{where}: {WEIGHTS}", tensors)
    if game is not None:
        check_game(folder, about, game)
    return Checkpoint(folder, about, tensors)


def _check_steps(where: str, about: Mapping[str, Any]) -> None:
    """Check the numbers that say how far the training was.

    Raises:
        CheckpointError: ``step`` is missing, or it or ``seconds`` is not a number in the range.
    """
    step, seconds = about.get("step"), about.get("seconds", 0)
    if type(step) is not int or not 0 <= step <= MOST_STEPS:
        raise CheckpointError(f"{where}: expected a whole number as 'step'")
    if type(seconds) not in {int, float} or not 0 <= seconds <= MOST_STEPS:
        raise CheckpointError(f"{where}: expected a number as 'seconds'")


def _check_numbers(where: str, tensors: Mapping[str, Array]) -> None:
    """Check the values of tensors.

    Raises:
        CheckpointError: a tensor does not hold floats, or a number is not finite.
    """
    for name, tensor in tensors.items():
        if tensor.dtype.kind != "f" or tensor.dtype.itemsize > LARGEST_NUMBER:
            raise CheckpointError(f"{where}: {name}: expected float32, got {tensor.dtype}")
        if not np.isfinite(tensor).all():
            raise CheckpointError(f"{where}: {name}: expected finite numbers")


def check_tensors(checkpoint: Checkpoint) -> None:
    """Check the names of all tensors, and the types of those of a network and its optimizer.

    Raises:
        CheckpointError: a tensor is not the policy's or the optimizer's, or is not float32.
    """
    where = f"checkpoint {str(checkpoint.path)!r}: {WEIGHTS}"
    for name, tensor in checkpoint.tensors.items():
        if not name.startswith(POLICY) and not OPTIMIZER.fullmatch(name):
            raise CheckpointError(f"{where}: tensor {name!r}: expected the policy's or optimizer's")
        if tensor.dtype != np.float32 and not name.startswith(VALUE):
            raise CheckpointError(f"{where}: {name}: expected float32, got {tensor.dtype}")


def head_of(
    checkpoint: Checkpoint, prefix: str, outputs: int, inputs: int
) -> tuple[Array, Array] | None:
    """Return the weight and the bias of a linear head; None if it has none of this shape."""
    weight, bias = (checkpoint.tensors.get(f"{prefix}{name}") for name in ("weight", "bias"))
    if weight is None or bias is None:
        return None
    fits = weight.shape == (outputs, inputs) and bias.shape == (outputs,)
    return (weight, bias) if fits else None


def reward_scale_of(checkpoint: Checkpoint) -> float:
    """Return the factor on rewards in the training of a checkpoint.

    Raises:
        CheckpointError: it does not say.
    """
    config = checkpoint.about.get("config")
    scale = config.get("reward_scale") if isinstance(config, dict) else None
    if isinstance(scale, bool) or not isinstance(scale, float | int) or not 0 < scale < np.inf:
        raise CheckpointError(
            f"checkpoint {str(checkpoint.path)!r}: {DESCRIPTION}: expected 'config' with "
            f"reward_scale, a number more than 0"
        )
    return float(scale)


def check_game(folder: Path, about: Mapping[str, Any], game: Game) -> None:
    """Check that weights are for this game, seat count and layout.

    Other options may differ: a line warns of them (:class:`~sprawl_env.core.errors.OtherOptions`),
    once per process, checkpoint and options.

    Raises:
        CheckpointError: they are not.
    """
    where = f"checkpoint {str(folder)!r}"
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
                f"{game.name} has {mine[key]}; train again or use {_release(about)}"
            )
    trained = _trained_with(about)
    for played in game.accepted:
        differing = [_differing(each, played) for each in trained]
        if differing and all(differing):
            _warn_of_options(where, min(differing, key=len))


def _release(about: Mapping[str, Any]) -> str:
    """Return the release that made a checkpoint, in words."""
    versions, commit = about.get("versions"), about.get("commit")
    release = versions.get("sprawl-env") if isinstance(versions, dict) else None
    if release is None:
        return "the release that made it"
    at = f" at commit {short(commit)}" if commit else ""
    return f"sprawl-env {short(release)}{at}, which made it"


def _trained_with(about: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the sets of options that a checkpoint was trained with, as its description says."""
    variants = about.get("variants")
    sets = variants if isinstance(variants, list) and variants else [about.get("options")]
    return [each for each in sets if isinstance(each, dict)]


def _differing(trained: Mapping[str, Any], played: Mapping[str, Any]) -> str:
    """Return the options with another value than in training, in words; "" if there is none."""
    return ", ".join(
        f"{name}={short(value)} (trained with {short(trained[name])})"
        for name, value in played.items()
        if name in trained and trained[name] != value
    )


@functools.cache
def _warn_of_options(where: str, differing: str) -> None:
    """Warn in one line that a policy plays with other options, once per process."""
    text = shortened(printable(f"{where}: plays with other options: {differing}"))
    warnings.warn_explicit(text, OtherOptions, "sprawl_env", 1)
