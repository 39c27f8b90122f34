"""The games of the suite."""

GAMES = ("ginkgopolis", "tower_up", "urban_sprawl")
PARALLEL = ("ginkgopolis",)  # with simultaneous choices
