"""Every game behind other people's interfaces: one adapter each for the whole suite."""
