"""The OpenSpiel adapter: every registered game as a Python game of ``pyspiel``.

Importing this module registers them: ``pyspiel.load_game("sprawl_env_tower_up(num_players=3)")``.
It needs open_spiel (extra ``open_spiel``), so ``import sprawl_env`` does not import it.

A record holds the order of its decks, which no seat knows.  There are two models of that, chosen by
the parameter ``chance``:

``draws``
    For games in which all seats know the same (Tower Up, Urban Sprawl).  After each decision all
    that is hidden is re-dealt from one of ``draws`` seeds, and results that no seat can tell apart
    are one outcome.  A decision that turns nothing up has one outcome and no chance node.  The game
    has perfect information and explicit chance, so no search can look into a deck.
``deal``
    For games with private knowledge (Ginkgopolis).  The only chance node deals the game, from one
    of ``deals`` seeds, and the game has imperfect information.  A search must use
    ``resample_from_infostate``, which calls the game's ``redeal_hidden``; one that only clones
    states sees what is hidden, as in every game of imperfect information in OpenSpiel.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

import numpy as np

from sprawl_env.core import registry
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import check_whole
from sprawl_env.core.errors import InvalidOption, unknown
from sprawl_env.core.extras import require
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import RANK, REWARDS, WINNER, rank_reward, winner_reward
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import NOT_OVER, Games, clone, plain, raw_bytes
from sprawl_env.kernels.arrays import Floats
from sprawl_env.kernels.rng import combine

pyspiel: Any = require("pyspiel", "sprawl_env.adapters.open_spiel")

PREFIX: Final = "sprawl_env_"  # of the short names in pyspiel
MODELS: Final = ("auto", "draws", "deal")
TERMINAL_REWARDS: Final = (REWARDS[WINNER], REWARDS[RANK])  # those with known limits
OWN: Final = {
    "reward": REWARDS[WINNER],
    "chance": "auto",
    "deals": 100,
    "deal_nodes": 3,
    "draws": 8,
    "data": "",
}
"""The parameters of every game besides its own options, with their defaults."""
LONGEST: Final = 100_000  # decisions; no game of this package comes near
_MOST_OUTCOMES: Final = 10_000  # of a chance node: algorithms list them
_MOST_NODES: Final = 4  # so that a seed is below 2**63
_PROBED: Final = (3, 300)  # games and plies that show whether all seats know the same
_CHANCE: Final = int(pyspiel.PlayerId.CHANCE)
_TERMINAL: Final = int(pyspiel.PlayerId.TERMINAL)


class Point:
    """A point of a game's history.  It never changes, so the copies of a state share it.

    Attributes:
        games: records ``[1]``; before the deal and at a draw None.
        to_play: the seat, or the player id of OpenSpiel for chance or the end.
        legal: legal action ids in ascending order; empty at chance nodes and the end.
        before: the point that led here; None at the root, and where a state was resampled.
        action: what was played at ``before``.
        results: at a draw, the records that can follow.
        chances: the probabilities of ``results``.
    """

    __slots__ = ("action", "before", "chances", "games", "known", "legal", "results", "to_play")

    def __init__(
        self, to_play: int, games: Games | None, before: Point | None = None, action: int = 0
    ) -> None:
        self.to_play, self.games, self.before, self.action = to_play, games, before, action
        self.legal: list[int] = []
        self.results: list[Games] = []
        self.chances: list[float] = []
        self.known: dict[int, bytes] = {}

    @property
    def position(self) -> Games:
        """The records of a point that has some."""
        assert self.games is not None
        return self.games

    def __deepcopy__(self, memo: dict[int, Any]) -> Point:
        """Return the point itself: OpenSpiel clones a state by deep copies."""
        return self


class BoardGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel is untyped
    """A game as OpenSpiel sees it; ``pyspiel.load_game`` makes it.

    Attributes:
        rules: the game with its options.
        draws: outcomes of a draw; 0 in the model ``deal``.
        deals: outcomes of each chance node of the deal.
        deal_nodes: number of chance nodes of the deal.
    """

    def __init__(self, game_type: Any, rules: GameRules, params: dict[str, Any]) -> None:
        own = {name: params.get(name, default) for name, default in OWN.items()}
        options = {name: value for name, value in params.items() if name not in OWN}
        self.rules = Game(rules, own["data"] or None, **options)
        self.deals = check_whole("deals=", own["deals"], 1, _MOST_OUTCOMES)
        self.deal_nodes = check_whole("deal_nodes=", own["deal_nodes"], 1, _MOST_NODES)
        draws = check_whole("draws=", own["draws"], 1, _MOST_OUTCOMES)
        self.reward = _checked_word("reward for OpenSpiel", own["reward"], TERMINAL_REWARDS)
        self.draws = draws if _model(self.rules, own["chance"]) == "draws" else 0
        self._copies = np.zeros(self.draws, np.int64)
        self.root = Point(_CHANCE, None)
        self.first = [(k, 1.0 / self.deals) for k in range(self.deals)]
        super().__init__(
            _concrete(game_type, self.rules, self.draws > 0), self._info(draws), params
        )

    def _info(self, draws: int) -> Any:
        """Return sizes and limits of the game."""
        others = max(1, self.rules.num_sides - 1)  # a side alone has no others
        lowest = -1.0 / others if self.reward == REWARDS[WINNER] else -1.0
        return pyspiel.GameInfo(
            num_distinct_actions=self.rules.num_actions,
            max_chance_outcomes=max(self.deals, draws),
            num_players=self.rules.num_seats,
            min_utility=lowest,
            max_utility=1.0,
            utility_sum=0.0 if self.rules.num_seats > 1 else None,
            max_game_length=LONGEST,
        )

    def new_initial_state(self) -> BoardGameState:
        """Return the state before the deal."""
        return BoardGameState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> BoardGameObserver:
        """Return an observer of what one seat sees.

        Raises:
            InvalidOption: another kind of observation is asked for, or parameters are given.
        """
        if isinstance(iig_obs_type, dict):  # OpenSpiel gives the parameters alone
            iig_obs_type, params = None, iig_obs_type
        return BoardGameObserver(self.rules, iig_obs_type, params)

    def after(self, point: Point, action: int) -> Point:
        """Return the point that follows an action or a chance outcome.

        Raises:
            IllegalAction: the action is not legal.
            InvalidOption: there is no such outcome.
        """
        if point.to_play == _CHANCE:
            count = len(point.results) or self.deals
            k = check_whole("chance outcome ", action, 0, count - 1)
            return (
                self._point(point.results[k], point, k) if point.results else self._dealt(point, k)
            )
        games = clone(point.position)
        if action not in point.legal:
            self.rules.play(games, 0, action)  # raises, and says what is legal
        if self.draws:
            return self._drawn(point, action)
        self.rules.kernels.play(plain(self.rules.tables), plain(games), 0, action)
        return self._point(games, point, action)

    def _dealt(self, point: Point, k: int) -> Point:
        """Return the point after an outcome of the deal, a digit of its seed."""
        point = Point(_CHANCE, None, point, k)
        digits, at = [], point
        while at.before is not None:
            digits.append(at.action)
            at = at.before
        if len(digits) < self.deal_nodes:
            return point
        seed = 0
        for digit in reversed(digits):
            seed = seed * self.deals + digit
        return self._point(self.rules.deal(1, seed), point.before, k)

    def _drawn(self, point: Point, action: int) -> Point:
        """Return the draw after an action; if nothing is drawn, the point that follows it.

        Two results are one if they are the same bytes after what is hidden in them was re-dealt
        from one seed.
        """
        kernels, tables = self.rules.kernels, plain(self.rules.tables)
        seed = int(plain(point.position)["rng"][0])
        games = plain(clone(point.position, self._copies))
        for k in range(self.draws):
            kernels.redeal_hidden(tables, games, k, combine(seed, k), point.to_play)
            kernels.play(tables, games, k, action)
        shown = plain(clone(games))
        for k in range(self.draws):
            kernels.redeal_hidden(tables, shown, k, 0, 0)
        rows, found = raw_bytes(shown), dict[bytes, list[int]]()
        for k in range(self.draws):
            found.setdefault(rows[k].tobytes(), []).append(k)
        results = [clone(games, slice(same[0], same[0] + 1)) for same in found.values()]
        if len(results) == 1:
            return self._point(results[0], point, action)
        draw = Point(_CHANCE, None, point, action)
        draw.results = results
        draw.chances = [len(same) / self.draws for same in found.values()]
        return draw

    def _point(self, games: Games, before: Point | None, action: int) -> Point:
        """Return the point of a position."""
        records = plain(games)
        if records["over"][0] != NOT_OVER:
            return Point(_TERMINAL, games, before, action)
        point = Point(int(records["to_play"][0]), games, before, action)
        mask = np.empty(self.rules.num_actions, np.int8)
        self.rules.kernels.legal_actions(plain(self.rules.tables), records, 0, mask)
        point.legal = np.flatnonzero(mask).tolist()
        return point

    def resampled(self, point: Point, seat: int, seed: int) -> Point:
        """Return a point that ``seat`` cannot tell from this one: the hidden is re-dealt.

        What the other seats have seen until then is forgotten.
        """
        if point.games is None:  # nothing is dealt, or the outcomes of a draw are all there is
            return point
        games = clone(point.games)
        self.rules.redeal_hidden(games, 0, seed, seat)
        made = self._point(games, None, point.action)
        made.known[seat] = self.known(point, seat)
        return made

    def known(self, point: Point, seat: int) -> bytes:
        """Return a digest of all that a seat has seen and done until a point."""
        path = []
        at: Point | None = point
        while at is not None and seat not in at.known:
            path.append(at)
            at = at.before
        digest = b"" if at is None else at.known[seat]
        for one in reversed(path):
            digest = one.known[seat] = self._seen(one, seat, digest)
        return digest

    def _seen(self, point: Point, seat: int, earlier: bytes) -> bytes:
        """Return a digest of what a seat sees at a point, its last action and ``earlier``."""
        hashed = hashlib.blake2b(earlier, digest_size=16)
        if point.before is not None and point.before.to_play == seat:
            hashed.update(b"%d," % point.action)
        if point.games is not None:
            hashed.update(self.seen(point, seat))
        return hashed.digest()

    def seen(self, point: Point, seat: int) -> bytes:
        """Return the observation of a seat as bytes, with who plays and its own legal actions."""
        if point.games is None:
            return b""
        numbers = np.empty(self.rules.observation_size, np.int8)
        self.rules.kernels.observe(plain(self.rules.tables), plain(point.games), 0, seat, numbers)
        legal = point.legal if point.to_play == seat else []
        return b"%d,%b" % (point.to_play, bytes(str(legal), "ascii")) + numbers.tobytes()


class BoardGameState(pyspiel.State):  # type: ignore[misc]  # pyspiel is untyped
    """A state of a game, with the methods that OpenSpiel's Python games have."""

    def __init__(self, game: BoardGame) -> None:
        super().__init__(game)
        self._point = game.root

    def current_player(self) -> int:
        """Return the seat to play, or OpenSpiel's id for chance or the end."""
        return self._point.to_play

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._point.legal) if player == self._point.to_play else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of a deal or a draw with their probabilities."""
        chances = self._point.chances
        return list(enumerate(chances)) if chances else list(self.get_game().first)

    def _apply_action(self, action: int) -> None:
        self._point = self.get_game().after(self._point, action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == _CHANCE:
            return f"draw {action}" if self._point.results else f"deal {action}"
        if self._point.games is None:
            return f"action {action}"
        return str(self.get_game().rules.action_name(self._point.games, 0, action))

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._point.to_play == _TERMINAL

    def returns(self) -> list[float]:
        """Return the reward of every seat; 0 before the end."""
        game, games = self.get_game(), self._point.games
        if games is None or self._point.to_play != _TERMINAL:
            return [0.0] * game.rules.num_seats
        return _earned(game.rules, game.reward, games)

    def resample_from_infostate(self, player: int, sampler: Any) -> BoardGameState:
        """Return a state that ``player`` cannot tell from this one.

        ``redeal_hidden`` draws what the player cannot know.  What the other players have seen until
        then is not drawn: their information states begin at this state.

        Args:
            player: the seat that looks.
            sampler: returns random numbers in [0, 1).
        """
        made: BoardGameState = self.clone()
        seed = int(sampler() * 2**53)
        made._point = self.get_game().resampled(self._point, player, seed)
        return made

    def __str__(self) -> str:
        games = self._point.games
        return str(self.get_game().rules.describe(games, 0)) if games is not None else "chance"


class BoardGameObserver:
    """What one seat sees, as OpenSpiel's observers give it.

    Attributes:
        tensor: float32 ``[observation_size]``, overwritten by :meth:`set_from`.
        dict: the same array as ``observation``.
    """

    def __init__(self, rules: Game, iig_obs_type: Any, params: Any) -> None:
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not kind.public_info:
            raise InvalidOption(
                f"{rules.name}: observer: expected public_info=True and private_info=SINGLE_PLAYER"
            )
        if params:
            raise InvalidOption(f"{rules.name}: observer: expected no parameters")
        self._rules = rules
        self._recalls = bool(kind.perfect_recall)
        self.tensor: Floats = np.zeros(rules.observation_size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: BoardGameState, player: int) -> None:
        """Write the observation of a seat; 0 before the deal and at a draw."""
        games = state._point.games
        if games is None:
            self.tensor.fill(0)
        else:
            self._rules.observe(games, 0, player, self.tensor)

    def string_from(self, state: BoardGameState, player: int) -> str:
        """Return what identifies the information state or the observation of a seat."""
        game, point = state.get_game(), state._point
        if self._recalls:
            return f"{player}:{game.known(point, player).hex()}"
        seen = hashlib.blake2b(game.seen(point, player), digest_size=16)
        return f"{player}:{seen.hexdigest()}"


def _earned(rules: Game, reward: str, games: Games) -> list[float]:
    """Return the rewards of the seats of a game that is over; their sum is exact enough."""
    standings = rules.standings(games, 0)
    value = winner_reward if reward == REWARDS[WINNER] else rank_reward
    return [float(value(standings, seat)) for seat in range(rules.num_seats)]


def _checked_word(kind: str, word: str, valid: tuple[str, ...]) -> str:
    if word not in valid:
        raise unknown(kind, word, valid)
    return word


def _model(rules: Game, chance: str) -> str:
    """Return the model of chance, ``draws`` or ``deal``.

    Raises:
        SprawlError: there is no such model, or ``draws`` is asked for where seats have secrets.
    """
    chosen = _checked_word("model of chance", chance, MODELS)
    if chosen == "deal":
        return chosen
    alike = all_know_the_same(rules)
    if chosen == "draws" and not alike:
        raise InvalidOption(
            f"{rules.name}: chance=draws: seats know different things, which a draw would change: "
            "expected chance=deal"
        )
    return "draws" if alike else "deal"


def all_know_the_same(game: Game) -> bool:
    """Return whether every seat knows the same in all positions of a few random games.

    Then ``redeal_hidden`` does the same for every seat, byte for byte.
    """
    num_games, num_plies = _PROBED
    rng = np.random.default_rng(0)
    for seed in range(num_games if game.num_seats > 1 else 0):
        games = game.deal(1, seed)
        for _ in range(num_plies):
            if games["over"][0] != NOT_OVER:
                break
            if len({_redealt(game, games, seat) for seat in range(game.num_seats)}) > 1:
                return False
            game.play(games, 0, int(rng.choice(np.flatnonzero(game.legal_actions(games)))))
    return True


def _redealt(game: Game, games: Games, seat: int) -> bytes:
    copy = clone(games)
    game.redeal_hidden(copy, 0, 1, seat)
    return copy.tobytes()


def _type_of(rules: GameRules) -> Any:
    """Return the type under which a game is registered; :func:`_concrete` makes it exact."""
    seats = rules.options["num_players"]
    specification = {name: option.default for name, option in rules.options.items()} | OWN
    return _game_type(
        rules,
        chance=True,
        open_information=False,
        seats=(seats.low, seats.high),
        specification=specification,
    )


def _game_type(
    rules: GameRules,
    *,
    chance: bool,
    open_information: bool,
    seats: tuple[int, int],
    specification: dict[str, Any],
) -> Any:
    kind = pyspiel.GameType
    return kind(
        short_name=PREFIX + rules.name,
        long_name=rules.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.PERFECT_INFORMATION
        if open_information
        else kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.GENERAL_SUM if seats[1] == 1 else kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=seats[1],
        min_num_players=seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=specification,
    )


def _concrete(registered: Any, game: Game, open_information: bool) -> Any:
    """Return the type of a game whose options are known."""
    return _game_type(
        game.rules,
        chance=True,
        open_information=open_information,
        seats=(game.num_seats, game.num_seats),
        specification=registered.parameter_specification,
    )


_registered: Final[dict[str, GameRules]] = {}


@checked
def register(name: str) -> str:
    """Register a game with pyspiel, and return its short name there, ``sprawl_env_NAME``.

    Importing this module registers all games that are registered with ``sprawl_env`` by then.

    Args:
        name: a game's name or import path.

    Raises:
        SprawlError: there is no such game.
    """
    rules = registry.rules_of(name)
    if _registered.get(rules.name) is not rules:
        _registered[rules.name] = rules
        pyspiel.register_game(_type_of(rules), _class_of(rules))
    return PREFIX + rules.name


def _class_of(rules: GameRules) -> type[BoardGame]:
    """Return the class that pyspiel calls to make a game.

    It is a class, because pyspiel would free a function after the interpreter's end, and crash.
    """
    game_type = _type_of(rules)

    class Registered(BoardGame):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(game_type, rules, params or {})

    return Registered


for _name in registry.game_names():
    register(_name)
