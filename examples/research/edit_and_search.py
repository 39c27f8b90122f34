"""A position is edited and searched: what would this seat play if it held other floors?

python examples/research/edit_and_search.py
"""

import sys

import sprawl_env

SIMS = 50 if "--short" in sys.argv else 2_000


def show(game, games, bot):
    """Print the three actions that a bot considers most."""
    print(f" {bot.name}: visits and values, which are in units of its own (Analysis)")
    found = bot.analyse(game.legal_actions(games, 0), games)
    for action, visits, value in list(zip(*found, strict=True))[:3]:
        print(f"  {game.action_name(games, 0, action)}: {visits} visits, value {value:.2f}")


if __name__ == "__main__":
    game = sprawl_env.game("tower_up", num_players=2)
    search = sprawl_env.make_bot(f"mcts:sims={SIMS}", game, seed=1)
    planner = sprawl_env.make_bot("planner", game, seed=1)
    print(game.fields["reserve"])
    games = game.deal(batch=1, seed=3)
    for floors in ([1, 1, 1, 1], [3, 0, 0, 1]):
        edited = games.copy()
        game.edit(edited, 0, reserve={0: floors})
        print("seat 0 holds", floors)
        show(game, edited, search)
        show(game, edited, planner)
