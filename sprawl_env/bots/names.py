"""Bots by name, as the commands spell them, and as objects (:func:`as_bot`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sprawl_env.bots.greedy import GreedyBot
from sprawl_env.bots.heldout.features import FeaturesBot
from sprawl_env.bots.heldout.rules import RulesBot
from sprawl_env.bots.mcts import SearchBot, SearchConfig, parse_search
from sprawl_env.bots.networks import make_sb3_bot, make_torch_bot
from sprawl_env.bots.planner import PlannerBot
from sprawl_env.bots.policy.agents import BEST, find_agent
from sprawl_env.bots.policy.player import PolicyBot
from sprawl_env.bots.protocol import Bot, check_bot, is_ours
from sprawl_env.bots.random import RandomBot
from sprawl_env.bots.search.bot import make_learned
from sprawl_env.bots.search.planner import make_planner
from sprawl_env.bots.user import UserBot, bot_of
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import check_seed
from sprawl_env.core.errors import InvalidOption, UnknownName, short, unknown
from sprawl_env.core.game import Game

BOTS: Final = (
    "random",
    "greedy",
    "planner[:playouts=32,..]",
    "mcts[:sims=200,..]",
    "flat[:sims=200,..]",
    "search:agent=NAME[,sims=32,..]",
    "heldout:rules",
    "heldout:features",
    "checkpoint:PATH",
    "agent:GAME/NAME",
    "module:Class[,key=value,..]",
    "torch:module:make[,weights=FILE]",
    "sb3:FILE.zip,trust=yes",
)
SEARCHES: Final = {"mcts": SearchConfig(), "flat": SearchConfig(depth=1)}
HELD_OUT: Final[dict[str, type[RulesBot] | type[FeaturesBot]]] = {
    RulesBot.name: RulesBot,
    FeaturesBot.name: FeaturesBot,
}
KINDS: Final[dict[Any, str]] = {
    RandomBot: "random",
    GreedyBot: "greedy",
    PlannerBot: "planner",
    SearchBot: "mcts",
    RulesBot: RulesBot.name,
    FeaturesBot: FeaturesBot.name,
}
"""The classes of this package that need no more than a game and a seed, and their names."""


@checked
def make_bot(name: str, game: Game, seed: int = 0) -> Bot:
    """Return a bot for a game.

    Args:
        name: one of

            - ``random``,
            - ``greedy``,
            - ``planner`` with settings of :class:`~sprawl_env.bots.planner.PlannerConfig`, e.g.
              ``planner:playouts=64``; ``judge=NAME`` lets the network of an agent judge the ends
              of playouts, ``adviser=NAME`` name the candidates,
            - ``mcts`` or ``flat`` with settings of :class:`~sprawl_env.bots.mcts.SearchConfig`,
              e.g. ``mcts:sims=400,c=1.0``,
            - ``search:agent=NAME`` with settings of
              :class:`~sprawl_env.bots.search.search.TreeConfig`, e.g.
              ``search:agent=best,sims=32``: tree search with an agent's network; ``NAME`` may also
              be ``checkpoint:PATH`` or ``uniform``,
            - ``heldout:rules`` or ``heldout:features``, bots to report results against, never to
              train with or to tune to (games of this package only),
            - ``checkpoint:PATH``, the folder of a checkpoint, or of a run, which means its newest
              checkpoint,
            - ``agent:GAME/NAME``, a trained agent of this package (``agent:NAME`` for short);
              ``agent:best`` is the strongest for the game and its number of seats,
            - ``module:Class``, your own bot by import path; ``module:Class,path=x,k=3`` calls
              ``Class(game, seed, path="x", k=3)``: a value is a whole number, a number, true or
              false, otherwise a text,
            - ``torch:module:make``, a policy network of your own: ``make()`` or ``make(game)``
              returns a function or ``torch.nn.Module`` that takes observations float32
              ``[n, observation_size]`` and masks bool ``[n, num_actions]`` and returns logits
              ``[n, num_actions]``; ``weights=FILE.safetensors`` loads its weights, ``sample=yes``
              draws actions instead of taking the likeliest, further settings are keywords of
              ``make``,
            - ``sb3:FILE.zip,trust=yes``, a MaskablePPO model that Stable-Baselines3 saved; loading
              it runs code of the file (it unpickles), therefore ``trust=yes``; ``sample=yes`` as
              above.
        game: the game that the bot plays, options chosen.
        seed: of the bot's random numbers.

    Raises:
        UnknownName: there is no such bot or setting.
        CheckpointError: the checkpoint is damaged or is not for this game.
        BotError: your bot cannot be imported or made, or does not fit the protocol.
        MissingExtra: the bot needs a library that is not installed.
    """
    kind, _, argument = name.partition(":")
    if name == "random":
        return RandomBot(seed)
    if name == "greedy":
        return GreedyBot(game, seed)
    if kind == "planner":
        return make_planner(name, game, seed)
    if kind in SEARCHES:
        return SearchBot(game, parse_search(name, SEARCHES[kind]), seed, name)
    if name in HELD_OUT:
        return HELD_OUT[name](game, seed)
    if kind == "heldout":
        raise unknown("bot", name, HELD_OUT)
    if kind == "search":
        return make_learned(name, game, seed)
    if kind == "checkpoint":
        if not argument:
            raise UnknownName("bot 'checkpoint' needs a folder: checkpoint:PATH")
        return PolicyBot(Path(argument), game, seed)
    if kind == "agent":
        path = find_agent(name, game)
        is_best = argument.rpartition("/")[2] == BEST
        return PolicyBot(
            path, game, seed, name=f"agent:{game.name}/{path.name}" if is_best else name
        )
    if kind == "torch":
        return make_torch_bot(name, game, seed)
    if kind == "sb3":
        return make_sb3_bot(name, game, seed)
    if kind in {"random", "greedy"}:
        raise UnknownName(f"bot {name!r}: {kind} has no settings: expected {kind!r}")
    if argument:
        return UserBot(name, game, seed)
    raise unknown("bot", name, BOTS)


def reads_more(name: str) -> bool:
    """Return whether a bot's name chooses a module to import or a file to read."""
    kind, _, settings = name.partition(":")
    own = {"random", "greedy", "planner", *SEARCHES, "heldout", "search", "agent"}
    return kind not in own or ":" in settings


