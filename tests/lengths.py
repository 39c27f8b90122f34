"""How many plies it takes until some of a few random games have ended."""

PLIES = {"tower_up": 240, "ginkgopolis": 400, "urban_sprawl": 1000}


def whole_games(game):
    return PLIES[game.name]
