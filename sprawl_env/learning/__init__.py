"""Training: self-play PPO in several processes, behaviour cloning and learning curves."""
