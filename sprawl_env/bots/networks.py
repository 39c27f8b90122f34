"""Policies that were made without this package's training: networks of a user's own.

``torch:module:make`` is a function from observations and masks to logits; ``sb3:FILE.zip`` is a
model that Stable-Baselines3 saved.  Both play behind :class:`~sprawl_env.bots.user.UserBot`, so an
exception of their code is one line.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import safetensors

from sprawl_env.bots.settings import (
    Setting,
    check_keywords,
    refuse_unknown,
    split_name,
    take_switch,
)
from sprawl_env.bots.user import BotError, UserBot, import_made, trying
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import printable, short
from sprawl_env.core.extras import require
from sprawl_env.core.files import read_bytes
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games
from sprawl_env.kernels.arrays import Floats, Index, Mask

Logits = Callable[[Floats, Mask], Any]
TORCH: Final = "torch:"
SB3: Final = "sb3:"
WEIGHTS: Final = "weights"
SAMPLE: Final = "sample"
TRUST: Final = "trust"
_FORM: Final = "torch:module:make, e.g. torch:my_net:make"


class NetworkBot:
    """Plays the likeliest legal action by some logits, or a draw from them.

    Args:
        name: of the bot.
        logits: returns the logits ``[n, num_actions]`` for observations float32
            ``[n, observation_size]`` and masks int8 ``[n, num_actions]``.
        seed: of its draws.
        sample: draw actions instead of taking the likeliest one.
    """

    needs_observations = True
    needs_states = False

    def __init__(self, name: str, logits: Logits, seed: int, *, sample: bool) -> None:
        self.name = name
        self._logits = logits
        self._sample = sample
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restart the random numbers of the draws."""
        self._rng = np.random.default_rng(check_seed(seed))

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Index:
        """Return one legal action a row.

        Raises:
            BotError: the logits are not ``[n, num_actions]``, or one of a legal action is not
                finite.
        """
        if observations is None:
            raise BotError(f"bot {self.name!r}: act() needs the observations")
        found = self._logits(observations, masks)
        if not isinstance(found, np.ndarray) or found.shape != masks.shape:
            raise BotError(
                f"bot {self.name!r}: expected logits of shape {masks.shape}, got {short(found)}"
            )
        logits = found.astype(np.float64)
        legal = masks != 0
        if not np.isfinite(logits[legal]).all():
            raise BotError(f"bot {self.name!r}: expected finite logits of the legal actions")
        if self._sample:  # the largest of logit + Gumbel noise is a draw from the policy
            logits += self._rng.gumbel(size=logits.shape)
        return np.asarray(np.where(legal, logits, -np.inf).argmax(axis=1), np.int64)


# ---------------------------------------------------------------------------------------- torch


def make_torch_bot(name: str, game: Game, seed: int = 0) -> UserBot:
    """Return a bot that plays a network of the user's own.

    Args:
        name: ``torch:module:make``, with the settings ``weights=FILE`` and ``sample=yes``, and
            keywords of ``make``.
        game: the game that it plays.
        seed: of its draws.

    Raises:
        BotError: there is no such function, it does not return a network, or the weights are not
            those of the network.
        UnknownName: there is no such setting.
        MissingExtra: torch is not installed.
    """
    torch = require("torch", f"bot {name!r}")
    given, settings = split_name(name)
    sample = take_switch(name, settings, SAMPLE)
    weights = settings.pop(WEIGHTS, None)
    path = given.removeprefix(TORCH)
    make = import_made(name, path, _FORM, "function")
    inside = path.partition(":")[2]
    arguments = _arguments(given, make, game, settings)
    network = trying(name, f"{inside}()", lambda: make(*arguments, **settings))
    if not callable(network):
        raise BotError(
            f"bot {name!r}: expected {inside}() to return a function or a torch.nn.Module, got "
            f"{short(network)}"
        )
    if weights is not None:
        _load_weights(name, network, str(weights))
    if isinstance(network, torch.nn.Module):
        network.eval()
    bot = NetworkBot(name, _TorchLogits(network), seed, sample=sample)
    return UserBot.around(bot, game)


def _arguments(
    name: str, make: Callable[..., Any], game: Game, settings: dict[str, Setting]
) -> tuple[Game, ...]:
    """Return what ``make`` is called with by position: the game, if it takes one.

    It takes one if its first parameter is called ``game``, or has no default and is no setting.

    Raises:
        UnknownName: ``make`` has no such keyword as one of the settings.
    """
    try:
        parameters = list(inspect.signature(make).parameters.values())
    except (TypeError, ValueError):  # not written in Python
        return ()
    by_position = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    first = parameters[0] if parameters and parameters[0].kind in by_position else None
    wanted = first is not None and first.default is first.empty and first.name not in settings
    arguments = (copy.copy(game),) if first is not None and (wanted or first.name == "game") else ()
    check_keywords(name, make, settings, given=len(arguments), own=(WEIGHTS, SAMPLE))
    return arguments


