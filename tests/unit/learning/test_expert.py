"""learning/expert*.py: what is learnt, matches, and runs that are stopped and resumed."""

import json
import signal
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

import sprawl_env
from experiments import train_search
from sprawl_env.arena import evaluation
from sprawl_env.bots.policy.agents import find_agent
from sprawl_env.bots.policy.checkpoint import (
    POLICY,
    VALUE,
    Checkpoint,
    CheckpointError,
    checkpoints_in,
    load,
    save,
)
from sprawl_env.bots.policy.player import load_network
from sprawl_env.bots.search.evaluators import lead_spread_of, network_evaluator, spread_of
from sprawl_env.bots.search.spread import measured_spread
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.rewards import leads
from sprawl_env.learning import expert, expert_training
from sprawl_env.learning.expert_config import EXPERT_PRESETS, ExpertConfig, check_expert
from sprawl_env.learning.outcomes import FITTED
from sprawl_env.learning.ppo import Stopwatch
from sprawl_env.learning.runs import owned_run
from sprawl_env.learning.team import Team, start

TINY = ExpertConfig(
    start="tower_up/quick",
    total_steps=120,
    max_minutes=0.0,
    num_envs=16,
    sims=4,
    fast_sims=2,
    full_share=0.5,
    window=400,
    batch_size=32,
    gate_every=60,
    gate_games=4,
    evaluation_games=0,
    processes=1,
    precision="float32",
)


@pytest.fixture(scope="module")
def game():
    return sprawl_env.game("tower_up")


@pytest.fixture(scope="module")
def player(game):
    return load(find_agent("agent:tower_up/quick", game), game)


@pytest.fixture(scope="module")
def collected(game, player):
    """What some plies of self-play by search give; tests only read it."""
    return played(game, player)


def played(game, player, config=TINY, plies=150, team=None):
    window = expert.Window(game, config.window)
    play = expert.SearchPlay(config, game, team or Team(), window, Stopwatch())
    play.begin(0, player)
    added = sum(play.advance() for _ in range(plies))
    return play, window, added


def test_the_observer_comes_first_in_what_is_learnt():
    standings = np.array([[5, 9, 9], [7, 1, 2]], np.int32)
    scores = np.array([[50, 60, 60], [40, 10, 20]], np.int32)
    shares, margins = expert.targets(
        standings, scores, np.array([1, 2]), np.array([0.5, 0.2], np.float32), 1.0
    )
    assert shares.tolist() == [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]
    assert margins.tolist() == [5.0, -5.0]


def test_the_value_of_the_search_is_mixed_in_and_the_sum_stays_one():
    standings = np.array([[1, 2, 3], [3, 1, 2]], np.int32)
    worth = np.array([0.4, 0.7], np.float32)
    shares, _ = expert.targets(standings, standings, np.array([0, 0]), worth, 0.5)
    assert shares[0] == pytest.approx([0.2, 0.0, 0.8])  # the winner has what the search left
    assert shares[1] == pytest.approx([0.85, 0.075, 0.075])  # nobody else won: equal parts
    assert shares.sum(axis=1) == pytest.approx(1)


def test_rows_are_the_full_searches_of_games_that_have_ended(collected):
    play, window, added = collected
    assert 0 < window.filled == min(added, len(window.margins))
    rows = slice(window.filled)
    policies = window.policies[rows].astype(np.float32)
    assert policies.sum(axis=1) == pytest.approx(1, abs=0.01)
    assert (policies[window.masks[rows] == 0] == 0).all()
    assert (window.masks[rows].sum(axis=1) > 1).all()
    assert window.shares[rows].sum(axis=1) == pytest.approx(1)
    sure = np.abs(window.shares[rows, 0] - 0.5) > 0.36  # more than the search could say alone
    won = window.margins[rows] > 0
    assert np.corrcoef(window.leads[rows], window.margins[rows])[0, 1] > 0.2
    assert (won == (window.shares[rows, 0] > 0.5))[sure].mean() > 0.95
    assert set(np.unique(play._open.game)) <= set(range(-1, TINY.num_envs))


