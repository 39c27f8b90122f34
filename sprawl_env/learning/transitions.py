"""From the steps of a batch to what each decision brought its seat.

In a game of several seats a step pays everybody: the seat that acted and the seats that wait.  A
seat's decision at step ``t`` therefore earns all that its seat receives from step ``t`` until its
next decision in that game, and what follows later.  The rewards of the steps belong to

- the seat's last decision before them, in the same game;
- no decision, if the seat has not decided yet in that game: such rewards exist with the reward
  modes ``score`` and ``lead``, and are reported in :attr:`Returns.before`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import as_array, described
from sprawl_env.core.errors import InvalidOption

NONE = -1

Floats = npt.NDArray[np.float32]


class Returns(NamedTuple):
    """What the decisions of ``T`` steps of ``n`` games brought, all ``[T, n]`` but ``before``.

    Attributes:
        rewards: float32, what the seat that acted received from this step until its next decision
            in the same game, or until the end of the game or of the steps.
        returns: float32, the discounted sum of these rewards from this decision to the end of the
            game, or of the steps; with ``last_values`` the value after the last step is added.
        following: int64, the step of the same seat's next decision in the same game, -1 for none.
        ended: bool, the game ended in these steps, so nothing is missing in ``returns``.
        advantages: float32, generalized advantage estimates; zeros without ``values``.
        before: float32 ``[T, n, seats]``, at the first step of each game: what each seat received
            before its first decision in that game, or in all of it if it never decided.  A game
            that began before these steps begins with the first of them.
    """

    rewards: Floats
    returns: Floats
    following: npt.NDArray[np.int64]
    ended: npt.NDArray[np.bool_]
    advantages: Floats
    before: Floats


@checked
def returns(
    seats: npt.ArrayLike,
    rewards: npt.ArrayLike,
    ended: npt.ArrayLike,
    *,
    discount: float = 1.0,
    values: npt.ArrayLike | None = None,
    gae_lambda: float = 1.0,
    last_values: npt.ArrayLike | None = None,
) -> Returns:
    """Return the rewards and returns of each decision in consecutive steps of a batch.

    The games may begin before the first step and go on after the last one.

    Args:
        seats: whole numbers ``[T, n]``, who acted: ``to_play`` before the step.
        rewards: ``[T, n, seats]``, the rewards of the step.
        ended: bool ``[T, n]``, the game ended in the step: ``terminated | truncated``.
        discount: factor for each further decision of the same seat, 0..1.
        values: ``[T, n]``, the estimated return of the seat that acted, before it did; for
            ``advantages`` (Schulman et al., 2016).
        gae_lambda: the lambda of generalized advantage estimation, 0..1.
        last_values: ``[n, seats]``, what each seat expects after the last step; default 0.  It
            counts for games that go on.

    Raises:
        InvalidOption: arrays whose shapes do not fit, a factor outside 0..1, a list in which two
            steps are the same array, or ``gae_lambda`` without ``values``.
    """
    for name, given in (("seats", seats), ("rewards", rewards), ("ended", ended)):
        _check_kept(name, given)
    acted = _whole("seats", seats, 2)
    steps, games = acted.shape
    paid = _floats("rewards", rewards, (steps, games, None))
    count = paid.shape[2]
    if acted.size and not 0 <= acted.min() <= acted.max() < count:
        raise InvalidOption(f"seats: expected 0..{count - 1}, as rewards have {count} seats")
    over = as_array(ended)
    if over.shape != acted.shape or over.dtype != bool:
        raise InvalidOption(f"ended: expected bool [{steps}, {games}], got {described(ended)}")
    guessed = None if values is None else _floats("values", values, (steps, games))
    for name, factor in (("discount", discount), ("gae_lambda", gae_lambda)):
        if not 0 <= factor <= 1:
            raise InvalidOption(f"{name} {factor}: expected 0..1")
    if guessed is None and gae_lambda != 1:
        raise InvalidOption(f"gae_lambda {gae_lambda}: expected values too, for advantages")
    out = Returns(
        rewards=np.zeros((steps, games), np.float32),
        returns=np.zeros((steps, games), np.float32),
        following=np.full((steps, games), NONE),
        ended=np.zeros((steps, games), np.bool_),
        advantages=np.zeros((steps, games), np.float32),
        before=np.zeros((steps, games, count), np.float32),
    )
    # What follows the present step, for each game and seat.
    each = np.arange(games)
    pending = np.zeros((games, count), np.float64)  # rewards since the step before
    expected = np.zeros((games, count))
    if last_values is not None:
        expected[:] = _floats("last_values", last_values, (games, count))
    later, value, advantage = expected.copy(), expected.copy(), np.zeros((games, count))
    following = np.full((games, count), NONE)
    known = np.zeros((games, count), np.bool_)  # the end of the game is among the steps
    for t in reversed(range(steps)):
        for state, empty in (
            (pending, 0),
            (later, 0),
            (value, 0),
            (advantage, 0),
            (following, NONE),
        ):
            state[over[t]] = empty
        known[over[t]] = True
        pending += paid[t]
        own = each, acted[t]
        out.rewards[t] = received = pending[own]
        out.following[t], out.ended[t] = following[own], known[own]
        out.returns[t] = later[own] = received + discount * later[own]
        if guessed is not None:
            delta = received + discount * value[own] - guessed[t]
            out.advantages[t] = advantage[own] = delta + discount * gae_lambda * advantage[own]
            value[own] = guessed[t]
        pending[own], following[own] = 0, t
        begins = over[t - 1] if t else np.ones(games, np.bool_)
        out.before[t, begins] = pending[begins]
    return out


def _check_kept(name: str, given: npt.ArrayLike) -> None:
    """Check that the steps in a list are different arrays: ``step()`` overwrites its own.

    Raises:
        InvalidOption: two of them are the same array.
    """
    if not isinstance(given, list | tuple):
        return
    arrays = [id(step) for step in given if isinstance(step, np.ndarray)]
    if len(set(arrays)) < len(arrays):
        raise InvalidOption(
            f"{name}: several steps are the same array: expected copies of what step() overwrites, "
            f"{name}.append(array.copy()), or for an array of your own np.stack({name})"
        )


def _whole(name: str, given: npt.ArrayLike, axes: int) -> npt.NDArray[np.int64]:
    """Return whole numbers with a number of axes."""
    array = as_array(given)
    if array.ndim != axes or array.dtype.kind not in "iu":
        raise InvalidOption(f"{name}: expected whole numbers [T, n], got {described(given)}")
    return array.astype(np.int64)


def _floats(
    name: str, given: npt.ArrayLike, shape: tuple[int | None, ...]
) -> npt.NDArray[np.float64]:
    """Return floats of a shape; None is any length."""
    array = as_array(given)
    fits = (
        array.dtype.kind in "iuf"
        and array.ndim == len(shape)
        and all(wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True))
    )
    if not fits:
        words = ", ".join("seats" if wanted is None else str(wanted) for wanted in shape)
        raise InvalidOption(f"{name}: expected floats [{words}], got {described(given)}")
    return array.astype(np.float64)
