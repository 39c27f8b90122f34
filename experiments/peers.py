"""Random legal play in other libraries, for comparison in ``experiments.benchmark``.

Every library is used in the fastest way that its documentation describes, and chooses actions by
the cheapest random function.  All of these libraries are optional.  To measure all of them::

    pip install pygame open_spiel==2.0.2 rlcard==1.2.0 catanatron==3.2.1 chess
    pip install jax==0.10.2 jaxlib pgx==2.6.0 mctx==0.0.71 city_of_gold==0.0.3
    pip install flax==0.12.8 optax chex orbax-checkpoint            # for OpenSpiel's AlphaZero

The libraries are imported inside functions; a missing one gives a row "not installed".
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import pairwise
from random import Random
from typing import Any, Final

import numpy as np

Work = Callable[[], int]  # plays whole games or one batch step; returns the number of decisions

_SMALL: Final = 100  # up to so many actions OpenSpiel's own mask (a list) is faster than an array
_PGX_STEPS: Final = 16  # steps per compiled call
_CATAN_SEATS: Final = 4
_CITY_SEATS: Final = 4  # with 2 it crashes after a few thousand random steps
_CITY_PIECES: Final = 2  # parts of the map between start and end
_CITY_STEPS: Final = 100_000  # until a game is cut off, as there
_SIMULATIONS: Final = 200  # per decision
_NETWORK: Final = 128, 2  # width and number of the layers of the networks of searches
_FEW_SIMULATIONS: Final = 32  # of a search with a network, per decision
_LENGTHS: Final = 100  # number of random games that the mean length is measured on

_random = Random(0)


def aec_games(env: Any, seed: int = 0) -> Work:
    """Return a function that plays one game of a PettingZoo AEC environment."""
    env.reset(seed=seed)

    def work() -> int:
        decisions = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(_random.random() * legal.size)]))
            decisions += 1
        return decisions

    return work


def _pettingzoo(name: str) -> Work:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return aec_games(import_module(f"pettingzoo.classic.{name}").env())


def _open_spiel(name: str) -> Work:
    """Play with the observation in the library's own buffer and a mask at every decision."""
    game = import_module("pyspiel").load_game(name)
    observation = import_module("open_spiel.python.observation").make_observation(game)
    mask = np.zeros(game.num_distinct_actions(), np.int8)
    small = mask.size <= _SMALL

    def work() -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(_random.choices(outcomes, chances)[0])
                continue
            observation.set_from(state, state.current_player())
            legal = state.legal_actions()
            if small:
                state.legal_actions_mask()
            else:
                mask[:] = 0
                mask[legal] = 1
            state.apply_action(legal[int(_random.random() * len(legal))])
            decisions += 1
        return decisions

    return work


def _open_spiel_search(name: str) -> Work:
    """Search with the C++ MCTSBot; plies are simulations times the mean length of a random game."""
    pyspiel = import_module("pyspiel")
    game = pyspiel.load_game(name)
    start = _after_chance(game.new_initial_state())
    length = sum(_random_length(start.clone()) for _ in range(_LENGTHS)) / _LENGTHS
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, _SIMULATIONS, 1000, False, 0, False)

    def work() -> int:
        bot.step(start)
        return int(_SIMULATIONS * length)

    return work


