"""What every game shares: kernels, tables, actions, observations, the agenda, random numbers."""
