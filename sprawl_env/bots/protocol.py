"""The protocol of everything that plays: a bot chooses actions for a batch of decisions."""

from __future__ import annotations

import zlib
from typing import Any, Final, Protocol

import numpy as np

from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import INT8, as_array, check_observations, check_rows, checked_actions
from sprawl_env.core.errors import IllegalAction, InvalidOption, short
from sprawl_env.core.game import Game
from sprawl_env.core.state import Games, clone, plain
from sprawl_env.kernels.arrays import Floats, Index, Mask
from sprawl_env.kernels.rng import combine


class Bot(Protocol):
    """A bot: it chooses actions for seats of one game.

    Attributes:
        name: its name in tables, logs and error messages.
        needs_observations: if False, ``act`` may be called with None for observations.
        needs_states: if False, ``act`` may be called with None for states.
    """

    name: str
    needs_observations: bool
    needs_states: bool

    def act(self, observations: Floats | None, masks: Mask, states: Games | None) -> Index:
        """Choose one legal action for each row.

        Args:
            observations: float32 ``[n, observation_size]``, as the seat to play sees the game.
            masks: int8 ``[n, num_actions]``, 1 = legal, at least one in each row.
            states: copies of the records ``[n]``, for bots that search or read the board.  What
                the seat to play cannot know is re-dealt in them.

        Returns:
            int64 ``[n]``.
        """
        ...

    def seed(self, seed: int) -> None:
        """Seed the bot's random number generator."""
        ...


def check_bot(what: str, bot: Any) -> Bot:
    """Return ``bot`` if it looks like one.

    Raises:
        InvalidOption: it has no method ``act`` or ``seed``, does not say what it needs, or has no
            name.
    """
    wrong = unfit(bot)
    if wrong:
        why = f" ({'; '.join(wrong)})" if hasattr(bot, "act") and not isinstance(bot, type) else ""
        raise InvalidOption(
            f"{what}: expected a bot's name, a bot or its class, got {short(bot)}{why}"
        )
    return bot  # type: ignore[no-any-return]  # it fits


def unfit(bot: Any) -> list[str]:
    """Return in words what of an object does not fit the protocol; nothing if it looks like a bot.

    Methods cannot be checked further without calling them.
    """
    if isinstance(bot, type):
        return ["expected an instance, not a class"]
    values = (("name", str), ("needs_observations", bool), ("needs_states", bool))
    return [
        f"{attribute}: expected {kind.__name__}"
        for attribute, kind in values
        if not isinstance(getattr(bot, attribute, None), kind)
    ] + [
        f"{method}: expected a method"
        for method in ("act", "seed")
        if not callable(getattr(bot, method, None))
    ]


def is_ours(kind: type) -> bool:
    """Return whether a class is one of this package."""
    return kind.__module__.partition(".")[0] == __name__.partition(".")[0]


BOTS_OF_GAME: Final = 3  # a stream of random numbers of their own


def seat_seed(seed: int, seat: int) -> int:
    """Return the seed of a seat's bot in a game that is dealt from ``seed``.

    The deal draws other random numbers.  The two seeds are no secret of each other: who has one
    can compute the other, so a bot that does so cheats.
    """
    return int(combine(combine(seed, seat), BOTS_OF_GAME))


def check_act(game: Game, name: str, masks: Any, states: Any) -> tuple[Mask, Games]:
    """Return what a bot's ``act`` was given, as its kernels take it.

    Args:
        game: the bot's game.
        name: of the bot, for the message.
        masks: int8 ``[n, num_actions]``, some or all legal actions of each state.
        states: records ``[n]`` of the game, which are not over.

    Raises:
        InvalidOption: they are something else.
    """
    legal = check_masks(game, name, masks)
    if states is None:
        raise InvalidOption(f"{name}: act() needs the states")
    check_states(game, name, legal, states)
    _check_legal(game, name, legal, states)
    return legal, states


def _check_legal(game: Game, name: str, masks: Mask, states: Games) -> None:
    """Check that nothing but legal actions is allowed: kernels play what a mask allows."""
    legal, records, tables = np.empty_like(masks), plain(states), plain(game.tables)
    for k, row in enumerate(legal):
        game.kernels.legal_actions(tables, records, k, row)
    wrong = (masks > legal).any(axis=1)
    if wrong.any():
        raise InvalidOption(
            f"{name}: masks: row {int(wrong.argmax())} has actions that are not legal in its state"
        )


