"""learning/ppo.py and imitation.py: rollouts, estimates, gradients and behaviour cloning."""

import copy
import itertools
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import sprawl_env

torch = pytest.importorskip("torch")
pytest.importorskip("tensorboard")
pytest.importorskip("safetensors")

from sprawl_env.adapters.vector import make_vec  # noqa: E402
from sprawl_env.bots.greedy import GreedyBot  # noqa: E402
from sprawl_env.bots.names import make_bot  # noqa: E402
from sprawl_env.bots.random import RandomBot  # noqa: E402
from sprawl_env.learning import imitation  # noqa: E402
from sprawl_env.learning.imitation import (  # noqa: E402
    ILLEGAL,
    Demonstrations,
    collect_demonstrations,
    imitate,
    revive,
)
from sprawl_env.learning.ppo import (  # noqa: E402
    CLIP,
    FIRST_BOT,
    LEARNER,
    NOT_LEARNT,
    PAST,
    STATISTICS,
    VALUE_WEIGHT,
    ActorCritic,
    Learner,
    SelfPlay,
    Stopwatch,
    advantages,
    differentiate,
    draw,
    usual_discount,
)
from sprawl_env.learning.process import prepare_process  # noqa: E402
from sprawl_env.learning.team import Team, start  # noqa: E402
from sprawl_env.learning.training import IMITATION_RATE, PRESETS  # noqa: E402

pytestmark = pytest.mark.compiled
CPU = torch.device("cpu")
TINY = replace(
    PRESETS["quick"],
    num_envs=16,
    num_steps=24,
    batch_size=128,
    num_epochs=1,
    width=8,
    trunk=16,
    total_steps=1000,
    max_minutes=0.0,
    processes=1,
    device="cpu",
)


def parts(team=None, bots=(), game=None, **changes):
    """Return a learner and its games, which have begun."""
    prepare_process()
    team = team or Team()
    config = replace(TINY, **changes)
    game = game or sprawl_env.game("tower_up", num_players=2)
    watch = Stopwatch()
    learner = Learner(config, game, team, CPU, watch)
    games = SelfPlay(config, game, team, CPU, bots, watch)
    games.begin(0)
    return learner, games


def weights(learner):
    return learner.net.flat.detach().numpy().copy()


# -------------------------------------------------------------------------------------- gradients

LAYER = torch.nn.Linear(5, 1)
FLAT = torch.zeros(6, requires_grad=True)
SAMPLES = torch.arange(150.0).view(30, 5) / 150


def gradient_of_all(team):
    """Differentiate the mean loss of all samples, a part of which is this rank's."""
    with torch.no_grad():
        LAYER.weight.fill_(0.3)
        LAYER.bias.fill_(-0.2)
    rows = torch.arange(30).tensor_split(team.size)[team.rank]
    return differentiate(
        team,
        FLAT,
        list(LAYER.parameters()),
        rows,
        lambda part: (LAYER(SAMPLES[part]).square().sum(), torch.tensor([len(part), 1])),
        Stopwatch(),
    )


def other_rank(team):
    gradient_of_all(team)


@pytest.mark.parametrize("size", [1, pytest.param(3, marks=pytest.mark.long)])
def test_all_ranks_together_compute_the_gradient_of_the_mean_loss(size):
    with start(size, other_rank) as team:
        seen = gradient_of_all(team)
    LAYER.zero_grad()
    LAYER(SAMPLES).square().mean().backward()
    expected = torch.cat([parameter.grad.flatten() for parameter in LAYER.parameters()])
    assert torch.allclose(expected, FLAT.grad, rtol=1e-4, atol=1e-6)
    assert seen.tolist() == [30, size]


def test_every_decision_is_learnt_from_in_each_pass(monkeypatch):
    learner, games = parts(batch_size=100, num_epochs=2)
    batch = games.estimate(games.collect(learner.net))
    seen, summed = [], learner.summed

    def noted(batch, entropy):
        by_rows = summed(batch, entropy)
        return lambda rows: seen.append(rows) or by_rows(rows)

    monkeypatch.setattr(learner, "summed", noted)
    count, _ = learner.update(batch, 1.0)
    assert count == len(batch.rows) > 200
    sizes = [len(rows) for rows in seen]
    assert max(sizes) <= 100
    assert max(sizes) - min(sizes) <= 1
    assert torch.equal(torch.cat(seen).sort().values, batch.rows.repeat(2).sort().values)


