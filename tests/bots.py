"""Bots of all sorts, as a user might write them."""

import os
import sys
import time

import numpy as np


class First:
    """Plays the first legal action; good, if simple."""

    name = "first"
    needs_observations = False
    needs_states = True

    def __init__(self, game, seed):
        self.game = game
        self.seed(seed)

    def seed(self, seed):
        self.seeded = seed

    def act(self, observations, masks, states):
        return masks.argmax(axis=1)


class Looks(First):
    """Reads the position by the game that it was given."""

    def act(self, observations, masks, states):
        for k in range(len(states)):
            self.game.scores(states, k)
        return masks.argmax(axis=1)


class Keeps(First):
    """Keeps the positions that it was handed."""

    def act(self, observations, masks, states):
        self.seen = states
        return masks.argmax(axis=1)


class Crashes(First):
    def act(self, observations, masks, states):
        raise ZeroDivisionError(f"at {object()}\nand more")


class Quits(First):
    def act(self, observations, masks, states):
        sys.exit("no more")


class Interrupts(First):
    def act(self, observations, masks, states):
        raise KeyboardInterrupt


class Nasty(Exception):
    def __str__(self):
        raise ValueError("no words")


class RaisesNastily(First):
    def act(self, observations, masks, states):
        raise Nasty


class Illegal(First):
    def act(self, observations, masks, states):
        masks[:] = 1
        return np.full(len(masks), masks.shape[1] - 1)


class WrongShape(First):
    def act(self, observations, masks, states):
        return 0


class CannotBeMade(First):
    def __init__(self, game, seed):
        raise KeyError("weights")


class CannotBeMadeLater(First):
    """Can be made from the seed that a command tries it with, never again."""

    def __init__(self, game, seed):
        super().__init__(game, seed)
        if seed:
            raise KeyError("weights")


class Stalls(First):
    def act(self, observations, masks, states):
        time.sleep(1000)


class Dies(First):
    def act(self, observations, masks, states):
        os._exit(7)


class Scribbles(First):
    """Plays like First, and writes on everything that it is handed."""

    needs_observations = True

    def act(self, observations, masks, states):
        actions = masks.argmax(axis=1)
        for thing in (observations, masks, states.view(np.ndarray), self.game.tables):
            thing.view(np.uint8)[...] = 1
        self.game.redeal_hidden = None
        return actions


class Unfit:
    needs_states = 1

    def __init__(self, game, seed):
        pass

    def act(self, observations, masks, states):
        return masks.argmax(axis=1)


not_a_class = 3
