"""Bad calls, for a child process: ``python -m tests.bad_calls GROUP`` prints one line a call.

A line is ``LABEL | TYPE OF THE ERROR | MESSAGE``; a call that is not refused prints ``accepted``.
If a call ends the process, its label is the last one printed.
"""

import functools
import sys
import tempfile
from pathlib import Path

import numpy as np

import sprawl_env
from sprawl_env.core.errors import SprawlError

NOT_WHOLE = {
    "bool": True,
    "float": 0.0,
    "nan": float("nan"),
    "none": None,
    "str": "0",
    "bytes": b"0",
    "list": [0],
    "array": np.zeros(1, np.int64),
    "float array": np.zeros(()),
    "numpy bool": np.bool_(False),
    "numpy float": np.float64(0),
    "negative": -1,
    "numpy negative": np.int8(-1),
    "huge": 2**70,
    "object": object(),
}


def attempts(calls):
    """Make calls, ``(label, call)`` each; print what becomes of each."""
    for label, call in calls:
        print(label, end=" | ", flush=True)
        try:
            call()
        except BaseException as error:
            kind = "ok" if isinstance(error, SprawlError) else "WRONG"
            print(f"{kind} {type(error).__name__} | {error}".replace("\n", "\\n"), flush=True)
        else:
            print("accepted", flush=True)


def bad_rows(size, kinds):
    """Return arrays that a kernel must not get instead of a row of ``size``."""
    whole = np.zeros(size, kinds[0])
    frozen = whole.copy()
    frozen.flags.writeable = False
    return {
        "too short": np.zeros(size - 1, kinds[0]),
        "empty": np.zeros(0, kinds[0]),
        "too long": np.zeros(size + 1, kinds[0]),
        "two axes": np.zeros((1, size), kinds[0]),
        "int64": np.zeros(size, np.int64),
        "float64": np.zeros(size, np.float64),
        "bool": np.zeros(size, bool),
        "swapped": np.zeros(size, np.dtype(np.float32).newbyteorder()),
        "every second": np.zeros(2 * size, kinds[0])[::2],
        "backwards": whole[::-1],
        "read-only": frozen,
        "bytes": np.frombuffer(bytes(whole.nbytes), kinds[0]),
        "broadcast": np.broadcast_to(whole[:1], (size,)),
        "masked": np.ma.array(whole),
        "list": whole.tolist(),
        "str": "out",
    }


def bad_games(game, folder):
    """Return what is not a batch of a game's records."""
    own = game.deal(4)
    seats = {"tower_up": 4, "ginkgopolis": 3, "urban_sprawl": 4}[game.name]
    frozen = own.copy()
    frozen.flags.writeable = False
    path = Path(folder) / "games.bin"
    path.write_bytes(own.tobytes())
    longer = np.dtype([*((name, own.dtype[name]) for name in own.dtype.names), ("more", "i1")])
    others = {"max_rounds": 50} if game.name == "ginkgopolis" else {"max_turns": 50}
    return {
        "more seats": sprawl_env.game(game.name, num_players=seats).deal(4),
        "another limit": sprawl_env.game(game.name, **others).deal(4),
        "another game": sprawl_env.game(
            "tower_up" if game.name != "tower_up" else "ginkgopolis"
        ).deal(4),
        "not dealt": np.zeros(4, game.dtype),
        "read-only": frozen,
        "bytes": np.frombuffer(own.tobytes(), game.dtype),
        "map": np.memmap(path, game.dtype, "r", shape=(4,)),
        "map as records": np.memmap(path, game.dtype, "r", shape=(4,)).view(np.recarray),
        "writable map": np.memmap(path, game.dtype, "r+", shape=(4,)),
        "writable map as records": np.memmap(path, game.dtype, "r+", shape=4).view(np.recarray),
        "every second": own[::2],
        "backwards": own[::-1],
        "two axes": own.reshape(2, 2),
        "no axes": own.reshape(4)[0:1].reshape(()),
        "one record": own[0],
        "no games": own[:0],
        "longer records": np.zeros(4, longer).view(np.recarray),
        "raw": own.view(np.ndarray).view(np.uint8),
        "object": np.array([None] * 4),
        "list": list(own),
        "none": None,
        "str": "games",
    }


def methods_of(game):
    """Return calls ``(games, g, seat)`` of every method that takes records."""
    return {
        "legal_actions": lambda games, g=0, seat=0: game.legal_actions(games, g),
        "play": lambda games, g=0, seat=0: game.play(games, g, 0),
        "observe": lambda games, g=0, seat=0: game.observe(games, g, seat),
        "scores": lambda games, g=0, seat=0: game.scores(games, g),
        "standings": lambda games, g=0, seat=0: game.standings(games, g),
        "redeal_hidden": lambda games, g=0, seat=0: game.redeal_hidden(games, g, 0, seat),
        "action_name": lambda games, g=0, seat=0: game.action_name(games, g, 0),
        "describe": lambda games, g=0, seat=0: game.describe(games, g),
        "svg": lambda games, g=0, seat=0: game.svg(games, g, seat),
        "to_json": lambda games, g=0, seat=0: game.to_json(games, g),
    }


def arrays(name):
    """Wrong arrays for all methods of a game."""
    game = sprawl_env.game(name, num_players=2)
    games = game.deal(4)
    before = games.tobytes()
    for label, row in bad_rows(game.num_actions, [np.int8]).items():
        yield f"mask {label}", functools.partial(game.legal_actions, games, 0, row)
    for label, row in bad_rows(game.observation_size, [np.float32]).items():
        yield f"out {label}", functools.partial(game.observe, games, 0, 0, row)
    for label, row in bad_rows(game.observation_size, [np.int8]).items():
        yield f"int8 out {label}", functools.partial(game.observe, games, 0, 0, row)
    with tempfile.TemporaryDirectory() as folder:
        for label, wrong in bad_games(game, folder).items():
            for method, call in methods_of(game).items():
                yield f"{method} {label}", functools.partial(call, wrong)
    assert games.tobytes() == before


def numbers(name):
    """Indices, seats, seeds and actions that are none, for all methods of a game."""
    game = sprawl_env.game(name, num_players=2)
    games = game.deal(4)
    before = games.tobytes()
    for label, wrong in {**NOT_WHOLE, "too many": 4}.items():
        for method, call in methods_of(game).items():
            yield f"{method} g {label}", functools.partial(call, games, wrong)
        for method in ("observe", "redeal_hidden", *(["svg"] if wrong is not None else [])):
            yield (
                f"{method} seat {label}",
                functools.partial(methods_of(game)[method], games, 0, wrong),
            )
    for label, wrong in NOT_WHOLE.items():
        yield f"batch {label}", functools.partial(game.deal, wrong)
        yield f"empty {label}", functools.partial(game.empty, wrong)
        yield f"seed {label}", functools.partial(game.deal, 1, wrong)
        yield f"redeal seed {label}", functools.partial(game.redeal_hidden, games, 0, wrong, 0)
        yield f"action {label}", functools.partial(game.play, games, 0, wrong)
        yield f"action_name {label}", functools.partial(game.action_name, games, 0, wrong)
    yield "batch too many", functools.partial(game.deal, 2**45)
    assert games.tobytes() == before


GROUPS = {"arrays": arrays, "numbers": numbers}


if __name__ == "__main__":
    group, *arguments = sys.argv[1:]
    attempts(GROUPS[group](*arguments))