def test_the_window_forgets_its_oldest_rows(game):
    window = expert.Window(game, 5)
    for k in range(4):
        window.add(
            np.full((2, game.observation_size), k, np.int8),
            np.ones((2, game.num_actions), np.int8),
            np.zeros((2, game.num_actions)),
            np.full(2, k, np.float32),
            np.full((2, 2), k, np.float32),
            np.full(2, k, np.float32),
        )
    assert window.filled == 5
    assert sorted(window.margins.tolist()) == [1, 2, 2, 3, 3]


@pytest.mark.parametrize("kind", ["forward", "reverse"])
def test_a_learner_fits_what_it_is_shown(game, player, collected, kind):
    _, window, _ = collected
    others = {key: each for key, each in player.tensors.items() if not key.startswith(VALUE)}
    net = expert.network_of(replace(player, tensors=others), game, TINY.reward_scale, 5.0)
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if ".act_" in name:
                parameter.zero_()  # all actions are as likely
    config = replace(TINY, learning_rate=3e-3, batch_size=64, margin_weight=5.0, divergence=kind)
    learner = expert.ExpertLearner(config, net, Team(), Stopwatch())
    rng = np.random.default_rng(0)
    first = learner.step(window, rng, 1.0)
    for _ in range(180):
        last = learner.step(window, rng, 1.0)
    names = dict(zip(expert.STATISTICS, range(4), strict=True))
    assert last[names["policy_loss"]] < first[names["policy_loss"]] - 0.1
    assert last[names["margin_error"]] < first[names["margin_error"]] / 2


def test_the_reverse_divergence_is_that_of_the_policy_from_what_is_wanted():
    chances, wanted = (
        np.array([[0.7, 0.3, 0.0], [0.5, 0.25, 0.25]]),
        np.array([[0.9, 0.1, 0.0]] * 2),
    )
    logits = torch.from_numpy(np.log(np.maximum(chances, 1e-300))).clamp(min=-1e9)
    found = expert.divergence(logits, torch.from_numpy(wanted))
    first = 0.7 * np.log(0.7 / 0.9) + 0.3 * np.log(0.3 / 0.1)
    second = 0.5 * np.log(0.5 / 0.9) + 0.25 * np.log(0.25 / 0.1) + 0.25 * np.log(0.25 / 1e-7)
    assert found.numpy() == pytest.approx([first, second])
    assert expert.divergence(logits, torch.from_numpy(chances)).numpy() == pytest.approx([0, 0])


def test_the_step_size_grows_in_the_first_steps(game, player, collected):
    _, window, _ = collected
    net = expert.network_of(player, game, TINY.reward_scale, 5.0)
    learner = expert.ExpertLearner(TINY, net, Team(), Stopwatch())
    sizes = []
    for _ in range(3):
        learner.step(window, np.random.default_rng(0), 0.5)
        sizes.append(learner.optimizer.param_groups[0]["lr"])
    assert sizes == pytest.approx([TINY.learning_rate * 0.5 * k / 100 for k in (1, 2, 3)])
    learner.optimizer.state[net.flat]["step"] += 1000
    learner.step(window, np.random.default_rng(0), 0.5)
    assert learner.optimizer.param_groups[0]["lr"] == pytest.approx(TINY.learning_rate * 0.5)


@pytest.mark.parametrize("averaging", [0.0, 0.75])
def test_the_running_mean_of_the_weights_plays(game, player, collected, averaging):
    _, window, _ = collected
    net = expert.network_of(player, game, TINY.reward_scale, 5.0)
    config = replace(TINY, averaging=averaging)
    learner = expert.ExpertLearner(config, net, Team(), Stopwatch())
    mean, rng = net.flat.detach().clone(), np.random.default_rng(0)
    assert torch.equal(learner.averaged().flat, mean)
    for _ in range(3):
        learner.step(window, rng, 1.0)
        mean = averaging * mean + (1 - averaging) * net.flat.detach()
    made = learner.averaged()
    assert torch.allclose(made.flat, mean, atol=1e-6)
    assert torch.equal(
        next(made.parameters()).flatten(), made.flat[: next(made.parameters()).numel()]
    )
    assert torch.equal(made.flat, net.flat.detach()) == (averaging == 0)


