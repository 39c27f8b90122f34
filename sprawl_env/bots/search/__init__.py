"""Tree search with a network's priors and values."""