def name_of(bot: str | Bot | type[Bot]) -> str | None:
    """Return the name of a bot that is given as in :func:`as_bot`; None if it is no bot."""
    if isinstance(bot, str):
        return bot
    if isinstance(bot, type) and bot in KINDS:
        return KINDS[bot]
    name = getattr(bot, "name", None)
    if isinstance(name, str):
        return name
    return bot.__name__ if isinstance(bot, type) else None


@checked
def as_bot(bot: str | Bot | type[Bot], game: Game, seed: int = 0, what: str = "bot") -> Bot:
    """Return a bot from its name, its class, or an instance.

    Every function of this package that takes bots calls it.  What a seat cannot know is re-dealt
    in the states that a bot of yours gets, however it was given.

    Args:
        bot: a name as of :func:`make_bot`; a class, which is called as ``bot(game, seed)``; or an
            instance, which is returned as it is.
        game: the game that it plays.
        seed: of a bot that is made here.
        what: what the message of an error begins with.

    Raises:
        UnknownName: there is no bot of that name.
        BotError: the class cannot be called so, or its instance does not fit the protocol.
        InvalidOption: it is something else.
        SprawlError: as of :func:`make_bot`.
    """
    check_seed(seed)
    if isinstance(bot, str):
        return make_bot(bot, game, seed)
    if isinstance(bot, type):
        return _of_class(bot, game, seed, what)
    if callable(bot) and not callable(getattr(bot, "act", None)):
        raise InvalidOption(
            f"{what}: expected a bot's name, a bot or its class, got the function {short(bot)}: "
            f"call it first"
        )
    return check_bot(what, bot)


def _of_class(kind: type[Bot], game: Game, seed: int, what: str) -> Bot:
    """Return a bot of a class."""
    if kind in KINDS:
        return make_bot(KINDS[kind], game, seed)
    if is_ours(kind):
        raise InvalidOption(
            f"{what}: {kind.__name__} needs more than a game and a seed: expected an instance, or "
            f"a name: {', '.join(BOTS)}"
        )
    return bot_of(kind, name_of(kind) or kind.__name__, game, seed)
