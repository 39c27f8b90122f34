"""The parts that all games share: rules records, states, actions, observations, rewards, data."""
