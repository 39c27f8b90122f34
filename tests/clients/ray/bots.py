"""Bots that fail; their module is loaded quickly, because making a bot has a time limit."""

import os
import time


class Hangs:
    """Answers never."""

    name = "hangs"
    needs_observations = needs_states = False

    def __init__(self, game=None, seed=0):
        pass

    def seed(self, seed):
        pass

    def act(self, observations, masks, states=None):
        time.sleep(600)


class Ends(Hangs):
    """Ends its process."""

    name = "ends"

    def act(self, observations, masks, states=None):
        os._exit(7)
