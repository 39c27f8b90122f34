"""Bad calls, for a child process: ``python -m tests.bad_calls GROUP[:GAME] ...``.

It prints ``== GROUP[:GAME]`` and then one line a call: ``LABEL | TYPE OF THE ERROR | MESSAGE``, or
``accepted`` if the call is not refused.  If a call ends the process, its label is the last one
printed.
"""

import functools
import importlib
import mmap
import sys
import tempfile
from pathlib import Path

import numpy as np

import sprawl_env
from sprawl_env.adapters.aec import BoardGameAEC
from sprawl_env.adapters.gym import BoardGameGym
from sprawl_env.adapters.parallel import BoardGameParallel
from sprawl_env.arena.games import play_games
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
        "no such seat": changed(own, to_play=100),
        "a seat below 0": changed(own, to_play=-2),
        "no seat to play": changed(own, to_play=-1),
        "over with a seat": changed(own, over=1),
        "no such end": changed(own, to_play=-1, over=3),
        "read-only": frozen,
        "bytes": np.frombuffer(own.tobytes(), game.dtype),
        "map": np.memmap(path, game.dtype, "r", shape=(4,)),
        "map as records": np.memmap(path, game.dtype, "r", shape=(4,)).view(np.recarray),
        "writable map": np.memmap(path, game.dtype, "r+", shape=(4,)),
        "writable map as records": np.memmap(path, game.dtype, "r+", shape=4).view(np.recarray),
        "part of a map": np.memmap(path, game.dtype, "r+", shape=4).view(np.ndarray)[:],
        "part of a map as records": np.memmap(path, game.dtype, "r+", shape=4).view(np.recarray)[:],
        "buffer of a map": np.frombuffer(mapped(path), game.dtype),
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


def changed(games, **fields):
    """Return a copy whose fields hold other numbers."""
    made = games.copy()
    for name, number in fields.items():
        made[name] = number
    return made


def mapped(path):
    """Return the memory of a file."""
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), 0)