def test_the_running_mean_is_stored_and_restored(game, player, collected):
    _, window, _ = collected
    net, again = (expert.network_of(player, game, TINY.reward_scale, 5.0) for _ in range(2))
    learner = expert.ExpertLearner(TINY, net, Team(), Stopwatch())
    learner.step(window, np.random.default_rng(0), 1.0)
    tensors = expert_training.learner_tensors(learner)
    other = expert.ExpertLearner(TINY, again, Team(), Stopwatch())
    expert_training.restore_learner(other, replace(player, tensors=tensors))
    assert torch.equal(other.average, learner.average)
    assert torch.equal(other.net.flat, learner.net.flat)
    assert not torch.equal(other.average, other.net.flat.detach())
    short = {**tensors, expert_training.AVERAGE: tensors[expert_training.AVERAGE][1:]}
    with pytest.raises(CheckpointError, match="expected average"):
        expert_training.restore_learner(other, replace(player, tensors=short))


def test_the_spread_of_leads_is_measured_for_a_start_that_foresees_victories(game, player):
    about = {key: said for key, said in player.about.items() if key != "spread"}
    winner = {**about, "config": {**about["config"], "reward": "winner"}}
    net = network_evaluator(player, game)

    def expects_the_lead_now(numbers, masks, points):
        found = net(numbers, masks, points)
        return found._replace(margins=leads(points)[:, 0].astype(np.float32))

    found = lead_spread_of(replace(player, about=winner), game)
    assert found == measured_spread(game, expects_the_lead_now)
    assert lead_spread_of(player, game) == spread_of(player, game)


@pytest.mark.parametrize("scale", [0.05, 0.5])
def test_a_learner_begins_with_all_that_the_start_knows(game, player, collected, scale):
    net = expert.network_of(player, game, scale, spread_of(player, game))
    own = {name: each for name, each in net.state_dict().items() if "mlp_extractor" in name}
    assert own
    for name, each in own.items():
        assert np.array_equal(each.numpy(), player.tensors[f"{POLICY}{name}"])
    window, rows = collected[1], slice(20)
    numbers, masks, leads = window.numbers[rows], window.masks[rows], window.leads[rows]
    points = np.stack([leads, np.zeros_like(leads)], axis=1).astype(np.int32)
    judged = network_evaluator(player, game)(numbers, masks, points)
    with torch.inference_mode():
        logits, odds, margins = net(*(torch.from_numpy(each) for each in (numbers, masks, leads)))
    assert margins.numpy() == pytest.approx(judged.margins, rel=1e-3, abs=1e-3)
    assert torch.softmax(odds, dim=1).numpy() == pytest.approx(judged.shares, abs=1e-3)
    assert (logits.argmax(dim=1).numpy() == np.where(masks, judged.logits, -1e9).argmax(1)).all()


@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_the_start_has_logits_divided_by_the_temperature_and_its_values(game, player, temperature):
    config = replace(TINY, temperature=temperature)
    started = expert_training.start_of(config, game)
    vec = sprawl_env.make_vec(game, 3, observations="int8")
    vec.reset(seed=1)
    asked = (vec.observations, vec.masks, game.scores(vec.games))
    plain = network_evaluator(player, game)(*asked)
    found = network_evaluator(started, game)(*asked)
    assert found.logits * temperature == pytest.approx(plain.logits, abs=1e-4)
    assert plain.logits.std() > 0.5
    assert np.array_equal(found.shares, plain.shares)
    assert np.array_equal(found.margins, plain.margins)


@pytest.mark.parametrize("kind", ["margin", "winner"])
def test_values_that_are_no_changes_of_the_lead_are_not_kept(game, player, kind):
    config = {**player.about["config"], "reward": kind}
    other = replace(player, about={**player.about, "config": config})
    net = expert.network_of(other, game, 0.05, 5.0)
    assert not any(each.any() for each in (net.value_net.weight, net.value_net.bias))


def test_leads_are_points_less_the_mean_of_the_others():
    points = np.array([[5, 9, 10], [7, 1, 2]], np.int32)
    assert expert.leads_of(points, np.array([2, 0])).tolist() == [3.0, 5.5]


