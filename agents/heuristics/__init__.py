"""What makes a position good, one module a game.

Each has ``value(tables, games, g, seat)`` or ``rate(tables, games, action, seat, mask)`` for greedy
(see :func:`agents.greedy.action_rater`), and for the planner ``plan_value(tables, games, g,
side)``, about how many points a side will have in the end, and ``PLAN_TURNS``, how many turns to
play before that is asked.  ``TEACHER`` names the agent that a training had best imitate first,
quick enough for hundreds of thousands of decisions.
"""