def methods_of(game):
    """Return calls ``(games, g, seat)`` of every method that takes records."""
    return {
        "legal_actions": lambda games, g=0, seat=0: game.legal_actions(games, g),
        "play": lambda games, g=0, seat=0: game.play(games, g, 0),
        "observe": lambda games, g=0, seat=0: game.observe(games, g, seat),
        "scores": lambda games, g=0, seat=0: game.scores(games, g),
        "standings": lambda games, g=0, seat=0: game.standings(games, g),
        "points": lambda games, g=0, seat=0: game.points(games, g),
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
            if wrong is None and method in {"scores", "standings"}:  # of the whole batch
                continue
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


def actions_for(count):
    """Return what is not ``count`` legal actions."""
    return {
        **{label: wrong for label, wrong in NOT_WHOLE.items() if label != "array"},
        "too few": np.zeros(count - 1, int),
        "floats": np.zeros(count),
        "bools": np.zeros(count, bool),
        "two axes": np.zeros((count, 1), int),
        "ragged": [[0], *([0, 1] for _ in range(count - 1))],
        "words": ["0"] * count,
        "nans": [float("nan")] * count,
        "too large": np.full(count, 10**6),
        "below": np.full(count, -1),
        "unsigned": np.full(count, 2**63, np.uint64),
    }


def batches():
    """Wrong calls of a batch, before and after its reset."""
    game = sprawl_env.game("tower_up")
    for label, wrong in NOT_WHOLE.items():
        for name in ("num_envs", "num_threads"):
            if (name, label) == ("num_threads", "huge"):
                continue  # as many threads as are useful
            keys = {"num_envs": 2, name: wrong}
            yield f"{name} {label}", functools.partial(sprawl_env.make_vec, game, **keys)
        yield f"vec seed {label}", functools.partial(sprawl_env.make_vec, game, 2, seed=wrong)
    yield "num_envs too many", lambda: sprawl_env.make_vec(game, 2**45)
    yield "skip_forced", lambda: sprawl_env.make_vec(game, 2, skip_forced="yes")
    vec = sprawl_env.make_vec(game, 4, render_mode="ansi")
    yield "step before reset", lambda: vec.step([0] * 4)
    yield "sample before reset", vec.sample_actions
    yield "render before reset", vec.render
    vec.reset(seed=5)
    before = vec.games.tobytes()
    for label, wrong in actions_for(4).items():
        yield f"step {label}", functools.partial(vec.step, wrong)
    for label, wrong in NOT_WHOLE.items():
        yield f"render {label}", functools.partial(vec.render, wrong)
        if wrong is not None:
            yield f"reset {label}", functools.partial(vec.reset, wrong)
    with tempfile.TemporaryDirectory() as folder:
        for label, wrong in bad_games(game, folder).items():
            yield f"load {label}", functools.partial(vec.load, wrong)
    over = game.deal(4)
    over["over"][2], over["to_play"][2] = 1, -1
    yield "load a game that is over", lambda: vec.load(over)
    yield "load too few", lambda: vec.load(game.deal(3))
    illegal = [int(np.flatnonzero(mask == 0)[0]) for mask in vec.masks]
    vec.masks[:] = 1
    vec.games["to_play"] = 1
    yield "step with an edited mask", lambda: vec.step(illegal)
    assert vec.games.tobytes() == before


def environments():
    """Wrong calls of the environments of one game, before and after their reset."""
    game = sprawl_env.game("ginkgopolis")
    made = BoardGameAEC(game), BoardGameParallel(game), BoardGameGym(game, render_mode="ansi")
    aec, parallel, gym = made
    yield "aec step before reset", lambda: aec.step(0)
    yield "aec observe before reset", lambda: aec.observe("player_0")
    yield "aec render before reset", aec.render
    yield "aec state before reset", aec.state
    yield "aec record before reset", lambda: aec.record
    yield "parallel step before reset", lambda: parallel.step({})
    yield "gym step before reset", lambda: gym.step(0)
    yield "gym masks before reset", gym.action_masks
    yield "gym render before reset", gym.render
    for env in made:
        for label, wrong in NOT_WHOLE.items():
            if wrong is not None:
                yield f"{type(env).__name__} seed {label}", functools.partial(env.reset, seed=wrong)
        env.reset(seed=1)
    before = [env.games.tobytes() for env in made]
    for label, wrong in NOT_WHOLE.items():
        yield f"aec observe {label}", functools.partial(aec.observe, wrong)
        yield f"aec space {label}", functools.partial(aec.action_space, wrong)
        if label != "array":
            yield f"aec step {label}", functools.partial(aec.step, wrong)
            yield f"gym step {label}", functools.partial(gym.step, wrong)
        yield f"parallel step {label}", functools.partial(parallel.step, wrong)
        each = dict.fromkeys(parallel.agents, wrong)
        yield f"parallel action {label}", functools.partial(parallel.step, each)
        if wrong is not None:
            yield f"gym seat {label}", functools.partial(BoardGameGym, game, seat=wrong)
            yield f"opponent {label}", functools.partial(BoardGameGym, game, opponent=wrong)
    mask = aec.infos[aec.agent_selection]["action_mask"]
    illegal = int(np.flatnonzero(mask == 0)[0])
    mask[:] = 1
    yield "aec step with an edited mask", lambda: aec.step(illegal)
    illegal = int(np.flatnonzero(gym.action_masks() == 0)[0])
    gym.action_space.legal[:] = 1
    yield "gym step with an edited mask", lambda: gym.step(illegal)
    assert [env.games.tobytes() for env in made] == before


def learners():
    """Wrong calls of the Stable-Baselines3 environments and of matches."""
    make = importlib.import_module("sprawl_env.adapters.sb3").SelfPlayVecEnv  # imports torch
    game = sprawl_env.game("tower_up")
    bot = sprawl_env.make_bot("random", game)
    for label, wrong in NOT_WHOLE.items():
        yield f"num_envs {label}", functools.partial(make, game, wrong)
        yield f"seed {label}", functools.partial(make, game, 2, seed=wrong)
        yield f"num_games {label}", functools.partial(play_games, game, [bot] * 2, wrong)
        if label != "huge":  # all games at once
            yield f"batch {label}", functools.partial(play_games, game, [bot] * 2, 2, batch=wrong)
    for label in ("none", "nan", "str", "list", "bool", "object"):
        wrong = NOT_WHOLE[label]
        yield f"scale {label}", functools.partial(make, game, 2, scale=wrong)
        yield f"line-up {label}", functools.partial(play_games, game, wrong, 2)
        yield f"bot {label}", functools.partial(play_games, game, [bot, wrong], 2)
        if label != "none":
            yield f"opponents {label}", functools.partial(make, game, 2, opponents=wrong)
            yield f"weights {label}", functools.partial(make, game, 2, weights=wrong)
    yield "ragged weights", lambda: make(game, 2, weights=[[1], [1, 2]])
    env = make(game, 4)
    yield "step before reset", lambda: env.step([0] * 4)
    yield "step_wait before step_async", env.step_wait
    env.reset()
    before = env.games.tobytes()
    for label, wrong in actions_for(4).items():
        yield f"step {label}", functools.partial(env.step, wrong)
    illegal = [int(np.flatnonzero(mask == 0)[0]) for mask in env.action_masks()]
    env.action_masks()[:] = 1
    env.env_method("action_masks")[:] = 1
    yield "step with an edited mask", lambda: env.step(illegal)
    assert env.games.tobytes() == before


GROUPS = {
    "arrays": arrays,
    "numbers": numbers,
    "batches": batches,
    "environments": environments,
    "learners": learners,
}


if __name__ == "__main__":
    for each in sys.argv[1:]:
        group, _, game = each.partition(":")
        print(f"== {each}", flush=True)
        attempts(GROUPS[group](*filter(None, [game])))
