"""The heuristics of the three games, a :class:`~sprawl_env.core.heuristic.Heuristic` each."""
