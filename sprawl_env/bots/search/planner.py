"""The planner with a network: as an adviser, which names its candidates, and as a judge.

Both are cheap uses of a network, and say what a search gains: the adviser is asked once a decision,
the judge once a playout, for the position at its end.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from sprawl_env.bots.greedy import heuristic_label
from sprawl_env.bots.planner import (
    Limits,
    PlannerBot,
    PlannerConfig,
    PlayoutShare,
    Workspace,
    parse_planner,
    play_on_kernel,
)
from sprawl_env.bots.search.bot import evaluator_of
from sprawl_env.bots.search.search import CompiledEvaluator, Evaluator
from sprawl_env.bots.search.simulate import (
    Ends,
    Judge,
    Leaves,
    judge_leaves,
    new_ends,
    new_leaves,
    points_kernels,
)
from sprawl_env.bots.settings import take_texts
from sprawl_env.core.errors import UnknownName
from sprawl_env.core.game import Game
from sprawl_env.core.rewards import lead, winner_reward
from sprawl_env.core.rules import GameRules
from sprawl_env.core.state import NOT_OVER, Games, Tables
from sprawl_env.kernels.compile import kernel
from sprawl_env.kernels.rng import combine

ADVISER, JUDGE = "adviser", "judge"  # settings of the planner that name an agent
ONE: Final = 1


@functools.cache
def judged_kernel(rules: GameRules) -> Callable[..., None]:
    """Return the kernel that runs some playouts of one round, at whose ends a network judges."""
    play_on, observe = play_on_kernel(rules), rules.kernels.observe
    score_all, stand = rules.kernels.scores, rules.kernels.standings
    _, count = points_kernels(rules)

    @kernel(label=heuristic_label(rules))
    def compare(
        tables: Tables,
        root: Games,
        work: Workspace,
        limits: Limits,
        share: PlayoutShare,
        judge: Judge,
        leaves: Leaves,
        ends: Ends,
    ) -> None:
        """Add the seat's expected final margins to the sums of the candidates of a share.

        A victory is added where the game is over.
        """
        games, seat = work.games, int(root[0].to_play)
        for number in range(share.first, share.last + 1):
            deal, k = share.deal + number // share.left, number % share.left
            seed, action = combine(share.seed, deal), int(work.ranked[k])
            play_on(tables, root, work, limits, seed, action)
            if games[0].over != NOT_OVER:
                score_all(tables, games, 0, work.points)
                found = lead(work.points, seat)
                stand(tables, games, 0, work.points)
                found += limits.victory * winner_reward(work.points, seat)
            else:
                count(tables, games, 0, leaves, 0, ends)
                observe(tables, games, 0, leaves.seats[0], leaves.numbers[0])
                judge_leaves(judge, leaves, ONE)
                found = float(judge.margins[0])
                if leaves.seats[0] != seat:
                    found = -found / (work.points.size - 1.0)
            work.ratings[k] += found

    return compare


class AdvisedPlannerBot(PlannerBot):
    """A planner that a network advises, or whose playouts it judges, or both.

    Args:
        game: the game.
        config: the settings of the planner.
        seed: of the playouts.
        name: of the bot.
        adviser: its likeliest actions are the candidates; None: those of the heuristic.
        judge: rates the ends of playouts; None: the heuristic does.
    """

    def __init__(
        self,
        game: Game,
        config: PlannerConfig,
        seed: int,
        name: str,
        *,
        adviser: Evaluator | None = None,
        judge: CompiledEvaluator | None = None,
    ) -> None:
        super().__init__(game, config, seed, name)
        self._leaves, self._ends = new_leaves(game, ONE), new_ends(game)
        if adviser is not None:
            self._rank = functools.partial(self._advised, adviser)
        if judge is not None:
            self._judge = judge.judge(ONE, game.num_sides)
            self._judged = judged_kernel(game.rules)
            self._compare = self._compare_judged

    def _kernels_of_game(self) -> dict[str, Any]:
        return {**super()._kernels_of_game(), "_judged": judged_kernel(self._game.rules)}

    def _advised(
        self, adviser: Evaluator, tables: Tables, root: Games, work: Workspace, seed: int
    ) -> int:
        """Write the actions that the adviser likes best, best first; return their number."""
        game, leaves = self._game, self._leaves
        leaves.masks[0] = work.mask
        seat = int(root["to_play"][0])
        game.kernels.observe(tables, root, 0, seat, leaves.numbers[0])
        leaves.points[0] = np.roll(game.scores(root, 0), -seat)
        logits = adviser(leaves.numbers, leaves.masks, leaves.points).logits[0]
        logits = np.where(leaves.masks[0] != 0, logits, -np.inf)
        found = min(work.ranked.size, int(leaves.masks[0].sum()))
        work.ranked[:found] = np.argsort(-logits, kind="stable")[:found]
        work.ratings[:] = 0.0
        return found

    def _compare_judged(self, *arguments: Any) -> None:
        self._judged(*arguments, self._judge, self._leaves, self._ends)


def make_planner(name: str, game: Game, seed: int) -> PlannerBot:
    """Return the bot of a name such as ``planner:playouts=64`` or ``planner:judge=best``.

    Raises:
        UnknownName: there is no such agent or setting.
        CheckpointError: a checkpoint is damaged or is not for this game.
    """
    rest, agents = take_texts(name, (ADVISER, JUDGE))
    config = parse_planner(rest)
    if not agents:
        return PlannerBot(game, config, seed, name)
    found = {key: evaluator_of(agent, game) for key, agent in agents.items()}
    judge = found.get(JUDGE)
    if judge is not None and not isinstance(judge, CompiledEvaluator):
        raise UnknownName(f"bot {name!r}: {JUDGE}={agents[JUDGE]}: expected an agent")
    return AdvisedPlannerBot(game, config, seed, name, adviser=found.get(ADVISER), judge=judge)