def test_a_side_that_is_alone_leads_by_its_points_and_has_the_victory():
    points = np.array([[7], [3]], np.int32)
    shares, margins = expert.targets(
        points, points, np.array([0, 0]), np.array([0.7, 0.3], np.float32), 0.5
    )
    assert shares.tolist() == [[1.0], [1.0]]
    assert margins.tolist() == [7.0, 3.0]


@pytest.mark.parametrize(
    ("name", "options"),
    [("ginkgopolis", {"num_players": 1}), ("tower_up", {"num_players": 3})],
    ids=str,
)
def test_one_seat_and_three_learn_too(name, options):
    game = sprawl_env.game(name, **options)
    config = replace(TINY, game=name, **options)
    net = expert.SearchNet(game, 8, 16, 0.05, 5.0)
    config_of_net = {"reward_scale": 0.05, "reward": expert.REWARD}
    about = {"network": {"width": 8, "trunk": 16}, "config": config_of_net}
    tensors = {f"{POLICY}{key}": each.numpy() for key, each in net.state_dict().items()}
    player = Checkpoint(Path("made"), about, tensors)
    _, window, added = played(game, player, config, 160)
    assert added > 0
    assert window.shares.shape[1] == game.num_sides
    learner = expert.ExpertLearner(config, net, Team(), Stopwatch())
    assert np.isfinite(learner.step(window, np.random.default_rng(0), 1.0)).all()
    won, games = expert.match(config, game, Team(), player, player, 3)
    assert games >= 4
    if game.num_seats == 1:
        assert won == 0.5  # the same deals, the same player
    assert 0 <= won <= 1


def compared(monkeypatch, game, won, seed=0, step=60):
    """Return the player after a match that the learner wins so often, and the match's seed."""
    seeds = []

    def match(config, game, team, learner, player, seed):
        seeds.append(seed)
        return won, 12

    monkeypatch.setattr(expert_training, "match", match)
    trainer = SimpleNamespace(
        config=replace(TINY, seed=seed), game=game, team=Team(), clock=SimpleNamespace(steps=step),
        player="player", play=SimpleNamespace(seat=lambda player: None),
        as_checkpoint=lambda: "learner", _report=None,
    )  # fmt: skip
    expert_training.ExpertTrainer.compare(trainer)
    return trainer.player, seeds[0]


@pytest.mark.parametrize(
    ("name", "seats", "won", "player"),
    [
        ("tower_up", 2, 0.5, "learner"),
        ("tower_up", 2, 0.49, "player"),
        ("tower_up", 3, 1 / 3 - 1e-12, "learner"),  # the sum of thirds is rounded
        ("tower_up", 3, 0.33, "player"),
        ("tower_up", 4, 0.25, "learner"),
        ("tower_up", 4, 0.24, "player"),
        ("ginkgopolis", 1, 0.5, "learner"),
        ("ginkgopolis", 1, 0.49, "player"),
    ],
)
def test_a_learner_that_wins_as_often_as_equal_bots_takes_the_players_place(
    monkeypatch, name, seats, won, player
):
    game = sprawl_env.game(name, num_players=seats)
    assert compared(monkeypatch, game, won)[0] == player
    assert expert_training.is_even(won, game) == (player == "learner")


@pytest.mark.parametrize(("filled", "steps"), [(1, 0), (100, 10), (200, 20), (400, 40)])
def test_rows_are_learnt_from_as_often_while_the_window_fills(filled, steps):
    taken = []
    learner = SimpleNamespace(step=lambda *_: taken.append(1) or np.zeros(4, np.float32))
    trainer = SimpleNamespace(
        config=replace(TINY, reuse=4.0, batch_size=32), learner=learner, team=Team(), _owed=0.0,
        play=SimpleNamespace(advance=lambda: 40), watch=Stopwatch(), statistics=None, _rng=0,
        window=SimpleNamespace(filled=filled, margins=np.zeros(400)),
        clock=SimpleNamespace(steps=0, annealing=1.0),
    )  # fmt: skip
    expert_training.ExpertTrainer.round(trainer)  # adds 320 rows: 40 steps of 32, four times each
    assert (len(taken), trainer.clock.steps) == (steps, 320)
    assert (trainer.statistics is None) == (steps == 0)  # no losses instead of 0


