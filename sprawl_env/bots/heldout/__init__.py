"""Bots that researchers report results against, but never train with or tune to.

``heldout:rules`` plays by an ordered list of hand-written rules for each game, ``heldout:features``
by a linear rating of the position after each action.  Neither uses the heuristics, the other bots
of this package or trained agents.
"""
