"""The bot ``search``: tree search with the network of a trained agent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from sprawl_env.bots.analysis import Analysis, check_position, only_one
from sprawl_env.bots.policy.agents import find_agent
from sprawl_env.bots.policy.checkpoint import Checkpoint, find, load
from sprawl_env.bots.protocol import check_act
from sprawl_env.bots.search.conclusion import Found
from sprawl_env.bots.search.evaluators import UniformEvaluator, network_evaluator
from sprawl_env.bots.search.search import LIMITS, NO_LIMIT, Evaluator, TreeConfig, TreeSearch
from sprawl_env.bots.settings import parse_settings, take_texts
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import UnknownName
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games, clone
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.kernels.rng import combine

AGENT, UNIFORM = "agent", "uniform"  # a setting, and the agent that is none
CHECKPOINT: Final = "checkpoint"  # what is before the path of one
SIMS_WHEN_TIMED: Final = 100_000


def parse_learned(name: str) -> tuple[str, TreeConfig]:
    """Return the agent and the settings in a bot's name, e.g. ``search:agent=best,sims=32``.

    Raises:
        UnknownName: there is no such setting, or its value is not allowed.
    """
    rest, texts = take_texts(name, (AGENT,))
    if AGENT not in texts:
        kind = name.partition(":")[0]
        raise UnknownName(
            f"bot {name!r}: expected one agent, as in {kind}:agent=best,sims=32 or agent={UNIFORM}"
        )
    chosen: dict[str, Any] = dict(parse_settings(rest, LIMITS))
    if chosen.get("ms"):
        chosen.setdefault("sims", SIMS_WHEN_TIMED)
        chosen.setdefault("gumbel", 0)
    return texts[AGENT], replace(TreeConfig(), **chosen)


def bot_name_of(agent: str) -> str:
    """Return the name of the bot that plays an agent's raw policy.

    Args:
        agent: the name of an agent, with or without ``agent:``, or ``checkpoint:PATH``.
    """
    return agent if ":" in agent else f"{AGENT}:{agent}"


def checkpoint_of(agent: str, game: Game) -> Checkpoint:
    """Return the checkpoint of an agent, which is named as in :func:`bot_name_of`.

    Raises:
        UnknownName: there is no such agent.
        CheckpointError: the checkpoint is damaged or is not for this game.
    """
    kind, path = _kind_of(agent)
    return load(Path(path) if kind == CHECKPOINT else _found(path, game), game)


def fixed_name_of(agent: str, game: Game) -> str:
    """Return a name of the same agent that goes on meaning it: neither ``best`` nor a run's folder.

    Raises:
        UnknownName: there is no such agent.
        CheckpointError: there is no such checkpoint.
    """
    kind, path = _kind_of(agent)
    if kind == CHECKPOINT:
        return f"{kind}:{find(Path(path))}"
    folder = _found(path, game)
    return f"{folder.parent.name}/{folder.name}"


def _kind_of(agent: str) -> tuple[str, str]:
    """Return ``"agent"`` or ``"checkpoint"``, and the name or the path.

    Raises:
        UnknownName: it names neither.
    """
    kind, _, path = bot_name_of(agent).partition(":")
    if kind not in (AGENT, CHECKPOINT):
        raise UnknownName(f"agent {agent!r}: expected the name of an agent or {CHECKPOINT}:PATH")
    return kind, path


def _found(agent: str, game: Game) -> Path:
    """Return the folder of an agent.

    Raises:
        UnknownName: there is none; if the name is that of a folder, how to say so.
    """
    try:
        return find_agent(f"{AGENT}:{agent}", game)
    except UnknownName as error:
        if not Path(agent).is_dir():
            raise
        raise UnknownName(f"{error}; a folder is named as checkpoint:{agent}") from None


def evaluator_of(agent: str, game: Game) -> Evaluator:
    """Return an agent's network.

    Args:
        agent: ``uniform``, or as in :func:`bot_name_of`.
        game: the game that it plays.

    Raises:
        UnknownName: there is no such agent.
        CheckpointError: the checkpoint is damaged or is not for this game.
    """
    if agent == UNIFORM:
        return UniformEvaluator(game)
    return network_evaluator(checkpoint_of(agent, game), game)


class LearnedSearchBot:
    """Plays what a tree search with a network finds best."""

    needs_observations = False
    needs_states = True
    redeals_hidden = True

    def __init__(
        self,
        game: Game,
        evaluate: Evaluator,
        config: TreeConfig,
        seed: int = 0,
        name: str = "search",
    ) -> None:
        self.name = name
        self._game, self._config = game, config
        self._search = TreeSearch(game, evaluate, config)
        self.counts_margins = config.margin > 0 or game.num_sides == 1  # values are no shares
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Seed the search; without ``ms`` the same seed and decisions give the same actions."""
        self._seed = check_seed(seed)
        self._decisions = 0
        self._rng = np.random.default_rng(self._seed)

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Index:
        """Search all rows together; with ``ms`` each row in turn.  Needs ``states``."""
        masks, states = check_act(self._game, self.name, masks, states)
        actions: Index = masks.argmax(axis=1).astype(np.int64)
        open_rows = np.flatnonzero(masks.sum(axis=1, dtype=np.int64) > 1)
        size = 1 if self._config.ms else max(1, open_rows.size)
        for first in range(0, open_rows.size, size):
            rows = open_rows[first : first + size]
            if rows.size == len(masks):  # no copy is needed
                return self._chosen(self._find(states, masks))
            actions[rows] = self._chosen(self._find(clone(states, rows), masks[rows]))
        return actions

    def _find(self, states: Games, masks: Mask | None = None) -> Found:
        seeds = [combine(self._seed, self._decisions + k) for k in range(len(states))]
        self._decisions += len(states)
        seconds = self._config.ms / 1000 or NO_LIMIT
        return self._search.run(states, np.array(seeds, np.int64), masks=masks, seconds=seconds)

    def _chosen(self, found: Found) -> Index:
        """Return the best actions, or with a temperature a draw by the visits."""
        if not self._config.temperature:
            return found.actions
        with np.errstate(divide="ignore"):
            odds = np.log(found.visits) / self._config.temperature
        drawn = (odds + self._rng.gumbel(size=odds.shape)).argmax(axis=1)
        return np.where(found.visits.any(axis=1), drawn, found.actions)

    def analyse(self, mask: Mask, state: Games) -> Analysis:
        """Search one position; see :class:`sprawl_env.bots.analysis.Analyst`."""
        legal, state = check_position(self._game, self.name, mask, state)
        if legal.size == 1:
            return only_one(int(legal[0]))
        found = self._find(state)
        visits, values = found.visits[0, legal], found.values[0, legal]
        best = legal == self._chosen(found)[0]
        order = np.lexsort((-np.nan_to_num(values, nan=-1.0), -visits, ~best))
        return Analysis(legal[order], visits[order], values[order])


def make_learned(name: str, game: Game, seed: int) -> LearnedSearchBot:
    """Return the bot of a name such as ``search:agent=tower_up/ppo-1h,sims=32``.

    Raises:
        UnknownName: there is no such agent or setting.
        CheckpointError: the checkpoint is damaged or is not for this game.
    """
    agent, config = parse_learned(name)
    return LearnedSearchBot(game, evaluator_of(agent, game), config, seed, name)