def test_runs_of_other_seeds_play_other_matches(game, monkeypatch):
    runs = [(0, 60), (0, 120), (1, 60), (1, 120)]
    assert len({compared(monkeypatch, game, 0.5, *each)[1] for each in runs}) == len(runs)


def run(tmp_path, **changes):
    return expert_training.main(replace(TINY, runs=tmp_path, **changes))


def test_a_run_is_made_resumed_and_played(tmp_path, game):
    folder, finished, _ = run(tmp_path, name="a")
    assert finished
    matches = expert_training.read_matches(folder)
    assert matches
    assert {"step", "wins", "games", "accepted", "policy_loss"} <= set(matches[0])
    checkpoints = sorted((folder / "checkpoints").glob("step-*"))
    assert load(checkpoints[-1], game).step >= TINY.total_steps
    assert [p.name for p in checkpoints if (p / expert_training.LEARNER_FILE).exists()] == [
        checkpoints[-1].name
    ]
    bot = sprawl_env.make_bot(f"search:agent=checkpoint:{folder},sims=4", game)
    games = game.deal(1, seed=0)
    mask = game.legal_actions(games, 0)
    assert mask[bot.act(None, mask[None], games)[0]]
    written = json.loads((folder / "config.json").read_text())
    written["config"]["total_steps"] = 600
    (folder / "config.json").write_text(json.dumps(written))
    with (
        owned_run(folder, None, new=False),
        pytest.raises(InvalidOption, match="another process trains there"),
    ):
        expert_training.main(ExpertConfig(resume=folder))
    again, finished, _ = expert_training.main(ExpertConfig(resume=folder))
    assert again == folder and finished
    assert load(folder, game).step >= 600
    assert len(expert_training.read_matches(folder)) > len(matches)


def test_a_run_ends_with_an_evaluation_in_parts(tmp_path, game, monkeypatch):
    parts, played, real = [], [], evaluation.evaluate

    def evaluate(game, bots, **settings):
        parts.append(settings.pop("parts"))
        played.append(bots)
        return real(game, bots, **settings)

    monkeypatch.setattr(evaluation, "evaluate", evaluate)
    monkeypatch.setattr(evaluation, "PART_GAMES", 5)
    monkeypatch.setattr(expert_training, "REFERENCES", ("greedy", "random"))
    folder, _, found = run(tmp_path, evaluation_games=10)
    assert parts == [2] * 5
    pairs = ["policy v start", "policy v greedy", "policy v random"]
    assert list(found) == [*pairs, "search v raw policy", "search v random"]
    for what, (measured, opponent) in found.items():
        assert (measured.bot, opponent.bot) == ("measured", what.partition(" v ")[2])
        assert measured.games == 10 and measured.wins + opponent.wins == pytest.approx(1)
    assert found["policy v random"][0].wins == found["search v random"][0].wins == 1
    assert played[0][1] == f"checkpoint:{checkpoints_in(folder / 'checkpoints')[0]}"  # the start
    assert played[3][0].endswith(",sims=4,gumbel=8,scale=2.0,c=1.0,rollout=0")
    written = json.loads((folder / "evaluation.json").read_text())["results"]
    assert written == {what: [asdict(line) for line in lines] for what, lines in found.items()}


def test_a_run_goes_on_without_the_learner_and_the_last_row_if_they_are_damaged(
    tmp_path, game, capsys
):
    folder, _, _ = run(tmp_path, name="b")
    before = expert_training.read_matches(folder)
    assert before
    newest = sorted((folder / "checkpoints").glob("step-*"))[-1]
    (newest / expert_training.LEARNER_FILE).write_bytes(b"damaged")
    written = json.loads((folder / "config.json").read_text())
    written["config"]["total_steps"] = 600
    (folder / "config.json").write_text(json.dumps(written))
    with (folder / expert_training.MATCHES).open("a") as file:
        file.write("half a li")
    _, finished, _ = expert_training.main(ExpertConfig(resume=folder))
    assert finished
    assert "the learner begins as the player" in capsys.readouterr().out
    matches = expert_training.read_matches(folder)
    assert len(matches) > len(before)
    assert matches[: len(before)] == before
    assert all("wins" in row for row in matches)
    assert load(folder, game).step >= 600


