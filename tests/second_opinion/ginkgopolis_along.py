"""Random games of *Ginkgopolis*, and what a seat is shown during them."""

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

import numpy as np

import sprawl_env
from sprawl_env.core.state import NOT_OVER
from sprawl_env.games.ginkgopolis.constants import LAST_PASS, NO_CARD, NUM_TILES, Step
from sprawl_env.kernels.compile import JIT

# Numbers of trials: smaller without compiled kernels, which are a hundred times faster.
LOOK_EVERY = 5 if JIT else 60  # plies between two checks of what is hidden
REDEALS = 240 if JIT else 25

# Weights of actions in a policy, by their first words; 1 if not listed.
ANYTHING = {"new hand": 0.3}
GIVER = {"without tile": 20, "take tile": 9, "card blue": 9, "done": 0.3, "new hand": 0.3}
BUILDER = {"without tile": 0.05, "new hand": 0.2}


@functools.cache
def data_folder(file, *changes):
    """Return a folder with a changed data file; it is removed when the process ends."""
    text = (sprawl_env.game("ginkgopolis").rules.data_folder / file).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    folder = Path(tempfile.mkdtemp(prefix="ginkgopolis_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / file).write_text(text, encoding="utf-8")
    return folder


FEW_TILES = ("components.toml", ("[6, 6, 6, 0, 0]", "[20, 20, 20, 20, 20]"))
PER_LEVEL = ("components.toml", ('per = "building"', 'per = "level"'))


@functools.cache
def game_of(num_players=2, change=None, **options):
    """Return a game; ``change`` is what :func:`data_folder` takes, or None."""
    folder = None if change is None else data_folder(*change)
    return sprawl_env.game("ginkgopolis", data=folder, num_players=num_players, **options)


def weight_of(name, likes):
    """Return the weight of an action in a policy: its longest listed first words decide."""
    listed = [words for words in likes if name.startswith(words)]
    return likes[max(listed, key=len)] if listed else 1.0


def steered_action(game, games, rng, likes):
    """Return a legal action, drawn by the weights of a policy."""
    actions = np.flatnonzero(game.legal_actions(games))
    names = [game.action_name(games, 0, int(action)) for action in actions]
    weights = np.array([weight_of(name, likes) for name in names])
    return int(rng.choice(actions, p=weights / weights.sum()))


def steered_game(game, seed, likes=ANYTHING, steps=None):
    """Yield the records of a game before every ply and after the last, one array."""
    rng = np.random.default_rng(seed)
    games = game.deal(1, seed=seed)
    while games.over[0] == NOT_OVER and (steps is None or games.ply[0] < steps):
        yield games
        game.play(games, 0, steered_action(game, games, rng, likes))
    yield games


@functools.cache
def positions_of(game, seed, step, likes=None):
    """Return copies of the positions of a game with this decision."""
    likes = {"anything": ANYTHING, "giver": GIVER, "builder": BUILDER}[likes or "anything"]
    return [games.copy() for games in steered_game(game, seed, likes) if step_of(games) == step]


def step_of(games):
    """Return the current decision, None once over."""
    if games.over[0] != NOT_OVER:
        return None
    return Step(int(games.agenda[0, games.agenda_size[0] - 1].step))


def owes(games, seat):
    """Return whether the seat owes a decision now."""
    step = step_of(games)
    if step is None:
        return False
    if step <= LAST_PASS:
        return bool(int(games.owes[0]) >> seat & 1)
    return int(games.to_play[0]) == seat


def mask_of(game, games, seat):
    """Return what a seat that owes a decision may answer, None if it owes none."""
    if not owes(games, seat):
        return None
    asked = games.copy()
    asked.to_play[0] = seat
    return game.legal_actions(asked).tobytes()


def shown_to(game, games, seat):
    """Return all that a seat is shown: its observation, its mask and whether it owes an answer."""
    return game.observe(games, 0, seat).tobytes(), mask_of(game, games, seat)


def cards_in(hand):
    """Return the cards of a hand."""
    return {int(card) for card in hand if card != NO_CARD}


def set_of(tiles):
    """Return a set of tiles as a set."""
    return {tile for tile in range(NUM_TILES) if int(tiles) >> tile & 1}


def seats_of(games):
    """Return the seats of a game."""
    return range(int(games.num_seats[0]))


def record_bytes(games):
    """Return all fields of a game as bytes."""
    return b"".join(np.ascontiguousarray(games[name][0]).tobytes() for name in games.dtype.names)


def violations(game, games):
    """Return what is wrong with a position."""
    return game.rules.violations(game.tables, games, 0)
