"""What makes a position good, one module a game; each has ``value(tables, games, g, seat)``."""