def test_the_learner_stays_beside_a_later_checkpoint_that_is_damaged(tmp_path, game):
    folder, _, _ = run(tmp_path, name="d")
    checkpoints = folder / "checkpoints"
    newest = max(checkpoints.iterdir())
    newest.rename(checkpoints / "step-0000009999")  # of another step than its name says
    expert_training.main(ExpertConfig(resume=folder))
    newest = load(folder, game).path
    assert newest.name < "step-0000009999"
    assert (newest / expert_training.LEARNER_FILE).exists()
    assert (checkpoints / "damaged-step-0000009999").is_dir()


@pytest.mark.parametrize("gate_every", [1, 10**6])
def test_ctrl_c_saves_without_a_match_which_follows_after_the_resume(
    tmp_path, game, monkeypatch, gate_every
):
    whole = expert_training.ExpertTrainer.round

    def interrupted(trainer):
        whole(trainer)
        if trainer.clock.steps:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(expert_training.ExpertTrainer, "round", interrupted)
        folder, finished, _ = run(tmp_path, name="e", total_steps=10**6, gate_every=gate_every)
    assert not finished
    assert expert_training.read_matches(folder) == []
    stopped = load(folder, game)
    assert stopped.step > 0
    assert (stopped.path / expert_training.LEARNER_FILE).exists()
    written = json.loads((folder / "config.json").read_text())
    written["config"]["total_steps"] = stopped.step
    (folder / "config.json").write_text(json.dumps(written))
    assert expert_training.main(ExpertConfig(resume=folder))[1]
    (match,) = expert_training.read_matches(folder)
    assert match["step"] == stopped.step
    assert not set(match) & set(expert.STATISTICS)  # nothing was learnt after the resume
    expert_training.main(ExpertConfig(resume=folder))
    assert len(expert_training.read_matches(folder)) == 1


def test_what_was_fitted_to_the_starts_games_is_not_said_of_later_players(
    tmp_path, game, player, monkeypatch
):
    monkeypatch.setattr(expert_training, "is_even", lambda won, game: True)
    about = {**player.about, FITTED: {"games": 5, "seed": 0, "before": 0.7, "after": 0.6}}
    start = save(tmp_path / "start", player.tensors, about)
    folder, _, _ = run(tmp_path, name="f", start=f"checkpoint:{start}")
    said = [FITTED in load(path, game).about for path in checkpoints_in(folder / "checkpoints")]
    assert said[0] and not any(said[1:]) and len(said) > 1


def test_a_player_after_expert_iteration_has_values_in_points(tmp_path, game, monkeypatch):
    monkeypatch.setattr(expert_training, "is_even", lambda won, game: True)
    folder, _, _ = run(tmp_path, name="c")
    policy = sprawl_env.load_policy(folder)
    assert "config" in policy.about
    games = game.deal(1, seed=0)
    seen, stored = game.observe(games, 0, 0)[None], load(folder, game)
    with torch.inference_mode():
        summary = load_network(stored, game)(torch.from_numpy(seen))[1].numpy()
    weight, bias = (stored.tensors[f"{VALUE}{name}"] for name in ("weight", "bias"))
    value = (summary @ weight[0] + bias[0]) / TINY.reward_scale
    assert policy.values(seen) == pytest.approx(value, rel=1e-3, abs=1e-3)
    assert np.abs(value) > 0.01
    assert all(row["accepted"] for row in expert_training.read_matches(folder))
    raw = sprawl_env.make_bot(f"checkpoint:{folder}", game)
    mask = game.legal_actions(games, 0)
    assert mask[raw.act(game.observe(games, 0, 0)[None], mask[None], None)[0]]


