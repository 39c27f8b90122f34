"""Recording: make a replay by playing a game, or from the actions that were played.

>>> from sprawl_env import game, replays
>>> replay = replays.record_random(game("tower_up"), seed=1)
>>> replays.verify(replay)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sprawl_env.bots.analysis import Analysis
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import as_array, check_seed, whole_number
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.state import NOT_OVER, Games, digest
from sprawl_env.kernels.arrays import Mask
from sprawl_env.replays.format import FORMAT, Ply, Replay, are_visits, check_header


@checked
def record(game: Game, seed: int, choose: Callable[[Games, Mask], int | Analysis]) -> Replay:
    """Play one game dealt from ``(seed, 0)`` and return its replay.

    Args:
        game: the game.
        seed: seed of the deal.
        choose: called with the state ``[1]`` and the action mask ``[num_actions]``; returns a
            legal action, or what ``bot.analyse(mask, games)`` returned: then the first of its
            actions is played, and the replay keeps the visits.

    Raises:
        IllegalAction: an action is no whole number, or not legal.
        InvalidOption: an analysis is not of the legal actions of its position.
    """
    games = game.deal(1, seed)
    plies = []
    while games["over"][0] == NOT_OVER:
        mask = game.legal_actions(games, 0)
        action, visits = _chosen(choose(games, mask), mask)
        plies.append(_play(game, games, action, mask, visits))
    return _replay(game, games, seed, plies)


def _chosen(answer: Any, mask: Mask) -> tuple[Any, list[float]]:
    """Return the action of an answer of ``choose``, and its visits in the order of the ids.

    Raises:
        InvalidOption: the answer is an analysis of other actions.
    """
    if not isinstance(answer, Analysis):
        return answer, []
    legal, actions, visits = np.flatnonzero(mask), as_array(answer[0]), as_array(answer[1])
    if actions.shape == visits.shape == legal.shape:
        order = np.argsort(actions)
        sorted_visits = visits[order].tolist()
        if np.array_equal(actions[order], legal) and are_visits(sorted_visits, legal.size):
            return int(actions[0]), sorted_visits
    raise InvalidOption("record: choose: expected an analysis of the legal actions, as analyse()'s")


@checked
def from_actions(
    game: Game,
    seed: int,
    actions: Sequence[int],
    visits: Sequence[Sequence[float]] = (),
    **about: Any,
) -> Replay:
    """Return the replay of a game dealt from ``(seed, 0)``, given its actions.

    Args:
        game: the game.
        seed: seed of the deal.
        actions: all actions, in the order in which they were played.
        visits: for each action how much a search considered each legal action, in the order of
            their ids, or an empty list; nothing at all if no search played.
        **about: further keys of the header, e.g. ``bots``; values must be JSON.

    Raises:
        IllegalAction: an action is not legal.
        InvalidOption: ``visits`` do not fit the actions.
    """
    if len(visits) not in (0, len(actions)):
        raise InvalidOption(
            f"from_actions: visits: expected none or {len(actions)}, one list an action, "
            f"got {len(visits)}"
        )
    games = game.deal(1, seed)
    plies = []
    for k, action in enumerate(actions):
        mask, seen = game.legal_actions(games, 0), _plain(visits[k]) if len(visits) else []
        if seen and not are_visits(seen, int(mask.sum())):
            raise InvalidOption(
                f"from_actions: visits[{k}]: expected a number from 0 for each legal action"
            )
        plies.append(_play(game, games, action, mask, seen))
    return _replay(game, games, seed, plies, **about)


def play_ply(game: Game, games: Games, action: int, visits: Sequence[float] = ()) -> Ply:
    """Play an action in game 0 and return the decision as a replay keeps it.

    Args:
        game: the game.
        games: one record ``[1]``; it is changed.
        action: the action.
        visits: how much a search considered each legal action, in the order of their ids, or none.

    Raises:
        IllegalAction: the action is not legal; nothing has changed.
    """
    return _play(game, games, action, game.legal_actions(games, 0), _plain(visits))


def from_plies(game: Game, seed: int, plies: Sequence[Ply], games: Games, **about: Any) -> Replay:
    """Return the replay of a game dealt from ``(seed, 0)`` whose plies are known already.

    Args:
        game: the game.
        seed: seed of the deal.
        plies: all decisions, as :func:`play_ply` returned them.
        games: the position after them, one record ``[1]``.
        **about: further keys of the header, e.g. ``bots``; values must be JSON.

    Raises:
        PositionError: a value of the header is of another type.
    """
    return _replay(game, games, seed, list(plies), **about)


def _plain(visits: Iterable[Any]) -> list[Any]:
    """Return visits with the numbers of numpy as Python's, which JSON can hold."""
    return [each.item() if isinstance(each, np.generic) else each for each in visits]


def _play(game: Game, games: Games, action: Any, mask: Mask, visits: Sequence[float] = ()) -> Ply:
    """Play an action in game 0 and return its ply.

    Raises:
        IllegalAction: the action is no whole number, or not legal; nothing has changed.
    """
    action = whole_number(game, action)
    ply, seat = int(games["ply"][0]), int(games["to_play"][0])
    says, legal = game.action_name(games, 0, action), int(mask.sum())
    game.play(games, 0, action)
    return Ply(ply, seat, action, says, legal, digest(games), tuple(visits))


def _replay(game: Game, games: Games, seed: int, plies: list[Ply], **about: Any) -> Replay:
    """Return the replay whose last state is game 0."""
    options = dict(game.options)
    header = {"format": FORMAT, "game": game.name, "options": options, "seed": seed, **about}
    check_header(header, "replay: header")
    return Replay(header, tuple(plies), tuple(game.scores(games, 0).tolist()))


@checked
def record_random(game: Game, seed: int) -> Replay:
    """Return the replay of a game in which all actions are random.

    Raises:
        InvalidOption: the seed is not a whole number from 0 on.
    """
    rng = np.random.default_rng(check_seed(seed))
    return record(game, seed, lambda _, mask: int(rng.choice(np.flatnonzero(mask))))
