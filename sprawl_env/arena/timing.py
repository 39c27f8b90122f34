"""How long bots think: in the same positions, one game at a time, in one process, warm, in turns.

A bot may use threads of its own, e.g. those of torch.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import numpy as np

from sprawl_env.adapters.vector import make_vec
from sprawl_env.bots.greedy import GreedyBot
from sprawl_env.bots.protocol import Bot, ask, states_for
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games
from sprawl_env.kernels.arrays import Floats, Index, Mask

RANDOM_SHARE: Final = 0.15  # of the actions on the way to the positions
PASSES: Final = 3  # over the positions; the fastest one counts
MILLISECONDS: Final = 1000.0
UNSEEN: Final[Floats] = np.zeros((0, 0), np.float32)  # observations for a bot that needs none


def positions_of(game: Game, count: int, seed: int) -> tuple[Games, Mask]:
    """Return positions with a choice from the whole length of games, and their masks.

    The games are those between ``greedy`` bots, with some random actions.

    Args:
        game: the game.
        count: number of positions.
        seed: of the deals, the bots and the draws.

    Returns:
        Records ``[count]`` and int8 ``[count, num_actions]``, 1 = legal.
    """
    vec = make_vec(game, count, seed=seed, observations="int8", skip_forced=True)
    bot, rng = GreedyBot(game, seed), np.random.default_rng(seed)
    vec.reset()
    every, plies = np.arange(count), 0
    games, masks, taken = vec.games, vec.masks.copy(), np.zeros(count, np.bool_)
    ended = np.zeros(count, np.bool_)
    length = 0
    while not ended.all():  # how long a game takes
        found = vec.step(_actions(game, bot, vec.games, vec.masks, rng, vec.sample_actions()))
        ended |= found.terminated | found.truncated
        length += 1
    until = rng.integers(length, size=count)
    while not taken.all():
        which = every[(until == plies) & ~taken]
        now = vec.games
        games[which], masks[which], taken[which] = now[which], vec.masks[which], True
        vec.step(_actions(game, bot, now, vec.masks, rng, vec.sample_actions()))
        plies += 1
    return games, masks


def _actions(
    game: Game,
    bot: Bot,
    games: Games,
    masks: Mask,
    rng: np.random.Generator,
    drawn: Index,
) -> Index:
    """Return the bot's actions, some of which are replaced by random ones."""
    which: Index = np.arange(len(masks))
    actions = ask(bot, game, games, which, UNSEEN, masks)
    return np.where(rng.random(len(masks)) < RANDOM_SHARE, drawn, actions)


def milliseconds_of(game: Game, bots: Sequence[Bot], games: Games, masks: Mask) -> list[float]:
    """Return the mean milliseconds of each bot for a decision, in the fastest of some passes.

    There are :data:`PASSES` of them; the bots take turns.

    Args:
        game: the game.
        bots: made for it.
        games: positions ``[n]`` with a choice.
        masks: int8 ``[n, num_actions]``, the legal actions.
    """
    layout = game.observation_layout
    numbers = np.zeros((len(masks), layout.size), np.int8)
    for k in range(len(masks)):
        game.kernels.observe(game.tables, games, k, int(games["to_play"][k]), numbers[k])
    seen = numbers * layout.scales
    every = range(len(masks))
    states = [
        [states_for(bot, game, games, np.array([i]), masks[i : i + 1]) for i in every]
        for bot in bots
    ]
    best = [np.inf] * len(bots)
    for bot, own in zip(bots, states, strict=True):
        bot.act(seen[:1], masks[:1], own[0])  # compiles
    for _ in range(PASSES):
        for k, (bot, own) in enumerate(zip(bots, states, strict=True)):
            start = time.perf_counter()
            for i in every:
                bot.act(seen[i : i + 1], masks[i : i + 1], own[i])
            best[k] = min(best[k], (time.perf_counter() - start) / len(masks))
    return [MILLISECONDS * found for found in best]