def test_the_searches_are_as_the_settings_say():
    config = replace(TINY, gumbel=3, scale=1.5, c=0.5, rollout=7)
    found = expert.tree_config(config, 9)
    assert (found.sims, found.gumbel, found.scale, found.c) == (9, 3, 1.5, 0.5)
    assert found.rollout == 7


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sims": 1}, "sims=1: expected a whole number 2.."),
        ({"fast_sims": 9}, "fast_sims=9: expected at most sims=4"),
        ({"full_share": 0.0}, "full_share=0.0: expected more than 0"),
        ({"rollout": -1}, "rollout=-1: expected a whole number 0.."),
        ({"divergence": "x"}, "divergence='x': expected forward, reverse"),
        ({"outcome_share": 1.5}, "outcome_share=1.5: expected 0..1"),
        ({"reuse": float("nan")}, "reuse=nan: expected a finite number"),
        ({"precision": "half"}, "precision='half': expected auto, float32, bfloat16"),
        ({"processes": 3}, "num_envs=16: expected a multiple of processes=3"),
        ({"name": "a/b"}, "expected the name of a folder"),
        ({"averaging": 1.0}, "averaging=1: expected less"),
        ({"runs": Path("a,b")}, "runs='a,b': expected a folder without a comma"),
    ],
)
def test_a_setting_that_is_wrong_is_refused_in_one_line(changes, message):
    with pytest.raises(SprawlError, match=message) as caught:
        check_expert(replace(TINY, **changes))
    assert "\n" not in str(caught.value)


def test_nothing_is_written_for_an_agent_that_is_not_there(tmp_path):
    with pytest.raises(SprawlError, match="no such agent"):
        run(tmp_path, start="tower_up/nobody")
    with pytest.raises(CheckpointError, match="no such folder"):
        run(tmp_path, start=f"checkpoint:{tmp_path / 'nothing'}")
    with pytest.raises(SprawlError, match=f"; a folder is named as checkpoint:{tmp_path}$"):
        run(tmp_path, start=str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_run_of_another_name_is_not_overwritten(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "config.json").write_text("{}")
    with pytest.raises(InvalidOption, match="exists: resume it"):
        run(tmp_path, name="a")
    with pytest.raises(InvalidOption, match="is damaged"):
        expert_training.main(replace(TINY, resume=tmp_path / "a"))
    with pytest.raises(InvalidOption, match="cannot be read"):
        expert_training.main(replace(TINY, resume=tmp_path / "none"))


def test_presets_are_valid_and_the_command_says_what_is_wrong(capsys):
    for preset in EXPERT_PRESETS.values():
        check_expert(preset)
    with pytest.raises(SystemExit):
        train_search.main(["--sims", "1"])
    assert "sims=1: expected" in capsys.readouterr().err


def learn_briefly(team):
    """Take two steps as one rank; return the weights, and whether all ranks have the same."""
    game = sprawl_env.game("tower_up")
    player = load(find_agent(f"agent:{TINY.start}", game), game)
    _, window, _ = played(game, player, team=team)
    net = expert.network_of(player, game, TINY.reward_scale, 5.0)
    learner = expert.ExpertLearner(TINY, net, team, Stopwatch())
    rng = np.random.default_rng(team.rank)
    for _ in range(2):
        learner.step(window, rng, 1.0)
    found = learner.net.flat.detach().numpy().copy()
    table = np.zeros((team.size, found.size), np.float32)
    table[team.rank] = found
    same = all(np.array_equal(found, other) for other in team.all_reduce(table))
    return found, same


def learn_other_rank(team):
    learn_briefly(team)


@pytest.mark.long
def test_two_processes_learn_the_same_weights_from_different_games(game, player):
    with start(2, learn_other_rank) as team:
        together, same = learn_briefly(team)
    assert same
    alone, _ = learn_briefly(Team())
    assert not np.array_equal(together, alone)
    net = expert.network_of(player, game, TINY.reward_scale, 5.0)
    assert not np.array_equal(together, net.flat.detach().numpy())


@pytest.mark.slow
def test_two_processes_train_and_play_a_match_together(tmp_path, game):
    folder, finished, _ = run(tmp_path, name="two", processes=2)
    assert finished
    assert expert_training.read_matches(folder)[0]["games"] == 4
