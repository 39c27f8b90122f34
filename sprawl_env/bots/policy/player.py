"""Trained policies: as bots that play, and as functions of observations."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.analysis import Analysis, check_position
from sprawl_env.bots.policy.agents import find_agent
from sprawl_env.bots.policy.checkpoint import (
    DESCRIPTION,
    ILLEGAL_LOGIT,
    MOST_WIDTH,
    NET,
    SHAPE,
    VALUE,
    WEIGHTS,
    Checkpoint,
    CheckpointError,
    check_game,
    check_tensors,
    head_of,
    load,
    reward_scale_of,
)
from sprawl_env.bots.policy.compiled import CompiledNet
from sprawl_env.bots.policy.shape import NetShape, shape_for
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import INT8, check_observations, check_rows, check_seed
from sprawl_env.core.errors import InvalidOption, short
from sprawl_env.core.extras import require
from sprawl_env.core.game import Game
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.registry import rules_of
from sprawl_env.core.state import Games
from sprawl_env.core.variants import check_stored
from sprawl_env.kernels.arrays import Floats, Mask


class PolicyBot:
    """Plays a checkpoint's policy: the likeliest legal action, or a sample.

    Args:
        path: the folder of a checkpoint or a run.
        game: the game that it plays.
        seed: of its samples.
        sample: draw actions from the policy instead of taking the likeliest one.
        name: of the bot in tables and logs; default: the run and the checkpoint.

    Attributes:
        counts: what the values of :meth:`analyse` count, in points: how much more the ``lead`` will
            change, the ``margin`` at the end, both discounted as in training, or ``""``, something
            else.
    """

    needs_observations = True
    needs_states = False
    counts = ""
    _game: Game | None = None  # only for analyse()
    _values: Callable[[Floats], Floats] | None = None

    @checked
    def __init__(
        self, path: Path, game: Game, seed: int = 0, *, sample: bool = False, name: str = ""
    ) -> None:
        checkpoint = load(path, game)
        name = name or f"{checkpoint.path.parent.parent.name}/{checkpoint.path.name}"
        self._start(name, load_compiled(checkpoint, game), seed, sample)
        self._game, self._values = game, _values_if_any(checkpoint, self._network)
        self.counts = counted_by(checkpoint)

    @classmethod
    @checked
    def from_network(
        cls,
        name: str,
        network: Any,
        seed: int = 0,
        *,
        sample: bool = True,
        game: Game | None = None,
    ) -> PolicyBot:
        """Return a bot for a copy of a network in memory, e.g. one that is being trained.

        Args:
            name: of the bot in tables and logs.
            network: an ``EntityNet``.
            seed: of the bot's samples.
            sample: draw actions from the policy instead of taking the likeliest one.
            game: the game that it plays; only :meth:`analyse` needs it.

        Raises:
            InvalidOption: not such a network.
        """
        shape = getattr(network, "shape", None)
        if not isinstance(shape, NetShape):
            raise InvalidOption(f"network={short(network)}: expected an EntityNet")
        bot = cls.__new__(cls)
        bot._start(name, _compiled(shape, network.arrays()), seed, sample)
        bot._game = game
        return bot

    def _start(self, name: str, network: CompiledNet, seed: int, sample: bool) -> None:
        self.name = name
        self._network = network
        self._sample = sample
        self.seed(seed)

    @checked
    def seed(self, seed: int) -> None:
        """Restart the random numbers of the samples."""
        self._rng = np.random.default_rng(check_seed(seed))

    def act(
        self, observations: Floats | None, masks: Mask, states: Games | None
    ) -> npt.NDArray[np.int64]:
        """Return one action a row; needs ``observations``.

        Raises:
            InvalidOption: an argument has another shape, or observations are whole numbers.
            CheckpointError: a logit is too large, finite weights can give one.
        """
        if observations is None:
            raise InvalidOption(f"{self.name}: act() needs the observations")
        seen = check_observations(
            f"{self.name}: observations", observations, self._network.observation_size
        )
        masks = check_rows(f"{self.name}: masks", masks, self._network.num_actions, INT8)
        if len(masks) != len(seen):
            raise InvalidOption(f"{self.name}: masks: expected {len(seen)} rows, got {len(masks)}")
        logits = _checked_logits(self.name, self._network, seen, masks)
        if self._sample:  # the largest of logit + Gumbel noise is a draw from the policy
            logits += self._rng.gumbel(size=logits.shape).astype(np.float32)
        logits[masks == 0] = ILLEGAL_LOGIT
        return np.asarray(logits.argmax(axis=1), np.int64)

    def analyse(self, mask: Mask, state: Games) -> Analysis:
        """Return the policy's probabilities in one position, and the position's value.

        The likeliest action is first.  The probabilities do not depend on the seed.  See
        :class:`sprawl_env.bots.analysis.Analyst` for the arguments, and
        :class:`sprawl_env.bots.analysis.Analysis` for the result.

        Args:
            mask: int8 ``[num_actions]``, the legal actions of the state.
            state: the position, records ``[1]``.

        Raises:
            InvalidOption: not one record of the bot's game, ``mask`` is not its legal actions, or
                the bot was made by :meth:`from_network` without a game.
            CheckpointError: a logit is too large, or the value is not finite.
        """
        if self._game is None:
            raise InvalidOption(f"{self.name}: analyse(): expected from_network(..., game=game)")
        legal, state = check_position(self._game, self.name, mask, state)
        seen = self._game.observe(state, 0, int(state["to_play"][0]))[np.newaxis]
        masks = np.zeros((1, self._network.num_actions), np.int8)
        masks[0, legal] = 1
        found = _checked_logits(self.name, self._network, seen, masks)
        logits = found[0, legal].astype(np.float64)
        order = np.argsort(-logits, kind="stable")
        odds = np.exp(logits - logits.max())
        value = np.nan if self._values is None else float(self._values(seen)[0])
        return Analysis(legal[order], (odds / odds.sum())[order], np.full(legal.size, value))


class Policy:
    """A trained policy as two functions of observations, and a bot that plays it.

    Attributes:
        name: as it was loaded.
        game: the game that it plays.
        about: the description of its checkpoint.
    """

    @checked
    def __init__(self, name: str, checkpoint: Checkpoint, game: Game) -> None:
        self.name = name
        self.game = game
        self.about = checkpoint.about
        self._checkpoint = checkpoint
        self._network = load_compiled(checkpoint, game)

    def logits(self, observations: Floats, masks: Mask) -> Floats:
        """Return the logits of all actions, float32 ``[n, num_actions]``; -1e9 if illegal.

        Args:
            observations: float32 ``[n, observation_size]``, as the seat to play sees it.
            masks: int8 ``[n, num_actions]``, 1 = legal.

        Raises:
            InvalidOption: an array has another shape, or observations are whole numbers.
            CheckpointError: a logit is too large, finite weights can give one.
        """
        seen = self._checked(observations)
        legal = check_rows("masks", masks, self.game.num_actions, INT8)
        if len(legal) != len(seen):
            raise InvalidOption(
                f"masks: expected shape ({len(seen)}, {self.game.num_actions}), got {legal.shape}"
            )
        found = _checked_logits(self.name, self._network, seen, legal)
        found[legal == 0] = ILLEGAL_LOGIT
        return found

    def values(self, observations: Floats) -> Floats:
        """Return the value of each observation, float32 ``[n]``.

        A value is the discounted reward that the seat is expected to earn from here on, in units
        of the reward that the policy was trained with (points for ``lead``).  After expert
        iteration it is how much the seat's lead is expected to change until the end, in points.

        Raises:
            CheckpointError: the checkpoint holds no value head, does not state the scale of its
                rewards, or a value is not finite.
            InvalidOption: the array has another shape, or holds whole numbers.
        """
        seen = self._checked(observations)
        return self._values(seen)

    @functools.cached_property
    def _values(self) -> Callable[[Floats], Floats]:
        return _value_function(self._checkpoint, self._network)

    @checked
    def bot(self, seed: int = 0, sample: bool = False) -> PolicyBot:
        """Return a bot that plays the likeliest legal action, or with ``sample`` a draw."""
        bot = PolicyBot.__new__(PolicyBot)
        bot._start(self.name, self._network, seed, sample)
        bot._game, bot._values = self.game, _values_if_any(self._checkpoint, self._network)
        bot.counts = counted_by(self._checkpoint)
        return bot

    def _checked(self, observations: Any) -> Floats:
        """Return observations as float32 ``[n, observation_size]``."""
        return check_observations("observations", observations, self.game.observation_size)


@checked
def load_policy(name: str | PathLike[str], game: str | Game | None = None) -> Policy:
    """Return a trained policy.

    Args:
        name: ``agent:GAME/NAME``, ``checkpoint:PATH``, or the path of a checkpoint or a run.
        game: the game that it plays; default: the one that it was trained for, with its options.

    Raises:
        UnknownName: there is no such agent or game.
        CheckpointError: there is no such checkpoint, or it does not fit the game.
    """
    text = os.fspath(name)
    made = game if isinstance(game, Game) else None
    if text.startswith("agent:"):
        path = find_agent(text, made)
    else:
        path = Path(text.removeprefix("checkpoint:"))
    checkpoint = load(path, made)
    if made is None:
        made = game_of(checkpoint, game if isinstance(game, str) else None)
        check_game(checkpoint.path, checkpoint.about, made)
    return Policy(text, checkpoint, made)


def game_of(checkpoint: Checkpoint, name: str | None = None) -> Game:
    """Return the game that a checkpoint was trained for, with its options.

    Args:
        checkpoint: the checkpoint.
        name: the game's name or ``module:RULES``; None or empty: the name in the checkpoint.

    Raises:
        CheckpointError: its description does not say.
        UnknownName: there is no such game.
    """
    trained, options = checkpoint.about.get("game"), checkpoint.about.get("options")
    where = f"checkpoint {str(checkpoint.path)!r}: {DESCRIPTION}"
    if not isinstance(trained, str) or ":" in trained or not isinstance(options, dict):
        raise CheckpointError(f"{where}: expected 'game' and 'options'")
    rules = rules_of(name or trained)
    check_stored(rules, options, where, CheckpointError)
    return make_game(rules, **options)


@checked
def load_network(checkpoint: Checkpoint, game: Game) -> Any:
    """Return a checkpoint's network for torch (``sprawl_env.bots.policy.network.EntityNet``).

    Raises:
        CheckpointError: its tensors are not those of such a network.
        MissingExtra: torch is not installed.
    """
    torch = require("torch", "training, or a network on a GPU,")
    from sprawl_env.bots.policy.network import EntityNet  # noqa: PLC0415 - imports torch

    shape, tensors = weights_of(checkpoint, game)
    network = EntityNet(shape)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in tensors.items()})
    return network


def load_compiled(checkpoint: Checkpoint, game: Game) -> CompiledNet:
    """Return a checkpoint's network as a kernel.

    Raises:
        CheckpointError: its tensors are not those of such a network.
    """
    return _compiled(*weights_of(checkpoint, game))


def _compiled(shape: NetShape, tensors: Mapping[str, Floats]) -> CompiledNet:
    return CompiledNet(shape, tensors, shape.layout.scales)


def weights_of(checkpoint: Checkpoint, game: Game) -> tuple[NetShape, dict[str, Floats]]:
    """Return the shape of a checkpoint's network, and its weights by name.

    Raises:
        CheckpointError: its tensors are not those of such a network.
    """
    where = f"checkpoint {str(checkpoint.path)!r}"
    sizes = checkpoint.about.get("network")
    if not isinstance(sizes, dict) or not all(
        type(sizes.get(key)) is int and 1 <= sizes[key] <= MOST_WIDTH for key in SHAPE
    ):
        raise CheckpointError(
            f"{where}: {DESCRIPTION}: expected 'network' with {' and '.join(SHAPE)}, whole numbers "
            f"1..{MOST_WIDTH}"
        )
    check_tensors(checkpoint)
    shape = shape_for(game, **{key: sizes[key] for key in SHAPE})
    found = {
        name.removeprefix(NET): array
        for name, array in checkpoint.tensors.items()
        if name.startswith(NET)
    }
    wanted = shape.tensors()
    for name in sorted(wanted.keys() | found.keys()):
        expected, got = (
            f"shape {each}" if each is not None else "no such tensor"
            for each in (wanted.get(name), found[name].shape if name in found else None)
        )
        if expected != got:
            raise CheckpointError(
                f"{where}: {WEIGHTS} does not hold this network: {short(name)}: expected "
                f"{expected}, got {got}"
            )
    return shape, found


def _checked_logits(name: str, network: CompiledNet, observations: Floats, masks: Mask) -> Floats:
    """Return the logits of a network; those of illegal actions may be 0.

    Finite weights can give infinite logits, or some that are less than that of an illegal action.

    Raises:
        CheckpointError: a logit is not a number in the range.
    """
    logits = network(observations, masks)[0]
    if logits.size and not (logits.min() > ILLEGAL_LOGIT and logits.max() < -ILLEGAL_LOGIT):
        raise CheckpointError(
            f"{name}: the weights are damaged or have diverged: expected logits between "
            f"{ILLEGAL_LOGIT:g} and {-ILLEGAL_LOGIT:g}"
        )
    return logits


@checked
def load_values(checkpoint: Checkpoint, game: Game) -> Callable[[Floats], Floats]:
    """Return a checkpoint's value function.

    It takes float32 ``[n, observation_size]``, as the seat to play sees it, and returns float32
    ``[n]``: the discounted reward that the seat is expected to earn from here on, in units of the
    reward that the policy was trained with (points for ``lead``), before scaling.

    Raises:
        CheckpointError: it holds no value head, or does not state the scale of its rewards.
    """
    return _value_function(checkpoint, load_compiled(checkpoint, game))


def _values_if_any(
    checkpoint: Checkpoint, network: CompiledNet
) -> Callable[[Floats], Floats] | None:
    """Return the value function of a checkpoint; None if it holds none."""
    try:
        return _value_function(checkpoint, network)
    except CheckpointError:
        return None


def counted_by(checkpoint: Checkpoint) -> str:
    """Return what the values of a checkpoint's network count; see :class:`PolicyBot`."""
    config: Any = checkpoint.about.get("config")
    reward = config.get("reward") if isinstance(config, dict) else ""
    known = f"{VALUE}weight" in checkpoint.tensors and reward in {"lead", "margin"}
    return str(reward) if known else ""


