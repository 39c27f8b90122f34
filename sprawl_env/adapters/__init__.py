"""Adapters: one class for each interface (PettingZoo, Gymnasium, SB3, numpy) serves every game."""