def test_an_update_is_a_step_along_the_gradient_of_ppos_loss():
    """The loss is written here with torch.distributions, one decision at a time."""
    learner, games = parts(batch_size=10**6 // 16, num_envs=16, entropy=0.02)
    games.collect(learner.net)
    batch = games.estimate(games.collect(learner.net))
    moved = batch._replace(log_probs=batch.log_probs + 0.3 * torch.randn(len(batch.log_probs)))
    net = copy.deepcopy(learner.net)
    _, statistics = learner.update(moved, 0.5)
    losses, ratios = [], []
    for row in batch.rows.tolist():
        logits, summary = net.mlp_extractor((batch.numbers[row] * net.scales).unsqueeze(0))
        legal = batch.masks[row].bool()
        policy = torch.distributions.Categorical(logits=logits[0, legal])
        place = int(legal[: int(batch.actions[row])].sum())
        ratio = (policy.log_prob(torch.tensor(place)) - moved.log_probs[row]).exp()
        ratios.append(float(ratio.detach()))
        gain = batch.advantages[row]
        bounded = gain * min(max(ratios[-1], 1 - CLIP), 1 + CLIP)  # a constant
        surrogate = ratio * gain if ratios[-1] * gain <= bounded else bounded
        error = (net.value_net(summary)[0, 0] - batch.returns[row]) ** 2
        losses.append(-surrogate + VALUE_WEIGHT * error - 0.02 * 0.5 * policy.entropy())
    torch.stack(losses).mean().backward()
    expected = torch.cat([p.grad.flatten() for p in net.parameters()])
    expected *= min(1.0, 0.5 / float(expected.norm()))
    found = learner.net.flat.grad
    assert expected.norm() > 0
    assert torch.allclose(found, expected, rtol=1e-3, atol=1e-5)
    assert statistics.keys() == set(STATISTICS)
    outside = np.mean([abs(ratio - 1) > CLIP for ratio in ratios])
    assert statistics["clip_fraction"] == pytest.approx(outside)
    assert learner.optimizer.param_groups[0]["lr"] == pytest.approx(TINY.learning_rate / 2)


# -------------------------------------------------------------------------------------- advantages


def slowly(seats, rewards, ended, values, discount, gae_lambda):
    """Return the estimates of one game, seat by seat: a decision is a list of what it earned."""
    gains, known = np.zeros(len(seats)), np.zeros(len(seats), bool)
    edges = [0, *(np.flatnonzero(ended) + 1), len(seats)]
    for first, last in itertools.pairwise(edges):
        finished = last > 0 and last <= len(seats) and first < last and ended[last - 1]
        for seat in range(rewards.shape[1]):
            own = [t for t in range(first, last) if seats[t] == seat]
            deltas = []
            for k, t in enumerate(own):
                until = own[k + 1] if k + 1 < len(own) else last
                earned = rewards[t:until, seat].sum()
                following = values[own[k + 1]] if k + 1 < len(own) else 0.0
                deltas.append(earned + discount * following - values[t])
            if not finished:
                own, deltas = own[:-1], deltas[:-1]
            for k, t in enumerate(own):
                known[t] = True
                gains[t] = sum((discount * gae_lambda) ** j * d for j, d in enumerate(deltas[k:]))
    return gains, known


@pytest.mark.parametrize(
    ("name", "seats", "discount"),
    [
        ("tower_up", 2, 0.99),
        ("ginkgopolis", 2, 0.998),
        ("ginkgopolis", 5, 0.99),
        ("urban_sprawl", 4, 0.998),
    ],
)
def test_the_discount_is_by_the_length_of_the_game_unless_it_is_given(name, seats, discount):
    game = sprawl_env.game(name, num_players=seats)
    rng, counts = np.random.default_rng(0), []
    for seed in range(10):
        games, count = game.deal(1, seed), 0
        while not games["over"][0]:
            legal = np.flatnonzero(game.legal_actions(games, 0))
            count += len(legal) > 1
            game.play(games, 0, int(rng.choice(legal)))
        counts.append(count / seats)
    assert (np.mean(counts) < 50) == (discount == 0.99)
    assert parts(game=game)[1].discount == usual_discount(game) == discount
    assert parts(game=game, gamma=0.95)[1].discount == 0.95


def test_advantages_are_those_of_each_seats_own_decisions():
    rng = np.random.default_rng(5)
    steps, games, seats = 40, 30, 3
    acted = rng.integers(seats, size=(steps, games))
    rewards = rng.normal(size=(steps, games, seats)).astype(np.float32)
    ended = rng.random((steps, games)) < 0.1
    values = rng.normal(size=(steps, games)).astype(np.float32)
    found, known = advantages(acted, rewards, ended, values, discount=0.9, gae_lambda=0.7)
    for g in range(games):
        wanted = slowly(acted[:, g], rewards[:, g], ended[:, g], values[:, g], 0.9, 0.7)
        assert np.allclose(found[:, g], wanted[0], atol=1e-6)
        assert (known[:, g] == wanted[1]).all()
    assert 0 < known.mean() < 1


def test_advantages_are_normalised_over_all_ranks():
    class Two(Team):
        """A group of two whose other rank sends known values."""

        def __init__(self, other):
            super().__init__(0, 2)
            self.other = other

        def all_reduce(self, values):
            return values + np.array([len(self.other), self.other.sum(), (self.other**2).sum()])

    learner, games = parts()
    rollout = games.collect(learner.net)
    alone = games.estimate(rollout)
    plain, known = advantages(
        rollout.seats, rollout.rewards * np.float32(TINY.reward_scale), rollout.ended,
        rollout.values.numpy()[rollout.row], discount=games.discount, gae_lambda=TINY.gae_lambda,
    )  # fmt: skip
    mine, other = plain[known], np.array([6.0, 8.0, 13.0])
    assert np.isclose(float(alone.advantages[alone.rows].mean()), 0, atol=1e-5)
    games.team = Two(other)
    whole = np.concatenate([mine, other])
    expected = (mine - whole.mean()) / whole.std()
    together = games.estimate(rollout)
    assert np.allclose(together.advantages[together.rows].numpy(), expected, atol=1e-4)
    assert np.allclose((together.returns - rollout.values)[together.rows].numpy(), mine, atol=1e-4)


# -------------------------------------------------------------------------------------- rollouts


class Last:
    """Plays the last legal action, which is usually a build."""

    name = "last"
    needs_observations = needs_states = False

    def seed(self, seed):
        pass

    def act(self, observations, masks, states):
        return last_legal(masks)


def last_legal(masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("seats", [2, 4])
def test_a_rollout_holds_the_learners_decisions_and_no_others(seats):
    game = sprawl_env.game("tower_up", num_players=seats)
    learner, games = parts(bots=[(Last(), 0.4)], game=game, past_share=0.3)
    games.past.append(ActorCritic(game, 8, 16))
    games.begin(0)
    before = [games.sitting.copy()]
    kinds = set()
    for _ in range(6):
        rollout = games.collect(learner.net)
        before.append(games.sitting.copy())
        kinds |= set(np.unique(games.sitting))
        rows = rollout.row[rollout.row != NOT_LEARNT]
        assert sorted(rows) == list(range(rollout.used))
        chosen = rollout.masks[torch.arange(rollout.used), rollout.actions[: rollout.used]]
        assert (chosen == 1).all()
        assert (rollout.masks[: rollout.used].sum(dim=1) > 1).all()  # forced plies are skipped
    assert kinds == {LEARNER, PAST, FIRST_BOT}
    for sitting in before:
        learners = (sitting == LEARNER).sum(axis=1)
        assert set(learners) <= {1, seats}
    mixed = before[-1][(before[-1] != LEARNER).any(axis=1)]
    assert all(len(set(row) - {LEARNER}) == 1 for row in mixed)
    assert {name for name, _ in games.won} <= {"past", "last"}
    assert all(0 <= share <= 1 for _, share in games.won)


def test_a_decision_is_what_the_seat_saw_and_the_action_that_was_played():
    """The rollout, replayed by the game itself from the first positions."""
    learner, games = parts(past_share=0.0)
    game, vec = games.game, games._vec
    states = vec.games
    rollout = games.collect(learner.net)
    for t in range(TINY.num_steps):
        for g in range(games.n):
            if rollout.ended[:t, g].any():
                continue  # another deal
            row = rollout.row[t, g]
            seat = int(states["to_play"][g])
            assert rollout.seats[t, g] == seat
            seen = np.zeros(game.observation_size, np.int8)
            game.observe(states, g, seat, seen)
            assert (rollout.numbers[row].numpy() == seen).all()
            assert (rollout.masks[row].numpy() == game.legal_actions(states, g)).all()
            before = game.scores(states, g).astype(int)
            game.play(states, g, int(rollout.actions[row]))
            while not rollout.ended[t, g] and game.legal_actions(states, g).sum() == 1:
                game.play(states, g, int(game.legal_actions(states, g).argmax()))
            gained = game.scores(states, g) - before
            lead = gained - gained[::-1]  # of two seats
            assert rollout.rewards[t, g] == pytest.approx(lead)


def test_openings_are_random_plies_that_are_not_learnt_from():
    learner, games = parts(past_share=0.0, opening_share=0.5, opening_plies=6)
    left = games.opening.copy()
    assert 0 < (left > 0).mean() < 1 and left.max() <= 6
    rollout = games.collect(learner.net)
    for g, plies in enumerate(left):
        assert (rollout.row[:plies, g] == NOT_LEARNT).all()
        ended = np.flatnonzero(rollout.ended[:, g])
        until = ended[0] + 1 if ended.size else TINY.num_steps
        assert (rollout.row[plies:until, g] != NOT_LEARNT).all()
    assert torch.isfinite(games.estimate(rollout).advantages).all()


def test_all_games_may_begin_with_random_plies():
    learner, games = parts(past_share=0.0, opening_share=1.0, opening_plies=1, num_steps=8)
    rollout = games.collect(learner.net)
    assert (rollout.row[0] == NOT_LEARNT).all() and rollout.used > 0


def test_what_follows_a_step_depends_on_the_seed_the_step_and_the_positions():
    learner, games = parts()
    games.collect(learner.net)
    going = games.going
    games.begin(500, going)
    first = games.collect(learner.net)
    kept = first.numbers.clone(), first.actions.clone(), games.going.games.tobytes()
    _, other = parts()
    other.begin(500, going)
    second = other.collect(learner.net)
    assert torch.equal(kept[0], second.numbers) and torch.equal(kept[1], second.actions)
    assert kept[2] == other.going.games.tobytes()
    other.begin(501, going)
    assert not torch.equal(kept[1], other.collect(learner.net).actions)


def test_a_policy_that_loses_every_game_is_said_to_lose():
    game = sprawl_env.game("tower_up", num_players=2)
    learner, games = parts(bots=[(make_bot("greedy", game), 1.0)], game=game, past_share=0.0)
    for _ in range(8):
        games.collect(learner.net)
    assert {name for name, _ in games.won} == {"greedy"}
    assert len(games.won) > 20
    assert np.mean([share for _, share in games.won]) < 0.1


def test_time_inside_a_block_is_not_counted_twice(monkeypatch):
    now = iter([0.0, 1.0, 4.0, 10.0])
    monkeypatch.setattr("sprawl_env.learning.ppo.time.perf_counter", lambda: next(now))
    watch = Stopwatch()
    with watch.on("update"), watch.on("waiting"):
        pass
    assert watch.seconds["waiting"] == 3.0
    assert watch.seconds["update"] == 7.0
    assert watch.shares()["update"] == pytest.approx(0.7)


# -------------------------------------------------------------------------------------- all ranks


def train_briefly(team):
    """Train for two updates as one rank; at the end compare the weights of all ranks."""
    learner, games = parts(team, batch_size=32, num_epochs=2)
    used = 0
    for _ in range(2):
        used += learner.update(games.estimate(games.collect(learner.net)), 1.0)[0]
    found = weights(learner)
    table = np.zeros((team.size, found.size), np.float32)
    table[team.rank] = found
    same = all(np.array_equal(found, other) for other in team.all_reduce(table))
    return found, same, used


def train_other_rank(team):
    train_briefly(team)


@pytest.mark.long
def test_all_ranks_learn_the_same_weights_from_different_games():
    with start(2, train_other_rank) as team:
        together, same, used = train_briefly(team)
    assert same
    alone, _, alone_used = train_briefly(Team())
    assert not np.array_equal(together, alone)
    most = 2 * TINY.num_envs * TINY.num_steps
    assert 0.5 * most < used <= most and 0.5 * most < alone_used <= most


def test_training_twice_from_one_seed_gives_the_same_weights():
    once, again = (train_briefly(Team())[0] for _ in range(2))
    assert np.array_equal(once, again)


def test_a_frozen_copy_keeps_its_weights_while_the_learner_goes_on():
    learner, games = parts()
    copied, before = learner.net.frozen(), weights(learner)
    seen = torch.from_numpy(games._vec.observations.copy()), torch.from_numpy(games._vec.masks)
    values = copied(*seen)[1]
    learner.update(games.estimate(games.collect(learner.net)), 1.0)
    assert not np.array_equal(weights(learner), before)
    assert np.array_equal(copied.flat.numpy(), before)
    assert torch.equal(copied(*seen)[1], values)
    assert not any(parameter.requires_grad for parameter in copied.parameters())
    for net in (learner.net, copied):
        whole = torch.cat([parameter.detach().flatten() for parameter in net.parameters()])
        assert torch.equal(whole, net.flat.detach())


def test_samples_follow_the_probabilities_and_are_never_impossible():
    torch.manual_seed(1)
    chances = torch.tensor([0.0, 0.2, 0.0, 0.5, 0.3, 0.0])
    found = draw(chances.expand(20_000, 6))
    counts = torch.bincount(found, minlength=6) / 20_000
    assert counts[chances == 0].sum() == 0
    assert torch.allclose(counts, chances, atol=0.02)


# ------------------------------------------------------------------------------ behaviour cloning


def test_a_dataset_holds_the_experts_actions_and_the_returns():
    game = sprawl_env.game("tower_up", num_players=2)
    shown = []
    dataset = collect_demonstrations(
        game, Last(), 4000, games=16, reward="lead", seed=5,
        progress=lambda done: shown.append(done) or True,
    )  # fmt: skip
    assert shown[-1] == 1.0
    assert 2000 < len(dataset.returns) <= 4000
    legal = (dataset.targets != ILLEGAL).astype(np.int8)
    assert (dataset.targets.argmax(axis=1) == last_legal(legal)).all()
    assert (dataset.targets.max(axis=1) == 1).all()
    assert ((dataset.targets == 0).sum(axis=1) == legal.sum(axis=1) - 1).all()
    assert dataset.observations.shape == (len(dataset.returns), game.observation_size)
    assert dataset.observations.dtype == np.int8
    assert dataset.returns.any()
    few = collect_demonstrations(
        game, RandomBot(1), 4000, games=16, reward="lead", seed=5,
        progress=lambda done: done < 0.5,
    )  # fmt: skip
    assert len(few.returns) <= 2000


def test_decisions_of_games_that_have_not_ended_are_dropped_in_order():
    rng = np.random.default_rng(3)
    for shape in ((7, 5), (7, 5, 3)):
        column, kept = rng.integers(100, size=shape), rng.random((7, 5)) < 0.6
        expected = column[kept]
        assert np.array_equal(imitation._move_to_front(column, kept), expected)


def test_collecting_takes_the_memory_of_the_dataset_once():
    game = sprawl_env.game("tower_up", num_players=2)

    def dataset(decisions):
        return collect_demonstrations(
            game, Last(), decisions, games=16, reward="lead", seed=5, progress=lambda _: True
        )

    dataset(16)  # compiles
    tracemalloc.start()
    found = dataset(4000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.returns) > 2000
    assert peak < 1.3 * 4000 * Demonstrations.bytes_per_decision(game)


def test_the_targets_of_greedy_are_a_softmax_over_its_values():
    game = sprawl_env.game("tower_up", num_players=2)
    dataset = collect_demonstrations(
        game, GreedyBot(game), 4000, games=16, reward="lead", seed=5, progress=lambda _: True
    )
    legal = dataset.targets != ILLEGAL
    assert np.allclose(dataset.targets.sum(axis=1, where=legal), 1, atol=0.02)
    assert ((dataset.targets > 0.01) & (dataset.targets < 0.99)).any(axis=1).mean() > 0.1


def dataset_of(team):
    game = sprawl_env.game("tower_up", num_players=2)
    return collect_demonstrations(
        game, Last(), 3000 if team.rank else 4000, games=16, reward="lead", seed=team.rank,
        progress=lambda _: True,
    )  # fmt: skip


def clone_expert(team):
    """Imitate as one rank; the ranks have datasets of different sizes."""
    learner, _ = parts(team)
    shown, dataset = [], dataset_of(team)
    agreement = imitate(
        learner, dataset, epochs=8, batch_size=64 // team.size, learning_rate=8e-3,
        time_used=lambda: 0.0, progress=lambda done, agreed: shown.append((done, agreed)),
    )  # fmt: skip
    with torch.no_grad():
        learner.net.mlp_extractor.layers["trunk_in"].bias[:2] = -1e6
    count = revive(learner, dataset)
    assert count >= 2 if team.rank == 0 else count == 0
    found = weights(learner)
    table = np.zeros((team.size, found.size), np.float32)
    table[team.rank] = found
    same = all(np.array_equal(found, other) for other in team.all_reduce(table))
    return agreement, same, shown


def clone_other_rank(team):
    clone_expert(team)


@pytest.mark.parametrize("size", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_simple_expert_is_imitated(size):
    with start(size, clone_other_rank) as team:
        agreement, same, shown = clone_expert(team)
    assert same
    assert agreement > 0.9
    assert shown[-1] == (1.0, agreement)


def test_imitation_leaves_most_units_active():
    """Adam's first steps are as large as the step size, so that it must grow."""
    game = sprawl_env.game("tower_up", num_players=2)
    dataset = collect_demonstrations(
        game, GreedyBot(game), 4000, games=16, reward="lead", seed=5, progress=lambda _: True
    )
    learner = Learner(replace(PRESETS["quick"], device="cpu"), game, Team(), CPU, Stopwatch())
    numbers = torch.from_numpy(dataset.observations[:1000])
    assert learner.net.silent_units(numbers)["trunk_in"] < 0.1
    imitate(
        learner, dataset, epochs=4, batch_size=512, learning_rate=IMITATION_RATE,
        time_used=lambda: 0.0, progress=lambda *_: None,
    )  # fmt: skip
    after = learner.net.silent_units(numbers)
    assert list(after) == [
        "site_in", "site_self", "card_in", "card_self", "trunk_in", "trunk_out"
    ]  # fmt: skip
    assert max(after.values()) < 0.4


def test_a_unit_that_is_never_positive_is_silent():
    game = sprawl_env.game("tower_up", num_players=2)
    net = ActorCritic(game, 8, 16)
    with torch.no_grad():
        net.mlp_extractor.layers["trunk_out"].weight[:4] = 0.0
        net.mlp_extractor.layers["trunk_out"].bias[:] = torch.tensor([-1.0] * 4 + [1e6] * 12)
    numbers = torch.zeros(5, game.observation_size, dtype=torch.int8)
    assert net.silent_units(numbers)["trunk_out"] == 0.25


@pytest.mark.parametrize("name", ["ginkgopolis", "tower_up", "urban_sprawl"])
def test_silent_units_get_new_weights_and_the_outputs_stay(name):
    game = sprawl_env.game(name, num_players=2)
    torch.manual_seed(1)
    net = ActorCritic(game, 8, 16)
    vec = make_vec(game, 64, observations="int8", skip_forced=True)
    vec.reset(seed=1)
    for _ in range(40):
        vec.step(vec.sample_actions())
    numbers, masks = torch.from_numpy(vec.observations), torch.from_numpy(vec.masks)
    with torch.no_grad():
        for layer in net.silent_units(numbers):
            net.mlp_extractor.layers[layer].bias[:3] -= 1e6
        for parameter in net.value_net.parameters():
            parameter.normal_()
        before, silent = net(numbers, masks), net.silent_units(numbers)
        count = net.revive(numbers)
        after = net(numbers, masks)
    sizes = {layer: 16 if layer.startswith("trunk") else 8 for layer in silent}
    assert count == round(sum(share * sizes[layer] for layer, share in silent.items()))
    assert count >= 3 * len(silent)
    for one, two in zip(before, after, strict=True):
        assert torch.allclose(one, two, atol=1e-5)
    found = net.mlp_extractor._units(numbers.float() * net.scales)
    assert all(((units > 0).float().mean(dim=0) > 0).all() for units in found.values())
    assert net.revive(numbers) == 0
    loss = net(numbers, masks)[1].sum()
    loss.backward()  # what reads a new unit learns at once
    assert net.value_net.weight.grad.abs().min() > 0


def test_without_decisions_no_unit_is_silent():
    learner, _ = parts()
    none = Demonstrations(*(column[:0] for column in vars(dataset_of(Team())).values()))
    before = weights(learner)
    assert revive(learner, none) == 0
    assert np.array_equal(weights(learner), before)


def test_imitation_stops_at_its_time_limit_and_accepts_an_empty_dataset():
    learner, _ = parts()
    dataset = dataset_of(Team())
    steps = []
    settings = {"epochs": 3, "batch_size": 64, "learning_rate": 4e-3}
    imitate(
        learner, dataset, **settings, time_used=lambda: len(steps) / 5,
        progress=lambda done, _: steps.append(done),
    )  # fmt: skip
    assert len(steps) in (5, 6)
    late = {**settings, "time_used": lambda: 1.0, "progress": print}
    assert imitate(learner, dataset, **late) is None
    none = Demonstrations(*(column[:0] for column in vars(dataset).values()))
    assert imitate(learner, none, **settings, time_used=lambda: 0.0, progress=print) is None