def _value_function(checkpoint: Checkpoint, network: CompiledNet) -> Callable[[Floats], Floats]:
    """Return the value function of a checkpoint whose network is loaded already."""
    scale = reward_scale_of(checkpoint)
    head = head_of(checkpoint, VALUE, 1, network.trunk)
    if head is None:
        raise CheckpointError(
            f"checkpoint {str(checkpoint.path)!r}: {WEIGHTS} does not hold a value head"
        )
    weight, bias = head

    return _Values(network, weight[0], float(bias[0]), scale, str(checkpoint.path))


@dataclass(frozen=True)
class _Values:
    """A value function; it can be pickled.

    Attributes:
        network: the network.
        weight: float32 ``[trunk]``, of the head.
        bias: of the head.
        scale: what rewards were multiplied by in training.
        path: of the checkpoint.
    """

    network: CompiledNet
    weight: Floats
    bias: float
    scale: float
    path: str

    def __call__(self, observations: Floats) -> Floats:
        """Return the values of observations ``[n, observation_size]``, float32 ``[n]``."""
        nothing = np.zeros((len(observations), self.network.num_actions), np.int8)
        summary = self.network(observations, nothing)[1]  # the logits are not needed
        with np.errstate(over="ignore", invalid="ignore"):
            values = (summary @ self.weight + np.float32(self.bias)) / self.scale
            found: Floats = values.astype(np.float32)
        if not np.isfinite(found).all():
            raise CheckpointError(
                f"checkpoint {self.path!r}: the weights are damaged or have diverged: expected "
                f"finite values"
            )
        return found
