"""Good values for every parameter, by its name: what a call is made with besides the bad value."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from torch.utils.tensorboard import SummaryWriter

import sprawl_env
from sprawl_env import replays
from sprawl_env.adapters.aec import BoardGameAEC
from sprawl_env.adapters.envpool import GamePool
from sprawl_env.adapters.gym import BoardGameGym, LegalDiscrete
from sprawl_env.adapters.gym_vector import BoardGameVectorEnv
from sprawl_env.adapters.parallel import BoardGameParallel
from sprawl_env.adapters.sb3 import SelfPlayVecEnv
from sprawl_env.adapters.spaces import MaskedDiscrete, MaskedMultiDiscrete
from sprawl_env.adapters.vector import VectorGames, VectorSettings
from sprawl_env.arena.journal import to_line
from sprawl_env.bots.greedy import GreedyBot
from sprawl_env.bots.heldout.features import FeaturesBot
from sprawl_env.bots.heldout.rules import RulesBot
from sprawl_env.bots.mcts import SearchConfig
from sprawl_env.bots.planner import PlannerConfig
from sprawl_env.bots.policy import checkpoint
from sprawl_env.bots.policy.network import network_for
from sprawl_env.bots.policy.player import Policy, PolicyBot
from sprawl_env.bots.protocol import Bot
from sprawl_env.bots.random import RandomBot
from sprawl_env.bots.search.search import TreeConfig
from sprawl_env.bots.user import UserBot
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.layout import Block
from sprawl_env.core.rules import Played
from sprawl_env.core.state import Games
from sprawl_env.learning import Dataset, write_dataset

BATCH: Final = 4
SEED: Final = 3
SHAPE: Final = {"width": 8, "trunk": 8}  # of networks
USERS_BOT: Final = "examples.bots.score_greedy:ScoreGreedy"
LATE: Final = "a-file"  # in the message of an error that comes when all arguments are accepted


@dataclass
class Place:
    """What calls are made with in one game: the game, and a folder of files.

    Attributes:
        name: of the game.
        folder: empty at first; the current folder of the process.
    """

    name: str
    folder: Path
    paths: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.paths["a folder"] = self.folder / "a-folder"
        self.paths["a folder"].mkdir()
        self.paths["a file"] = self.folder / LATE
        self.paths["a file"].write_text("{}")
        self.paths["a binary file"] = self.folder / "binary"
        self.paths["a binary file"].write_bytes(bytes(range(256)))
        self.paths["a dangling link"] = self.folder / "dangling"
        self.paths["a dangling link"].symlink_to("nowhere")
        self.paths["a loop of links"] = self.folder / "loop"
        self.paths["a loop of links"].symlink_to("loop")
        self.paths["a socket"] = self.folder / "socket"
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket")
        self.paths["a missing path"] = self.folder / "no" / "such" / "path"
        self.paths["a device"] = Path("/dev/null")
        self.paths["endless zeros"] = Path("/dev/zero")

    @cached_property
    def game(self) -> Game:
        """The game with its defaults."""
        return sprawl_env.game(self.name)

    @cached_property
    def replay(self) -> replays.Replay:
        """The replay of a random game."""
        return replays.record_random(self.game, SEED)

    @cached_property
    def replay_file(self) -> Path:
        """A file with the replay."""
        path = self.folder / "replay.jsonl"
        path.write_text(replays.dump(self.replay))
        return path

    @cached_property
    def results(self) -> Path:
        """A file with the results of a game."""
        path = self.folder / "results.jsonl"
        seats = self.game.num_seats
        row = {"deal": 0, "bots": ["random"] * seats, "shares": [0.5] * seats, "scores": None}
        path.write_text(to_line(row))
        return path

    @cached_property
    def run(self) -> Path:
        """The folder of a run with a learning curve of one point."""
        path = self.folder / "run"
        with SummaryWriter(str(path / "tensorboard")) as writer:
            writer.add_scalar("train/entropy", 0.5, 1)
        return path

    @cached_property
    def checkpoint(self) -> Path:
        """The folder of a checkpoint of an untrained policy."""
        made = network_for(self.game, **SHAPE)
        weights = {f"{checkpoint.NET}{k}": v.numpy() for k, v in made.state_dict().items()}
        weights[f"{checkpoint.VALUE}weight"] = np.zeros((1, made.latent_dim_vf), np.float32)
        weights[f"{checkpoint.VALUE}bias"] = np.zeros(1, np.float32)
        config = {"reward_scale": 1.0}
        about = {**checkpoint.describe_game(self.game), "step": 1, "network": SHAPE}
        path = self.folder / "checkpoint"
        return checkpoint.save(path, weights, {**about, "config": config})

    @cached_property
    def dataset(self) -> Dataset:
        """A dataset of random games."""
        bots = ["random"] * self.game.num_seats
        return write_dataset(self.folder / "dataset", self.game, bots, 1)

    @property
    def games(self) -> Games:
        """Fresh records."""
        return self.game.deal(BATCH, SEED)

    @property
    def masks(self) -> Any:
        """The masks of fresh records."""
        games = self.games
        return np.array([self.game.legal_actions(games, g) for g in range(BATCH)])

    @property
    def seen(self) -> Any:
        """The observations of seat 0 of fresh records."""
        games = self.games
        return np.array([self.game.observe(games, g, 0) for g in range(BATCH)])

    @property
    def action(self) -> int:
        """A legal action in a fresh record."""
        return int(self.masks[0].argmax())

    @property
    def bot(self) -> Bot:
        """A bot."""
        return RandomBot(SEED)

    def vec(self) -> VectorGames:
        """Return a batch in the middle of its games."""
        game = self.game.mixed([{}])
        vec = sprawl_env.make_vec(game, BATCH, seed=SEED, render_mode="ansi")
        vec.reset()
        for _ in range(3):
            vec.step(vec.sample_actions())
        return vec

    def opened(self, env: Any) -> Any:
        """Return an environment after its reset."""
        env.reset(seed=SEED)
        return env

    def learners(self) -> Any:
        """Return the environments for Stable-Baselines3 after their reset."""
        env = SelfPlayVecEnv(self.game, BATCH)
        env.reset()
        return env

    def pool(self) -> GamePool:
        """Return one batch that plays in the background, after its reset."""
        made = GamePool(self.game, BATCH, seed=SEED)
        made.reset()
        return made

    def policy(self) -> Policy:
        """Return a policy."""
        return sprawl_env.load_policy(self.checkpoint, self.game)


Make = Callable[[Place], Any]


def stop(games: Games, g: int) -> list[int]:
    """Stop a long check at its first decision.

    Raises:
        InvalidOption: always.
    """
    raise InvalidOption(f"{LATE}/: stopped at the first decision")


# The objects whose methods are called, by class.
OBJECTS: dict[str, Make] = {
    "Game": lambda p: p.game,
    "VectorGames": lambda p: p.vec(),
    "BoardGameAEC": lambda p: p.opened(BoardGameAEC(p.game)),
    "ZooGame": lambda p: p.opened(BoardGameAEC(p.game)),
    "BoardGameParallel": lambda p: p.opened(BoardGameParallel(p.game)),
    "BoardGameGym": lambda p: p.opened(BoardGameGym(p.game)),
    "BoardGameVectorEnv": lambda p: p.opened(BoardGameVectorEnv(p.game, BATCH)),
    "LegalDiscrete": lambda p: LegalDiscrete(p.game.num_actions),
    "MaskedDiscrete": lambda p: MaskedDiscrete(p.game.num_actions),
    "MaskedMultiDiscrete": lambda p: MaskedMultiDiscrete(BATCH, p.game.num_actions),
    "SelfPlayVecEnv": lambda p: p.learners(),
    "GamePool": lambda p: p.pool(),
    "RandomBot": lambda p: p.bot,
    "GreedyBot": lambda p: GreedyBot(p.game),
    "RulesBot": lambda p: RulesBot(p.game),
    "FeaturesBot": lambda p: FeaturesBot(p.game),
    "UserBot": lambda p: UserBot(USERS_BOT, p.game),
    "PolicyBot": lambda p: PolicyBot(p.checkpoint, p.game),
    "Policy": lambda p: p.policy(),
    "ActionTable": lambda p: p.game.actions,
    "ObservationLayout": lambda p: p.game.observation_layout,
    "Replay": lambda p: p.replay,
    "Story": lambda p: replays.Story(p.game, ["you", "greedy"]),
    "Dataset": lambda p: p.dataset,
}


def _default(field: Any, place: Place) -> Any:
    """Return the default of a setting."""
    return field.default


# Good values, by parameter; by the end of the callable's name and the parameter where it differs.
GOOD: dict[str, Make] = {
    "after": lambda p: p.games,
    "about": lambda p: {**checkpoint.describe_game(p.game), "step": 1},
    "action": lambda p: p.action,
    "actions_each": lambda p: 2,
    "agent": lambda p: "player_0",
    "autoreset_mode": lambda p: "SameStep",
    "batch": lambda p: 2,
    "batch_size": lambda p: 2,
    "before": lambda p: p.games,
    "bot": lambda p: p.bot,
    "bots": lambda p: [p.bot, "greedy"],
    "checkpoint": lambda p: checkpoint.load(p.checkpoint),
    "choose": lambda p: lambda games, mask: int(mask.argmax()),
    "data": lambda p: None,
    "discount": lambda p: 0.9,
    "env_id": lambda p: np.arange(BATCH),
    "ended": lambda p: np.zeros((2, BATCH), np.bool_),
    "entity": lambda p: next(b.entity for b in p.game.observation_layout.blocks.values()),
    "expert": lambda p: "greedy",
    "folder": lambda p: p.folder / "new",
    "g": lambda p: 0,
    "game": lambda p: p.game,
    "games": lambda p: p.games,
    "games_per_shard": lambda p: 2,
    "heuristic": lambda p: None,
    "i": lambda p: 0,
    "last_values": lambda p: np.zeros((BATCH, 2)),
    "last": lambda p: Played(0, p.action, "as it was"),
    "legal": lambda p: stop,
    "line_up": lambda p: [p.bot] * p.game.num_seats,
    "makers": lambda p: [lambda: p.bot] * p.game.num_seats,
    "mask": lambda p: np.zeros(p.game.num_actions, np.int8),
    "masks": lambda p: p.masks,
    "max_plies": lambda p: 100_000,
    "mine": lambda p: p.results,
    "n": lambda p: 5,
    "name": lambda p: p.name,
    "names": lambda p: ["you", "greedy"],
    "network": lambda p: network_for(p.game, **SHAPE),
    "now": lambda p: p.games,
    "num_envs": lambda p: 2,
    "num_games": lambda p: 2,
    "num_parts": lambda p: 1,
    "num_threads": lambda p: 1,
    "number": lambda p: 0,
    "numbers": lambda p: np.zeros(p.game.observation_size, np.int8),
    "observe": lambda p: True,
    "observation": lambda p: p.seen[0],
    "observations": lambda p: p.seen,
    "opponent": lambda p: None,
    "opponents": lambda p: [p.bot],
    "options": lambda p: None,
    "out": lambda p: np.zeros(p.game.observation_size, np.float32),
    "parallel": lambda p: None,
    "part": lambda p: 0,
    "path": lambda p: p.checkpoint,
    "plan_turns": lambda p: 4,
    "plan_value": lambda p: None,
    "planes": lambda p: (),
    "played": lambda p: Played(0, p.action, "as it was"),
    "plies": lambda p: 1,
    "ply": lambda p: 0,
    "position": lambda p: p.game.to_json(p.games),
    "preset": lambda p: "quick",
    "probability": lambda p: None,
    "processes": lambda p: 1,
    "progress": lambda p: False,
    "rate": lambda p: None,
    "render_mode": lambda p: None,
    "replay": lambda p: p.replay,
    "reward": lambda p: "winner",
    "rewards": lambda p: np.zeros((2, BATCH, 2)),
    "rules": lambda p: p.game.rules,
    "run": lambda p: p.run,
    "sample": lambda p: False,
    "saved": lambda p: p.games,
    "scale": lambda p: 1.0,
    "seat": lambda p: 0,
    "seats": lambda p: np.zeros((2, BATCH), np.int64),
    "seed": lambda p: SEED,
    "settings": lambda p: None,
    "shares": lambda p: np.array([0.0, 1.0, 0.5]),
    "skip_forced": lambda p: False,
    "spawn": lambda p: False,
    "state": lambda p: p.games[:1],
    "states": lambda p: p.games,
    "tensors": lambda p: {"policy.weight": np.zeros(2, np.float32)},
    "text": lambda p: replays.dump(p.replay),
    "files": lambda p: None,
    "theirs": lambda p: p.results,
    "gae_lambda": lambda p: 0.9,
    "value": lambda p: lambda tables, games, g, seat: 0.0,
    "viewer": lambda p: None,
    "values": lambda p: np.zeros((BATCH, p.game.num_actions), np.float32),
    "watch": lambda p: lambda seat, ply: None,
    "illegal": lambda p: "lose",
    "keep_visits": lambda p: False,
    "visits": lambda p: (),
    "weights": lambda p: None,
    "where": lambda p: "here",
    "which": lambda p: np.arange(BATCH),
    "ActionTable.blocks": lambda p: ("take", 3, "take a card"),
    "ObservationLayout.blocks": lambda p: Block("deck", (2,), "cards"),
    "ObservationLayout.view.name": lambda p: next(iter(p.game.observation_layout.blocks)),
    "PolicyBot.analyse.mask": lambda p: p.masks[0],
    "PolicyBot.name": lambda p: "policy",
    "UserBot.name": lambda p: USERS_BOT,
    "VectorGames.settings": lambda p: VectorSettings(),
    "VectorGames.set_options.options": lambda p: [{}],
    "Game.mixed.options": lambda p: [{}],
    "Game.deal_in_turn.options": lambda p: [{}],
    "from_actions.actions": lambda p: [ply.action for ply in p.replay.plies],
    "game_of.options": lambda p: dict(p.game.options),
    "LegalDiscrete.open.legal": lambda p: np.ones(p.game.num_actions, np.int8),
    "LegalDiscrete.show.legal": lambda p: np.ones(p.game.num_actions, np.int8),
    "format.load.path": lambda p: p.replay_file,
    "load_all.path": lambda p: p.replay_file,
    "load_dataset.folder": lambda p: p.dataset.folder,
    **{
        f"{owner}.observations": lambda p: "int8"
        for owner in ("make_vec", "SelfPlayVecEnv", "BoardGameGym", "BoardGameVectorEnv")
    },
    **{
        f"{kind.__name__}.{field.name}": partial(_default, field)
        for kind in (SearchConfig, PlannerConfig, TreeConfig)
        for field in fields(kind)
    },
    "BoardGameGym.observation": lambda p: "dict",
    "BoardGameVectorEnv.observation": lambda p: "dict",
    "MaskedMultiDiscrete.sample.mask": lambda p: p.masks,
    "load_policy.name": lambda p: p.checkpoint,
    "make_bot.name": lambda p: "random",
    "as_bot.what": lambda p: "opponent",
    "play_games.progress": lambda p: None,
    "play_games.part": lambda p: (0, 1),
    "evaluate.engine": lambda p: "local",
    "evaluate.parts": lambda p: 1,
    "run_protocol.bot": lambda p: "greedy",
    "run_protocol.engine": lambda p: "local",
    "run_protocol.game": lambda p: p.name,
    "run_protocol.num_players": lambda p: 2,
    "run_protocol.name": lambda p: "check",
    "run_protocol.processes": lambda p: 1,
    "register.name": lambda p: None,
    "returns.values": lambda p: np.zeros((2, BATCH)),
    "table.folder": lambda p: p.replay_file,
    "tournament.out": lambda p: p.paths["a file"] / "below",
    "tournament.settings": lambda p: sprawl_env.TournamentSettings(),
    "write_dataset.folder": lambda p: p.paths["a file"] / "below",
}

# Good values that depend on the object whose method is called.
OF_OBJECT: dict[str, Callable[[Any], Any]] = {
    "BoardGameAEC.step.action": lambda env: int(env.last()[0]["action_mask"].argmax()),
    "BoardGameGym.step.action": lambda env: int(env.action_masks().argmax()),
    "BoardGameVectorEnv.step.actions": lambda env: env.action_space.legal.argmax(axis=1),
    "BoardGameParallel.step.actions": lambda env: {
        agent: int(env.reset(seed=SEED)[1][agent]["action_mask"].argmax()) for agent in env.agents
    },
    "SelfPlayVecEnv.step_async.actions": lambda env: env.action_masks().argmax(axis=1),
    "GamePool.send.actions": lambda pool: pool.batches[0].masks.argmax(axis=1),
    "GamePool.step.actions": lambda pool: pool.batches[0].masks.argmax(axis=1),
    "VectorGames.step.actions": lambda vec: vec.masks.argmax(axis=1),
}

# What a callable does not read by its documentation, so that anything is accepted.
UNREAD: Final = (
    *("GreedyBot.act.observations", "RandomBot.act.observations", "RandomBot.act.states"),
    *("RulesBot.act.observations", "FeaturesBot.act.observations"),
    *("PolicyBot.act.states", "UserBot.act.observations", "protocol.ask.observations"),
)

# Further arguments of a callable that has keywords of any name.
EXTRA: dict[str, Callable[[Place], dict[str, Any]]] = {
    "learning.train.train": lambda p: {
        "runs": str(p.paths["a file"] / "below"),
        "processes": 1,
        "evaluation_games": 0,
        "num_envs": 4,
        "num_steps": 4,
        "batch_size": 4,
        "imitation": 0,
        "total_steps": 16,
    },
}
