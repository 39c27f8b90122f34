"""The heuristics of the three games, one :class:`~sprawl_env.core.heuristic.Heuristic` each."""
