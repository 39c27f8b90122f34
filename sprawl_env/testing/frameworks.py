"""Whether processes, batches, PettingZoo and Gymnasium take a game."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import pickle
import warnings
from multiprocessing.connection import Connection
from typing import Final

import numpy as np

from sprawl_env.adapters.aec import BoardGameAEC, wrapped
from sprawl_env.adapters.gym import BoardGameGym
from sprawl_env.adapters.parallel import BoardGameParallel
from sprawl_env.adapters.vector import make_vec
from sprawl_env.bots.user import in_words
from sprawl_env.core.game import Game
from sprawl_env.core.state import FINISHED, NOT_OVER, TRUNCATED, clone, digest
from sprawl_env.kernels.arrays import Index
from sprawl_env.testing.probe import Probe

BATCH_ENVS, BATCH_STEPS = 4, 60
CYCLES: Final = 60  # of api_test


class FrameworkChecker(Probe):
    """Hands a game to whatever else takes one."""

    def check(self, seed: int, spawn: bool) -> None:
        """Check pickling, batches, PettingZoo and Gymnasium."""
        self._where = {}
        packed = self._run("pickle", "pickling", lambda: pickle.dumps(self.game))
        other = self._run("pickle", "unpickling", lambda: pickle.loads(packed))
        same = (other.name, other.options) == (self.game.name, self.game.options)
        self._expect("pickle", same, "the game differs after pickling")
        opening = digest(self.game.deal(1, seed))
        same = digest(other.deal(1, seed)) == opening
        self._expect("pickle", same, "the game deals otherwise after pickling")
        if spawn:
            found = _in_spawned_process(packed, seed)
            says = f"a spawned process cannot load the game: {found}"
            self._expect("pickle", found == opening, says)
        self._run("batch", "the batch", lambda: self._batch(seed))
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            self.made["pettingzoo"] += 1
            self._run("pettingzoo", "api_test", lambda: _api_test(self.game))
            self.made["gymnasium"] += 1
            self._run("gymnasium", "check_env", lambda: _check_env(self.game))

    def _batch(self, seed: int) -> None:
        """Compare a batch with single games, and with a batch with observations as int8."""
        game, which = self.game, range(BATCH_ENVS)
        rng = np.random.default_rng(seed)
        vec = make_vec(game, BATCH_ENVS, seed=seed)
        observations, masks, to_play = vec.reset()
        other = make_vec(game, BATCH_ENVS, seed=seed, observations="int8")
        other.reset()
        for _ in range(BATCH_STEPS):
            floats = game.observation_layout.to_floats(other.observations)
            self._expect(
                "batch", np.array_equal(floats, observations),
                "observations as int8 times their scales: expected those as float32",
            )  # fmt: skip
            for i in which:
                seat = int(to_play[i])
                same = seat == vec.games["to_play"][i]
                same = same and np.array_equal(masks[i], game.legal_actions(vec.games, i))
                same = same and np.array_equal(observations[i], game.observe(vec.games, i, seat))
                self._expect("batch", bool(same), f"env {i}: expected what single games give")
            single = clone(vec.games)
            actions: Index = np.array(
                [rng.choice(np.flatnonzero(masks[i])) for i in which], np.int64
            )
            other.step(actions)
            observations, masks, to_play, _, terminated, truncated = vec.step(actions)
            for i in which:
                game.play(single, i, int(actions[i]))
                over = int(single["over"][i])
                same = (terminated[i], truncated[i]) == (over == FINISHED, over == TRUNCATED)
                if over == NOT_OVER:
                    same = same and single[i].tobytes() == vec.games[i].tobytes()
                self._expect("batch", bool(same), f"env {i}: a step differs from a single game's")
        vec.close()
        other.close()


def _api_test(game: Game) -> None:
    from pettingzoo.test import api_test, parallel_api_test  # noqa: PLC0415 - for checks only

    api_test(wrapped(BoardGameAEC(game)), num_cycles=CYCLES)
    if game.kernels.owing is not None:
        parallel_api_test(BoardGameParallel(game), num_cycles=CYCLES)


def _check_env(game: Game) -> None:
    from gymnasium.utils.env_checker import check_env  # noqa: PLC0415 - as above

    check_env(BoardGameGym(game), skip_render_check=True)


def _in_spawned_process(packed: bytes, seed: int) -> str:
    """Return the digest of a deal in a spawned process, or what went wrong there."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_load_and_deal, args=(theirs, packed, seed), daemon=True)
    process.start()
    theirs.close()
    try:
        found = str(ours.recv())
    except EOFError:
        process.join()
        found = (
            f"it ended with exit code {process.exitcode} (a script needs "
            'if __name__ == "__main__": around check_game)'
        )
    process.join()
    ours.close()
    return found


def _load_and_deal(pipe: Connection, packed: bytes, seed: int) -> None:
    """Send the digest of a deal; the body of the spawned process."""
    try:
        game = pickle.loads(packed)
        pipe.send(digest(game.deal(1, seed)))
    except Exception as error:  # whatever keeps it from loading is told to the parent
        pipe.send(in_words(error))