def _alpha_zero(name: str) -> Work:
    """Search with the network and the evaluator of AlphaZero, one game, along random games."""
    pyspiel = import_module("pyspiel")
    mcts = import_module("open_spiel.python.algorithms.mcts")
    folder = "open_spiel.python.algorithms.alpha_zero"
    evaluator, utils = import_module(f"{folder}.evaluator"), import_module(f"{folder}.utils")
    game = pyspiel.load_game(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = utils.api_selector("nnx").Model.build_model(
            "mlp", game.observation_tensor_shape(), game.num_distinct_actions(), *_NETWORK,
            1e-4, 1e-3, tempfile.gettempdir(),
        )  # fmt: skip
    bot = mcts.MCTSBot(
        game,
        1.4,
        _FEW_SIMULATIONS,
        evaluator.AlphaZeroEvaluator(game, model),
        solve=False,
        child_selection_fn=mcts.SearchNode.puct_value,
        dont_return_chance_node=True,
    )
    state = _after_chance(game.new_initial_state())

    def work() -> int:
        nonlocal state
        bot.mcts_search(state)
        state.apply_action(_random.choice(state.legal_actions()))
        if _after_chance(state).is_terminal():
            state = _after_chance(game.new_initial_state())
        return _FEW_SIMULATIONS

    return work


def _after_chance(state: Any) -> Any:
    """Play random chance outcomes until a player is to decide."""
    while state.is_chance_node():
        state.apply_action(_random.choice(state.legal_actions()))
    return state


def _random_length(state: Any) -> int:
    """Play to the end at random; returns the number of decisions."""
    decisions = 0
    while not _after_chance(state).is_terminal():
        state.apply_action(_random.choice(state.legal_actions()))
        decisions += 1
    return decisions


def _rlcard(name: str) -> Work:
    """Play with two seats; the library returns the observation at every step."""
    env = import_module("rlcard").make(name)

    def work() -> int:
        decisions = 0
        state, _ = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(_random.random() * len(legal))])
            decisions += 1
        return decisions

    return work


def _catanatron() -> Work:
    """Play in the library's own loop with its random players; legal actions are a list."""
    game_type = import_module("catanatron.game").Game
    player = import_module("catanatron.models.player")
    seats = [player.RandomPlayer(color) for color in list(player.Color)[:_CATAN_SEATS]]

    def work() -> int:
        game = game_type(seats)
        game.play()
        return len(game.state.actions)

    return work


