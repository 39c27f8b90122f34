"""Play many paired games between bots, in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from sprawl_env.bots.names import as_bot
from sprawl_env.bots.protocol import Bot, ask
from sprawl_env.core.arguments import checked
from sprawl_env.core.batch import BatchKernels, new_results, new_views
from sprawl_env.core.checks import check_memory, check_seed, check_whole
from sprawl_env.core.errors import InvalidOption, short
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import leads, reward_mode, victory_shares
from sprawl_env.core.state import NOT_OVER, TRUNCATED, Games, plain
from sprawl_env.kernels.rng import combine


@dataclass(frozen=True)
class Results:
    """The results of ``[num_games]`` games; columns are the bots of the line-up.

    An automaton (:class:`~sprawl_env.core.game.Game`) has no column, but it can win or share.

    Attributes:
        wins: float64 ``[num_games, seats]``: 1 for the winner, shared victories shared.
        scores: int32 ``[num_games, seats]``, final points.
        margins: float64 ``[num_games, seats]``: final points less the mean of the other sides'.
        seats: int64 ``[num_games, seats]``: where each bot sat.
        deals: int64 ``[num_games]``: games with the same number have the same deal.
        turns: int64 ``[num_games]``.
        plies: int64 ``[num_games]``, decisions of all seats.
        truncated: bool ``[num_games]``: cut off at a turn limit.
    """

    wins: npt.NDArray[np.float64]
    scores: npt.NDArray[np.int32]
    margins: npt.NDArray[np.float64]
    seats: npt.NDArray[np.int64]
    deals: npt.NDArray[np.int64]
    turns: npt.NDArray[np.int64]
    plies: npt.NDArray[np.int64]
    truncated: npt.NDArray[np.bool_]


def join(parts: Sequence[Results]) -> Results:
    """Return several results with the same number of seats as one, game after game."""
    return Results(
        **{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Results)}
    )


@checked
def play_games(
    game: Game,
    line_up: Sequence[str | Bot | type[Bot]],
    num_games: int,
    seed: int = 0,
    batch: int = 512,
    progress: Callable[[int], None] | None = None,
    part: tuple[int, int] = (0, 1),
) -> Results:
    """Play paired games: each deal is played once with every rotation of the seats.

    Args:
        game: the game; its number of seats is the length of ``line_up``.
        line_up: one bot a seat, as a name, an instance or a class
            (:func:`~sprawl_env.bots.names.as_bot`); the same instance may play several seats.
        num_games: rounded up to whole rotations.
        seed: deal ``d`` is dealt from ``(seed, d)``.
        batch: games that are played at once.
        progress: called with the number of games finished since the last call.
        part: ``(k, n)``: only the deals of part ``k`` of ``n`` equal parts are played; bots are
            seeded for each part.

    Raises:
        IllegalAction: a bot does not return an array of legal actions.
        InvalidOption: a number is out of range, there are fewer deals than parts, or ``line_up`` is
            not one bot a seat.
        SprawlError: there is no such bot.
    """
    seats = game.num_seats
    num_games = check_whole("num_games=", num_games, 1)
    check_memory("num_games", num_games, 2 * game.dtype.itemsize)
    seed, batch = check_seed(seed), check_whole("batch=", batch, 1)
    deals, seat_of = rotations(num_games, seats)
    k, first, last = _deals_of(part, len(deals) // seats)
    bots = seated(game, line_up, seed, k)
    deals, seat_of = deals[first * seats : last * seats], seat_of[first * seats : last * seats]
    return join(
        [
            _play_batch(game, bots, deals[a : a + batch], seat_of[a : a + batch], seed, progress)
            for a in range(0, len(deals), batch)
        ]
    )


def _deals_of(part: tuple[int, int], num_deals: int) -> tuple[int, int, int]:
    """Return the number of a part, its first deal and the one after its last.

    Raises:
        InvalidOption: there is no such part, or it has no deals.
    """
    if not isinstance(part, tuple) or len(part) != 2:  # noqa: PLR2004 - (k, n)
        raise InvalidOption(f"part={short(part)}: expected a tuple (k, n), part k of n")
    n = check_whole("part: n=", part[1], 1, num_deals)
    k = check_whole("part: k=", part[0], 0, n - 1)
    return k, k * num_deals // n, (k + 1) * num_deals // n


def rotations(num_games: int, seats: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return which deal each game has, ``[n]``, and where each bot sits, ``[n, bot]``.

    ``n`` is the number of games rounded up to whole rotations.
    """
    num_deals = -(-num_games // seats)
    rotation = np.tile(np.arange(seats), num_deals)
    seat_of = (np.arange(seats)[None, :] + rotation[:, None]) % seats
    return np.repeat(np.arange(num_deals), seats), seat_of


def seated(
    game: Game, line_up: Sequence[str | Bot | type[Bot]], seed: int, part: int = 0
) -> list[Bot]:
    """Return the bots of a line-up, seeded for their first game or for a later part of the games.

    Raises:
        SprawlError: there is no such bot, or they are not one a seat.
    """
    if isinstance(line_up, str) or not isinstance(line_up, Sequence):
        raise InvalidOption(f"line_up={short(line_up)}: expected a list of bots")
    if len(line_up) != game.num_seats:
        raise InvalidOption(
            f"{game.name}: line_up: expected {game.num_seats} bots, one a seat, got {len(line_up)}"
        )
    seeds = [combine(combine(seed, k), 2) for k in range(game.num_seats)]
    if part:
        seeds = [combine(each, part) for each in seeds]
    bots = [as_bot(bot, game, s, "line_up") for bot, s in zip(line_up, seeds, strict=True)]
    for bot, own in zip(bots, seeds, strict=True):
        bot.seed(own)
    return bots


def deal_paired(game: Game, deals: npt.NDArray[np.int64], seed: int) -> Games:
    """Return games of which game ``i`` is dealt from ``(seed, deals[i])``."""
    games = game.empty(len(deals))
    for i, deal in enumerate(deals.tolist()):
        game.kernels.deal(plain(game.tables), plain(games), i, combine(seed, deal))
    return games


def _play_batch(
    game: Game,
    line_up: Sequence[Bot],
    deals: npt.NDArray[np.int64],
    seat_of: npt.NDArray[np.int64],
    seed: int,
    progress: Callable[[int], None] | None,
) -> Results:
    """Play some games to the end."""
    size = len(seat_of)
    stepper = BatchKernels(game)
    games = deal_paired(game, deals, seed)
    sitting = np.argsort(seat_of, axis=1)  # [game, seat] -> bot
    views, results = new_views(game, size), new_results(game, size)
    scores, standings, over = results.scores, results.standings, results.over
    mode = reward_mode("winner")
    running = rows = np.arange(size)
    while running.size:
        acting = sitting[running, games["to_play"][running]]
        for k in np.unique(acting):
            bot, which = line_up[k], running[acting == k]
            n = len(which)
            stepper.look(games, which, rows[:n], views, observe=bot.needs_observations)
            actions = ask(bot, game, games, which, views.observations[:n], views.masks[:n])
            stepper.step(games, which, actions, mode, results)
        done = over[running] != NOT_OVER
        if progress is not None and done.any():
            progress(int(done.sum()))
        running = running[~done]
    by_bot = np.take_along_axis
    return Results(
        by_bot(victory_shares(standings), seat_of, 1),
        by_bot(scores, seat_of, 1),
        by_bot(leads(scores), seat_of, 1),
        seat_of,
        deals,
        games["turn"].astype(np.int64),
        games["ply"].astype(np.int64),
        over == TRUNCATED,
    )
