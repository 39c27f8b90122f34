"""adapters/torchrl.py, by TorchRL's own check, rollouts and collectors."""

import numpy as np
import pytest
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import PettingZooWrapper, check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor

import sprawl_env
from sprawl_env.adapters.aec import BoardGameAEC
from sprawl_env.adapters.torchrl import BoardGameTorchRL
from tests.clients.snippets import run_lines

SEATS = ["player_0", "player_1"]
NUM_ENVS = 512


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tower_up", {}),
        ("tower_up", {"max_turns": 6, "observations": "int8", "reward": "margin"}),
        ("ginkgopolis", {"num_players": 1, "skip_forced": True}),
        ("ginkgopolis", {"num_players": 3}),
        ("urban_sprawl", {"num_players": 4, "num_threads": 2}),
    ],
    ids=str,
)
def test_torchrls_own_check(name, options):
    env = BoardGameTorchRL(name, 32, seed=1, **options)
    check_env_specs(env, break_when_any_done="both", seed=3)
    env.close()


def test_a_rollout_is_the_batch_game_by_game():
    env = BoardGameTorchRL("tower_up", 8, seed=5, max_turns=12)
    seen = env.rollout(60, break_when_any_done=False)
    vec = sprawl_env.make_vec("tower_up", 8, seed=5, max_turns=12)
    vec.reset()
    ends = 0
    for t in range(60):
        frame = seen[:, t]
        assert np.array_equal(frame["observation"], vec.observations)
        assert np.array_equal(frame["action_mask"], vec.masks)
        assert np.array_equal(frame["to_play"], vec.to_play)
        seats = vec.to_play.copy()
        step = vec.step(frame["action"].numpy())
        after = frame["next"]
        assert np.array_equal(after["reward"], step.rewards)
        assert np.array_equal(after["terminated"][:, 0], step.terminated)
        assert np.array_equal(after["truncated"][:, 0], step.truncated)
        for k, i in enumerate(vec.ended.which):
            last = vec.game.observe(vec.ended.games, k, int(seats[i]))
            assert np.array_equal(after["observation"][i], last)
            assert after["action_mask"][i].nonzero().tolist() == [[0]]
            assert after["to_play"][i] == seats[i]
            ends += 1
    assert ends > 8


def test_resets_deal_other_games_and_seeds_deal_the_same():
    env = BoardGameTorchRL("tower_up", 4, seed=2)
    first, second = env.reset()["observation"], env.reset()["observation"]
    assert not torch.equal(first, second)
    env.set_seed(2)
    assert torch.equal(env.reset()["observation"], first)


def test_a_part_of_the_games_is_reset():
    env = BoardGameTorchRL("tower_up", 4, seed=2)
    state = env.reset()
    for _ in range(5):
        state = env.step(env.rand_action(state))["next"]
    chosen = torch.tensor([[True], [False], [False], [True]])
    after = env.reset(state.clone().set("_reset", chosen))
    kept = torch.tensor([1, 2])
    assert torch.equal(after["observation"][kept], state["observation"][kept])
    assert env.games.games["ply"].tolist() == [0, 5, 5, 0]


def test_random_actions_are_legal_and_illegal_ones_change_nothing():
    env = BoardGameTorchRL("ginkgopolis", 16, seed=3)
    state = env.reset()
    for _ in range(50):
        state = env.rand_action(state)
        chosen = state["action"][:, None]
        assert state["action_mask"].gather(1, chosen).all()
        state = env.step(state)["next"]
    before = env.games.games.tobytes()
    with pytest.raises(sprawl_env.IllegalAction, match="may not play"):
        env.step(state.set("action", (~state["action_mask"]).long().argmax(1)))
    assert env.games.games.tobytes() == before


def test_bad_settings_are_refused_in_one_line():
    for settings, says in (
        ({"observations": None}, "observations=None: expected float32 or int8"),
        ({"num_players": 9}, "num_players=9: expected a whole number 2..4"),
        ({"frameskip": 4}, "unexpected keyword argument 'frameskip'"),
    ):
        with pytest.raises(sprawl_env.SprawlError, match=says) as error:
            BoardGameTorchRL("tower_up", 4, **settings)
        assert "\n" not in str(error.value)


# --------------------------------------------------------------------------------- masked learning


def network(game):
    return nn.Sequential(
        nn.Linear(game.observation_size, 64), nn.Tanh(), nn.Linear(64, game.num_actions)
    )


def policy(net, *group):
    """A masked categorical policy over the entries of a group of agents, or of the root."""
    observation = (*group, "observation", "observation") if group else "observation"
    logits, mask, action = ((*group, key) for key in ("logits", "action_mask", "action"))
    return ProbabilisticActor(
        TensorDictModule(net, in_keys=[observation], out_keys=[logits]),
        in_keys={"logits": logits, "mask": mask},
        out_keys=[action],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )


def collected(env, actor, frames):
    """Return a function that collects a batch of frames; returns their number."""
    collector = Collector(env, actor, frames_per_batch=frames, total_frames=-1)
    batches = iter(collector)

    def work():
        return next(batches).numel()

    work.close = collector.shutdown
    return work


def test_policy_gradients_with_masks_learn_from_a_collector():
    torch.manual_seed(0)
    game = sprawl_env.game("tower_up", max_turns=10)
    env = BoardGameTorchRL(game, 64, seed=1)
    actor = policy(network(game))
    optimizer = torch.optim.Adam(actor.parameters(), 1e-3)
    collector = Collector(env, actor, frames_per_batch=64 * 40, total_frames=64 * 40 * 3)
    for batch in collector:
        assert batch["action_mask"].gather(-1, batch["action"][..., None]).all()
        gained = returns_of_the_mover(batch)
        assert gained.abs().sum() > 0
        loss = -(actor.get_dist(batch).log_prob(batch["action"]) * gained).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        assert torch.isfinite(loss)
    collector.shutdown()


def returns_of_the_mover(batch):
    """What the seat that played a frame earns until the end of its game, ``[envs, frames]``."""
    reward, done = batch["next", "reward"], batch["next", "done"]
    earned, out = torch.zeros_like(reward[:, 0]), []
    for t in reversed(range(batch.shape[1])):
        earned = reward[:, t] + earned * ~done[:, t]
        out.append(earned.gather(1, batch["to_play"][:, t, None])[:, 0])
    return torch.stack(out[::-1], 1)


def test_the_lines_on_the_page_run():
    names = run_lines("TorchRL")
    assert names["frames"].shape == (256, 50)


def test_speed_beside_torchrls_wrapper_of_pettingzoo(measured):
    torch.set_num_threads(1)
    game = sprawl_env.game("tower_up")
    net = network(game)
    batch = BoardGameTorchRL(game, NUM_ENVS, seed=1)
    zoo = PettingZooWrapper(
        BoardGameAEC(game), use_mask=True, categorical_actions=True, group_map={"seats": SEATS}
    )
    works = {
        f"BoardGameTorchRL, {NUM_ENVS} games": collected(batch, policy(net), NUM_ENVS * 8),
        "PettingZooWrapper of the same game": collected(zoo, policy(net, "seats"), 32),
    }
    found = list(measured.rates("frames in a collector with a masked policy", works).values())
    for work in works.values():
        work.close()
    assert found[0] > 50 * found[1]