def _pgx(name: str, batch: int) -> Work:
    """Sample, step and re-deal the whole batch in one compiled call, on all cores."""
    jax = import_module("jax")
    jnp = import_module("jax.numpy")
    env = import_module("pgx").make(name)
    step_one = import_module("pgx.experimental").auto_reset(env.step, env.init)

    def step(carry: Any, _: None) -> Any:
        states, key = carry
        key, for_action, for_step = jax.random.split(key, 3)
        logits = jnp.where(states.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(for_action, logits, axis=-1)
        return (jax.vmap(step_one)(states, actions, jax.random.split(for_step, batch)), key), None

    steps = jax.jit(lambda carry: jax.lax.scan(step, carry, None, length=_PGX_STEPS)[0])
    deal = jax.jit(jax.vmap(env.init))
    carry = (deal(jax.random.split(jax.random.PRNGKey(0), batch)), jax.random.PRNGKey(1))

    def work() -> int:
        nonlocal carry
        carry = jax.block_until_ready(steps(carry))
        return batch * _PGX_STEPS

    return work


def _mctx(name: str, batch: int) -> Work:
    """Search with a network in a whole batch and play, in one compiled call, on all cores."""
    jax, mctx = import_module("jax"), import_module("mctx")
    jnp = import_module("jax.numpy")
    env = import_module("pgx").make(name)
    play_on = jax.vmap(import_module("pgx.experimental").auto_reset(env.step, env.init))
    width, depth = _NETWORK
    sizes = [int(np.prod(env.observation_shape)), *[width] * depth, env.num_actions + 1]
    rng = np.random.default_rng(0)
    weights = [
        jnp.asarray(rng.normal(0, (2 / inputs) ** 0.5, (inputs, outputs)), jnp.float32)
        for inputs, outputs in pairwise(sizes)
    ]

    def judge(weights: Any, observations: Any) -> tuple[Any, Any]:
        rows = observations.reshape(batch, -1).astype(jnp.float32)
        for layer in weights[:-1]:
            rows = jax.nn.relu(rows @ layer)
        rows = rows @ weights[-1]
        return rows[:, :-1], jnp.tanh(rows[:, -1])

    def simulate(weights: Any, key: Any, actions: Any, states: Any) -> tuple[Any, Any]:
        player = states.current_player
        states = jax.vmap(env.step)(states, actions, jax.random.split(key, batch))
        logits, values = judge(weights, states.observation)
        again = jnp.where(states.current_player == player, 1.0, -1.0)
        found = mctx.RecurrentFnOutput(
            reward=states.rewards[jnp.arange(batch), player],
            discount=jnp.where(states.terminated, 0.0, again),
            prior_logits=jnp.where(states.legal_action_mask, logits, -1e9),
            value=jnp.where(states.terminated, 0.0, values),
        )
        return found, states

    def search(weights: Any, states: Any, key: Any) -> tuple[Any, Any]:
        key, for_search, for_step = jax.random.split(key, 3)
        logits, values = judge(weights, states.observation)
        found = mctx.gumbel_muzero_policy(
            weights,
            for_search,
            mctx.RootFnOutput(prior_logits=logits, value=values, embedding=states),
            simulate,
            _FEW_SIMULATIONS,
            invalid_actions=~states.legal_action_mask,
        )
        return play_on(states, found.action, jax.random.split(for_step, batch)), key

    compiled = jax.jit(search)
    deal = jax.jit(jax.vmap(env.init))
    carry = (deal(jax.random.split(jax.random.PRNGKey(0), batch)), jax.random.PRNGKey(1))

    def work() -> int:
        nonlocal carry
        carry = jax.block_until_ready(compiled(weights, *carry))
        return batch * _FEW_SIMULATIONS

    return work


def _city_of_gold(batch: int) -> Work:
    """Sample and step in C++ on one thread; masks and observations are written where they lie."""
    library = import_module("city_of_gold")
    runner = library.vec.get_runner(batch)()
    runner.make_samplers(0)
    easy = library.Difficulty.EASY
    runner.get_envs().reset(0, _CITY_SEATS, _CITY_PIECES, easy, _CITY_STEPS, False)

    def work() -> int:
        runner.sample_seq()
        runner.step_seq()
        return batch

    return work


@dataclass(frozen=True)
class Peer:
    """A game of another library.

    Attributes:
        library: name of the library.
        distribution: name of its distribution on PyPI.
        game: name of the game and how it is played.
        prepare: imports the library and returns the function to measure; raises ImportError if the
            library is not installed.
    """

    library: str
    distribution: str
    game: str
    prepare: Callable[[], Work]


SEARCHED: Final = "backgammon"
PEERS: Final = (
    *(
        Peer("PettingZoo", "pettingzoo", f"{name}, AEC", partial(_pettingzoo, name))
        for name in ("connect_four_v3", "texas_holdem_no_limit_v6", "chess_v6")
    ),
    *(
        Peer("OpenSpiel", "open_spiel", f"{name}, mask, obs", partial(_open_spiel, name))
        for name in ("connect_four", "backgammon", "go(board_size=9)", "chess")
    ),
    Peer(
        "OpenSpiel",
        "open_spiel",
        f"{SEARCHED}, MCTSBot, plies",
        partial(_open_spiel_search, SEARCHED),
    ),
    Peer(
        "OpenSpiel",
        "open_spiel",
        f"{SEARCHED}, AlphaZero's search, simulations",
        partial(_alpha_zero, SEARCHED),
    ),
    Peer("RLCard", "rlcard", "uno, mask, obs", partial(_rlcard, "uno")),
    Peer("Catanatron", "catanatron", f"{_CATAN_SEATS} seats, legal actions", _catanatron),
    *(  # the fastest batch of 256, 1024 and 4096 on two cores
        Peer("Pgx", "pgx", f"{name}, {batch}, all cores", partial(_pgx, name, batch))
        for name, batch in (("connect_four", 4096), ("backgammon", 256))
    ),
    Peer(
        "mctx",
        "mctx",
        f"Pgx's {SEARCHED}, 256, simulations, all cores",
        partial(_mctx, SEARCHED, 256),
    ),
    Peer(  # 256 is the most
        "city-of-gold",
        "city_of_gold",
        f"{_CITY_SEATS} seats, 256, mask, obs",
        partial(_city_of_gold, 256),
    ),
)
