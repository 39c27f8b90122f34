"""docs/recipes/ppo.py: a learner of one file, over ``gymnasium.make_vec``."""

import pytest

from tests.clients.recipes import RECIPES, recipe

torch = pytest.importorskip("torch")
pytest.importorskip("tyro")
ppo = recipe("ppo")
pytestmark = pytest.mark.compiled


def test_it_is_short():
    assert len((RECIPES / "ppo.py").read_text(encoding="utf-8").splitlines()) <= 200


@pytest.mark.parametrize("game", ["TowerUp", "Ginkgopolis"])
def test_it_trains_and_measures(game, capsys):
    config = ppo.Config(game=game, seconds=1, games=50, num_envs=8, steps=16)
    won = ppo.main(config)
    assert 0 <= won <= 1
    *steps, last = capsys.readouterr().out.splitlines()
    assert "128 decisions" in steps[0]
    assert last == f"won {won:.0%} of 50 games against random"


def test_an_update_makes_actions_likelier_that_earned_more():
    torch.manual_seed(0)
    config = ppo.Config(epochs=20)
    policy = ppo.Policy(3, 5, 16)
    adam = torch.optim.Adam(policy.parameters(), 1e-2)
    seen, legal = torch.randn(200, 3), torch.tensor([[1, 1, 0, 0, 1]] * 200).bool()
    chances, _ = policy(seen, legal)
    actions = chances.sample()
    assert set(actions.tolist()) == {0, 1, 4}
    gains = (actions == 1).float()
    old = chances.log_prob(actions).detach()
    ppo.update(policy, adam, [seen, legal, actions, old, gains, gains], config)
    after = policy(seen, legal)[0].probs.mean(dim=0)
    assert after[1] > 0.5 and after[2:4].max() < 1e-6


def test_advantages_stop_at_the_end_of_a_game():
    config = ppo.Config(gae_lambda=0.5, discount=1.0)
    rewards = torch.tensor([[1.0], [2.0], [4.0]])
    values, ends = torch.tensor([[0.0], [0.0], [0.0], [8.0]]), torch.tensor([[0], [1], [0]]).bool()
    assert ppo.advantages(rewards, values, ends, config).flatten().tolist() == [2, 2, 12]
