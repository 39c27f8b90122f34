"""Studies: one readable file each, run as ``python -m experiments.NAME``."""
