"""What bots are handed: positions in which all that their seat cannot know is re-dealt."""

import numpy as np
import pytest

import sprawl_env
from sprawl_env.adapters.gym import BoardGameGym
from sprawl_env.arena.games import play_games
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.protocol import states_for
from sprawl_env.core.state import clone
from sprawl_env.kernels.compile import JIT

# every kind of bot that declares that it re-deals by itself
DECLARE = (
    "planner:candidates=3,playouts=6,turns=1",
    "mcts:sims=12,plies=6",
    "mcts:sims=8,plies=4,widen=1,greedy=500",
    "flat:sims=10,plies=4",
    "search:agent=uniform,sims=4",
    "planner:adviser=tower_up/quick,playouts=6",
)
COUNT = 12 if JIT else 2
REDEALS = 4


def positions(game, plies, count=COUNT):
    vec = sprawl_env.make_vec(game, count, seed=plies, observations=None)
    vec.reset()
    for _ in range(plies):
        vec.step(vec.sample_actions())
    return vec.games, vec.masks.copy()


def redealt(game, states, seed):
    other = clone(states)
    for k in range(len(other)):
        game.redeal_hidden(other, k, seed + k, int(other["to_play"][k]))
    return other


@pytest.mark.parametrize("name", DECLARE)
def test_a_bot_that_redeals_by_itself_is_handed_the_true_position(name):
    game = sprawl_env.game("tower_up")
    states, masks = positions(game, 25)
    bot = make_bot(name, game)
    assert type(bot).redeals_hidden
    handed = states_for(bot, game, states, np.arange(len(states)), masks)
    assert handed.tobytes() == states.tobytes()


class Spy:
    """Plays the first legal action and keeps the states that it is given."""

    name, needs_observations, needs_states = "spy", False, True
    redeals_hidden = True  # not a bot of the package: this has no effect

    def __init__(self):
        self.seen = []

    def seed(self, seed):
        pass

    def act(self, observations, masks, states):
        self.seen += [states[k].copy() for k in range(len(states))]
        return masks.argmax(axis=1)


def generators(spy):
    return {int(record["rng"]) for record in spy.seen}


def truth(game, paths):
    """Return the generators' states of games that are played by first legal actions."""
    found = set()
    for games in paths:
        while games["over"][0] == 0:
            found.add(int(games["rng"][0]))
            game.play(games, 0, int(game.legal_actions(games).argmax()))
    return found


def test_a_bot_in_a_match_never_sees_the_true_random_numbers():
    game = sprawl_env.game("tower_up", max_turns=8)
    spy = Spy()
    play_games(game, [spy, spy], 4, seed=3)
    true = truth(game, [game.deal(d + 1, 3)[d : d + 1].copy() for d in range(2)])
    assert len(spy.seen) > 10
    assert not generators(spy) & true


def test_opponents_in_a_gymnasium_environment_never_see_the_true_random_numbers():
    game = sprawl_env.game("tower_up", max_turns=8)
    spy = Spy()
    env = BoardGameGym(game, opponent=spy, seat=0)
    _, info = env.reset(seed=1)
    true, ended = set(), False
    while not ended:
        true.add(int(env.games["rng"][0]))
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        true.add(int(env.games["rng"][0]))
        ended = terminated or truncated
    assert len(spy.seen) > 5
    assert not generators(spy) & true


def test_opponents_of_learners_never_see_the_true_random_numbers():
    sb3 = pytest.importorskip("sprawl_env.adapters.sb3")
    game = sprawl_env.game("tower_up")
    spy = Spy()
    env = sb3.SelfPlayVecEnv(game, 3, opponents=[spy], seed=2)
    env.reset()
    true = set()
    for _ in range(4):
        true |= {int(number) for number in env.games["rng"]}
        env.step(env.action_masks().argmax(axis=1))
    assert len(spy.seen) > 5
    assert not generators(spy) & true


def test_a_bot_sees_the_same_position_whatever_is_hidden_from_it(any_game):
    states, masks = positions(any_game, 25)
    rows = np.arange(len(states))
    first = states_for(Spy(), any_game, states, rows, masks)
    for seed in range(REDEALS):
        other = redealt(any_game, states, 1000 * seed)
        again = states_for(Spy(), any_game, other, rows, masks)
        assert again.tobytes() == first.tobytes()
    for k in rows:
        assert int(first["rng"][k]) != int(states["rng"][k])
