"""Learners in checkpoints: their weights and Adam's moments as arrays by name."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import Any, Final, Protocol

import torch

from sprawl_env.bots.policy.checkpoint import (
    OPTIMIZER,
    POLICY,
    SHARES,
    Checkpoint,
    CheckpointError,
    check_tensors,
    checkpoints_in,
    load,
    step_name,
    step_of,
)
from sprawl_env.console import say
from sprawl_env.core.game import Game
from sprawl_env.learning.flat import FlatModule

DAMAGED: Final = "damaged-"  # before the name of a checkpoint that cannot be resumed from
MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")  # what Adam keeps for a parameter


class Trained(Protocol):
    """A network that learns, and its optimizer."""

    net: Any
    optimizer: torch.optim.Adam


def model_tensors(learner: Trained) -> dict[str, Any]:
    """Return the weights and Adam's moments as arrays by name."""
    tensors = {
        f"{POLICY}{k}": v.detach().cpu().numpy() for k, v in learner.net.state_dict().items()
    }
    shapes = [parameter.shape for parameter in learner.net.parameters()]
    lengths = [shape.numel() for shape in shapes]
    for moments in learner.optimizer.state_dict()["state"].values():
        for name, value in moments.items():
            whole = value.detach().cpu()
            parts = [whole] * len(shapes)
            if name != "step":
                pairs = zip(torch.split(whole, lengths), shapes, strict=True)
                parts = [part.view(shape) for part, shape in pairs]
            for k, part in enumerate(parts):
                tensors[f"optimizer.{k}.{name}"] = part.numpy()
    return tensors


def restore_weights(net: FlatModule, checkpoint: Checkpoint) -> None:
    """Load a checkpoint's weights into a network.

    Its head for the shares of the victory is left out if the network has none.

    Raises:
        CheckpointError: the checkpoint is of another network.
    """
    check_tensors(checkpoint)
    left_out = () if hasattr(net, "share_net") else (SHARES,)
    weights = {
        name.removeprefix(POLICY): torch.from_numpy(array.copy())
        for name, array in checkpoint.tensors.items()
        if name.startswith(POLICY) and not name.startswith(left_out)
    }
    try:
        net.load_state_dict(weights)
    except (RuntimeError, ValueError, KeyError) as error:
        raise CheckpointError(
            f"checkpoint {str(checkpoint.path)!r}: does not fit this config: {reason_of(error)}"
        ) from None


def reason_of(error: Exception) -> str:
    """Return why torch could not load weights, in one line.

    Its first line names the module; the reasons follow in lines of their own.
    """
    title, *reasons = str(error).splitlines() or [""]
    return " ".join(" ".join(reasons or [title]).split())


def restore(learner: Trained, checkpoint: Checkpoint) -> None:
    """Load a checkpoint's weights and Adam's moments into a learner.

    Raises:
        CheckpointError: the checkpoint is of a learner with another network.
    """
    check_tensors(checkpoint)
    where = f"checkpoint {str(checkpoint.path)!r}"
    parameters = list(learner.net.parameters())
    moments: dict[int, dict[str, Any]] = defaultdict(dict)
    for name, array in checkpoint.tensors.items():
        found = OPTIMIZER.fullmatch(name)
        if found is None:
            continue
        number, kind = int(found[1]), found[2]
        known = number < len(parameters)
        shape = (1,) if kind == "step" else tuple(parameters[number].shape) if known else ()
        if not known or (array.shape or (1,)) != shape:
            raise CheckpointError(
                f"{where}: does not fit this config: {name} has shape {array.shape}"
            )
        moments[number][kind] = torch.from_numpy(array.copy())
    if any(len(found) != len(MOMENTS) for found in moments.values()) or (
        len(moments) not in {0, len(parameters)}
    ):
        raise CheckpointError(f"{where}: expected {', '.join(MOMENTS)} of each parameter")
    restore_weights(learner.net, checkpoint)
    of_all = [moments[k] for k in range(len(parameters))] if moments else []
    joined = {
        name: of_all[0][name] if name == "step" else torch.cat([m[name].flatten() for m in of_all])
        for name in (MOMENTS if of_all else ())
    }
    try:
        state = learner.optimizer.state_dict()
        learner.optimizer.load_state_dict({**state, "state": {0: joined} if joined else {}})
    except (RuntimeError, ValueError, KeyError) as error:
        raise CheckpointError(f"{where}: does not fit this config: {reason_of(error)}") from None


def newest_checkpoint(folder: Path, game: Game) -> Checkpoint | None:
    """Return the newest checkpoint that is complete; None if there is none."""
    for path in reversed(checkpoints_in(folder / "checkpoints")):
        try:
            return load_of_run(path, game)
        except CheckpointError as error:
            say(f"skipped: {error}")
    return None


def checkpoint_to_resume(folder: Path, game: Game) -> Checkpoint | None:
    """Return the newest checkpoint that is complete, and rename the later ones of the run.

    Otherwise these count as the newest ones when the run has written others.  None: there are no
    checkpoints.

    Raises:
        CheckpointError: none of them can be loaded, e.g. because they are of another version.
            Nothing is renamed, and a run does not begin again over them.
    """
    checkpoint, paths = newest_checkpoint(folder, game), checkpoints_in(folder / "checkpoints")
    if checkpoint is None:
        return load_of_run(paths[-1], game) if paths else None  # says what is wrong with it
    for path in paths:
        if step_of(path) > checkpoint.step:
            say(f"renamed: {path.name} to {_set_aside(path).name}")
    return checkpoint


def _set_aside(path: Path) -> Path:
    """Rename a damaged checkpoint, and return its new path."""
    name = f"{DAMAGED}{path.name}"
    new, number = path.with_name(name), 1
    while os.path.lexists(new):
        number += 1
        new = path.with_name(f"{name}-{number}")
    return path.rename(new)


def load_of_run(path: Path, game: Game) -> Checkpoint:
    """Return a checkpoint of a run, whose folder is named after its step.

    Raises:
        CheckpointError: as :func:`~sprawl_env.bots.policy.checkpoint.load`, or it is of another
            step.
    """
    checkpoint = load(path, game)
    if path.name != step_name(checkpoint.step):
        raise CheckpointError(f"checkpoint {str(path)!r}: is of step {checkpoint.step}")
    return checkpoint