def _load_weights(name: str, network: Any, path: str) -> None:
    """Load weights into a network; nothing is unpickled.

    Raises:
        BotError: it is no ``torch.nn.Module``, or the file does not hold its weights.
    """
    from safetensors.torch import load as from_bytes  # noqa: PLC0415 - imports torch

    if not callable(getattr(network, "load_state_dict", None)):
        raise BotError(f"bot {name!r}: weights: expected a torch.nn.Module, got {short(network)}")
    try:
        tensors = from_bytes(read_bytes(Path(path)))
    except OSError as error:
        raise BotError(f"bot {name!r}: weights {path!r}: {error.strerror}") from None
    except (safetensors.SafetensorError, KeyError) as error:
        raise BotError(
            f"bot {name!r}: weights {path!r}: expected a safetensors file: "
            f"{printable(str(error))[:300]}"
        ) from None
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:  # names the keys and shapes, over several lines
        reason = printable(" ".join(str(error).split()))[:300]
        raise BotError(f"bot {name!r}: weights {path!r}: {reason}") from None


class _TorchLogits:
    """A network of torch as a function of numpy arrays; it can be pickled if the network can.

    A network that takes one argument gets the observations alone.
    """

    def __init__(self, network: Callable[..., Any]) -> None:
        self._network = network
        self._with_masks = _takes_two(network.forward if hasattr(network, "forward") else network)
        parameters = getattr(network, "parameters", None)
        first = next(iter(parameters()), None) if callable(parameters) else None
        self._device = "cpu" if first is None else first.device

    def __call__(self, observations: Floats, masks: Mask) -> Any:
        """Return the logits, float32 ``[n, num_actions]``, or what else the network returns."""
        import torch  # noqa: PLC0415 - optional, and there if there is a network of it

        seen = torch.from_numpy(np.ascontiguousarray(observations)).to(self._device)
        legal = (torch.from_numpy(masks != 0).to(self._device),) if self._with_masks else ()
        with torch.inference_mode():
            found = self._network(seen, *legal)
        return found.float().cpu().numpy() if isinstance(found, torch.Tensor) else found


def _takes_two(function: Callable[..., Any]) -> bool:
    """Return whether a function takes two arguments by position."""
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # not written in Python
        return True
    return True


# ------------------------------------------------------------------------- Stable-Baselines3


def make_sb3_bot(name: str, game: Game, seed: int = 0) -> UserBot:
    """Return a bot that plays a MaskablePPO model, as ``model.save`` of sb3-contrib wrote it.

    Args:
        name: ``sb3:FILE.zip,trust=yes``, with the setting ``sample=yes``.
        game: the game that it plays.
        seed: of its draws.

    Raises:
        BotError: the file is not trusted, cannot be read, or is not for this game.
        UnknownName: there is no such setting.
        MissingExtra: sb3-contrib is not installed.
    """
    given, settings = split_name(name)
    path = given.removeprefix(SB3)
    sample = take_switch(name, settings, SAMPLE)
    trusted = take_switch(name, settings, TRUST)
    refuse_unknown(name, settings, [TRUST, SAMPLE])
    if not path:
        raise BotError(f"bot {name!r}: expected sb3:FILE.zip,trust=yes")
    if not trusted:
        raise BotError(
            f"bot {name!r}: loading this file unpickles it, which can run any code that it holds: "
            f"if you trust whoever made it, write sb3:{path},{TRUST}=yes"
        )
    contrib = require("sb3_contrib", f"bot {name!r}")
    if not Path(path).is_file():
        raise BotError(f"bot {name!r}: there is no file {path!r}")
    # Without these, loading seeds the random numbers of the whole process and allocates the
    # memory of a training run.
    instead = {"seed": None, "n_steps": 1, "n_envs": 1}
    model = trying(
        name,
        "loading it as a MaskablePPO",
        lambda: contrib.MaskablePPO.load(path, device="cpu", custom_objects=instead),
    )
    _check_spaces(name, model, game)
    model.policy.set_training_mode(False)
    whole = model.observation_space.dtype == np.int8  # else float32
    logits = _ModelLogits(model.policy, game.observation_layout.scales if whole else None)
    return UserBot.around(NetworkBot(name, logits, seed, sample=sample), game)


@dataclass(frozen=True)
class _ModelLogits:
    """The policy of a model of Stable-Baselines3 as a function of numpy arrays.

    Attributes:
        policy: the policy.
        scales: of observations, if it takes them as whole numbers.
    """

    policy: Any
    scales: Floats | None

    def __call__(self, observations: Floats, masks: Mask) -> Any:
        """Return the logits, float32 ``[n, num_actions]``."""
        import torch  # noqa: PLC0415 - optional, and there if there is a model

        given = observations
        if self.scales is not None:
            given = np.rint(observations / self.scales).astype(np.int8)
        with torch.inference_mode():
            seen = torch.from_numpy(np.ascontiguousarray(given))
            found = self.policy.get_distribution(seen)
            return found.distribution.logits.float().cpu().numpy()


def _check_spaces(name: str, model: Any, game: Game) -> None:
    """Check that a model was trained on observations and actions of these sizes.

    Raises:
        BotError: it was not.
    """
    seen = getattr(model.observation_space, "shape", None)
    actions = getattr(model.action_space, "n", None)
    if seen != (game.observation_size,) or actions != game.num_actions:
        raise BotError(
            f"bot {name!r}: it was trained on observations of shape {seen} and {actions} actions, "
            f"{game.name} with {game.num_seats} seats has ({game.observation_size},) and "
            f"{game.num_actions}"
        )