def check_masks(game: Game, name: str, masks: Any) -> Mask:
    """Return the masks that :func:`check_act` checks."""
    legal = check_rows(f"{name}: masks", masks, game.num_actions, INT8)
    if not legal.any(axis=1).all():
        raise InvalidOption(f"{name}: masks: expected a legal action in each row")
    return legal


def check_states(game: Game, name: str, masks: Mask, states: Any) -> None:
    """Check the states as :func:`check_act` does."""
    game.check_games(states)
    if len(states) != len(masks):
        raise InvalidOption(
            f"{name}: states: expected {len(masks)} records, one for each mask, got {len(states)}"
        )


def states_for(bot: Bot, game: Game, games: Games, which: Index, masks: Mask) -> Games:
    """Return copies of some games in which what each seat to play cannot know is re-dealt.

    Only a bot of this package with the attribute ``redeals_hidden`` gets exact copies: it reads
    them through ``redeal_hidden`` alone.  The seed of a row is made of what its seat knows: the
    legal actions and the number of plies.

    Args:
        bot: the bot that receives the copies.
        game: the game.
        games: the batch.
        which: ``[n]``, indices into ``games``.
        masks: int8 ``[n, num_actions]``, the legal actions.
    """
    states = clone(games, which)
    kind = type(bot)
    if not (is_ours(kind) and getattr(kind, "redeals_hidden", False)):
        records, tables = plain(states), plain(game.tables)
        seats, plies = records["to_play"].tolist(), records["ply"].tolist()
        for k in range(len(records)):
            seed = combine(zlib.crc32(masks[k]), plies[k])
            game.kernels.redeal_hidden(tables, records, k, seed, seats[k])
    return states


def _indices(games: Games, which: Any) -> Index:
    """Return indices of games as int64 ``[n]``.

    Raises:
        InvalidOption: not whole numbers, or there is no such game.
    """
    given = as_array(which)
    whole = given.ndim == 1 and given.dtype.kind in "iu"
    if not whole or (given.size and not 0 <= given.min() <= given.max() < len(games)):
        raise InvalidOption(f"ask: which: expected indices 0..{len(games) - 1}, got {short(given)}")
    return given.astype(np.int64, copy=False)


@checked
def ask(
    bot: Bot, game: Game, games: Games, which: Index, observations: Floats, masks: Mask
) -> Index:
    """Return a bot's actions in some games after checking them, int64 ``[n]``.

    Args:
        bot: the bot; it receives only what it needs.
        game: the game.
        games: the batch; the bot receives copies, in which what the seat to play cannot know is
            re-dealt (see :func:`states_for`).
        which: ``[n]``, indices into ``games``.
        observations: float32 ``[n, observation_size]``, not read if the bot needs none.
        masks: int8 ``[n, num_actions]``; the bot receives a copy.

    Raises:
        IllegalAction: the bot's answer is not an array of ``n`` legal actions; names the bot.
        InvalidOption: an argument is something else.
    """
    check_bot("ask: bot", bot)
    game.check_games(games)
    which = _indices(games, which)
    masks = check_rows("ask: masks", masks, game.num_actions, INT8)
    if bot.needs_observations:
        size = game.observation_size
        observations = check_observations("ask: observations", observations, size)
    if len(masks) != len(which) or (bot.needs_observations and len(observations) != len(which)):
        raise InvalidOption(f"ask: expected {len(which)} rows, one for each of which")
    return answer(bot, game, games, which, observations, masks)


def answer(
    bot: Bot, game: Game, games: Games, which: Index, observations: Floats, masks: Mask
) -> Index:
    """Return what :func:`ask` does, of arguments that are known to fit."""
    states = states_for(bot, game, games, which, masks) if bot.needs_states else None
    given = bot.act(observations if bot.needs_observations else None, masks.copy(), states)
    try:
        return checked_actions(game, games, which, masks, given)
    except IllegalAction as error:
        raise IllegalAction(f"bot {bot.name}: {error}") from None
