"""learning/outcomes.py: a head for the shares of the victory, fitted to a network's own games."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import sprawl_env
from experiments import outcomes as command
from sprawl_env.bots.policy.checkpoint import SHARES, CheckpointError, load, save
from sprawl_env.bots.search.evaluators import network_evaluator
from sprawl_env.bots.search.heads import LARGEST_ODDS
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.rewards import victory_shares
from sprawl_env.kernels.compile import JIT
from sprawl_env.learning import outcomes
from sprawl_env.learning.config import Config
from sprawl_env.learning.expert import network_of
from sprawl_env.learning.outcomes import Outcomes, fit, with_outcomes
from sprawl_env.learning.ppo import actor_critic
from sprawl_env.learning.stored import restore_weights
from tests.commands import call, refused
from tests.unit.bots.test_agents import checkpoint

GAMES = 20 if JIT else 5
LEAD = {"reward": "lead", "reward_scale": 0.05}


def made(folder, seats=2, config=LEAD):
    found = checkpoint(folder, seats)
    return replace(found, about={**found.about, "config": config})


def softmax(logits):
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def drawn(sides, trunk, rows, spread, seed=3):
    """Return outcomes that follow a head, and the shares that it expects."""
    rng = np.random.default_rng(seed)
    summaries = np.abs(rng.normal(size=(rows, trunk)))
    summaries[:, 0] = 0.7  # a dead number of the summary
    weight, bias = rng.normal(size=(sides, trunk)), rng.normal(size=sides)
    weight[:, 0] = 0.0
    margins = rng.normal(0, 10, rows)
    logits = summaries @ weight.T + bias
    logits[:, 0] += margins / spread
    shares = softmax(logits)
    winners = [rng.choice(sides, p=row) for row in shares]
    return Outcomes(
        summaries.astype(np.float32), margins.astype(np.float32),
        np.full((rows, sides), 1 / sides, np.float32), np.eye(sides, dtype=np.float32)[winners],
        np.arange(rows),
    ), shares  # fmt: skip


@pytest.mark.parametrize("sides", [2, 3])
@pytest.mark.parametrize("begin", [2.0, 40.0])
def test_the_head_that_made_the_outcomes_is_found_again(sides, begin):
    known, shares = drawn(sides, 4, 40_000, spread=8.0)
    found = fit(known, begin)
    assert found.spread == pytest.approx(8.0, rel=0.1)
    logits = known.summaries @ found.weight.T + found.bias
    logits[:, 0] += known.margins / found.spread
    assert np.abs(softmax(logits) - shares).mean() < 0.02
    assert found.before == pytest.approx(np.log(sides))
    held_out = known.games % 5 == 0
    best = -(known.shares * np.log(shares)).sum(axis=1)[held_out].mean()
    assert best - 0.01 < found.after < best + 0.01


def test_games_that_are_judged_by_are_not_fitted_to():
    known, _ = drawn(2, 4, 4000, spread=8.0)
    held_out = known.games % 5 == 0
    lies = known._replace(shares=np.where(held_out[:, None], known.shares[:, ::-1], known.shares))
    one, other = fit(known, 8.0), fit(lies, 8.0)
    assert np.array_equal(one.weight, other.weight)
    assert other.after > one.after


def test_a_margin_that_says_the_opposite_is_no_better():
    known, _ = drawn(2, 4, 4000, spread=8.0)
    found = fit(known._replace(margins=-known.margins), 8.0)
    assert found.after == np.inf


@pytest.mark.parametrize(("seats", "name"), [(2, "tower_up"), (3, "tower_up")])
def test_own_games_are_told_from_the_seat_that_decided(tmp_path, seats, name, monkeypatch):
    game = sprawl_env.game(name, num_players=seats)
    evaluator = network_evaluator(made(tmp_path / "one", seats), game)
    kept = []

    class Own(outcomes.OwnGames):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            kept.append(self)

        def ply(self, *arguments):
            said = super().ply(*arguments)
            kept.append(said)
            return said

    monkeypatch.setattr(outcomes, "OwnGames", Own)
    monkeypatch.setattr(outcomes, "ASKED", 1.0)
    found = outcomes.play_out(game, evaluator, 7, 1)
    own, *plies = kept
    ends = victory_shares(game.standings(own.games.view(np.recarray)))
    expected = [
        (g, np.roll(ends[g], -seat), said.found.margins[k])
        for said in plies
        for k, (g, seat) in enumerate(zip(said.games, said.seats, strict=True))
        if said.choice[k]
    ]
    assert found.games.tolist() == [g for g, _, _ in expected]
    assert found.shares == pytest.approx(np.array([shares for _, shares, _ in expected]))
    assert found.margins == pytest.approx(np.array([margin for _, _, margin in expected]))
    assert found.expected.sum(axis=1) == pytest.approx(np.ones(len(expected)))


def test_the_fitted_head_is_what_a_search_uses(tmp_path, monkeypatch):
    game, plain = sprawl_env.game("tower_up"), made(tmp_path / "one")
    weight = np.random.default_rng(1).normal(size=(2, plain.about["network"]["trunk"]))
    bias = np.array([0.3, -0.1], np.float32)
    known = outcomes.Fit(12.5, weight.astype(np.float32), bias, 0.7, 0.6)
    monkeypatch.setattr(outcomes, "fit", lambda *_: known)
    better = with_outcomes(plain, game, 5)
    assert better.about["outcomes"] == {"games": 5, "seed": 0, "before": 0.7, "after": 0.6}
    assert better.about["spread"] == 12.5
    assert {*better.tensors} == {*plain.tensors, f"{SHARES}weight", f"{SHARES}bias"}
    read = load(save(tmp_path / "two", better.tensors, better.about))
    games = game.deal(1, 4)
    numbers = np.zeros((1, game.observation_size), np.int8)
    game.observe(games, 0, 0, numbers[0])
    asked = numbers, game.legal_actions(games)[None], np.array([[9, 4]], np.int32)
    evaluator = network_evaluator(read, game)
    said, (_, summaries) = evaluator(*asked), evaluator.net(numbers)
    logits = summaries @ known.weight.T + bias
    logits[:, 0] += np.clip(said.margins / 12.5, -LARGEST_ODDS, LARGEST_ODDS)
    assert said.shares == pytest.approx(softmax(logits), abs=1e-5)
    assert said.margins == network_evaluator(plain, game)(*asked).margins


def test_training_can_start_from_an_agent_that_was_fitted(tmp_path, monkeypatch):
    game, plain = sprawl_env.game("tower_up"), made(tmp_path / "one")
    trunk = plain.about["network"]["trunk"]
    known = outcomes.Fit(12.5, np.ones((2, trunk), np.float32), np.ones(2, np.float32), 0.7, 0.6)
    monkeypatch.setattr(outcomes, "fit", lambda *_: known)
    better = with_outcomes(plain, game, 5)
    net, after_search = (
        actor_critic(Config(**plain.about["network"]), game),
        network_of(better, game, reward_scale=0.05, spread=12.5),
    )
    restore_weights(net, better)
    for name, array in net.state_dict().items():
        assert np.array_equal(array.numpy(), plain.tensors[f"policy.{name}"])
    assert np.array_equal(after_search.share_net.weight.detach().numpy(), known.weight)
    with pytest.raises(CheckpointError, match="does not fit this config: Unexpected key"):
        restore_weights(net, replace(plain, tensors={**plain.tensors, "policy.more": known.bias}))


@pytest.mark.parametrize("after", [0.7, 0.8, np.nan, np.inf])
def test_a_head_that_foresees_no_better_is_not_taken(tmp_path, monkeypatch, after):
    plain = made(tmp_path / "one")
    known = outcomes.Fit(1.0, np.zeros((2, 2)), np.zeros(2), 0.7, after)
    monkeypatch.setattr(outcomes, "fit", lambda *_: known)
    assert with_outcomes(plain, sprawl_env.game("tower_up"), 5) is plain


def test_values_that_are_victories_stay(tmp_path, capsys):
    plain = made(tmp_path / "one", config={"reward": "winner", "reward_scale": 1.0})
    assert with_outcomes(plain, sprawl_env.game("tower_up"), 5) is plain
    assert command.fitted(plain, sprawl_env.game("tower_up"), 5) is plain
    assert "victories themselves: there is nothing to fit" in capsys.readouterr().out


@pytest.mark.parametrize(("games", "seed"), [(4, 0), (0, 0), (5, -1), (True, 0), (2.5, 0)])
def test_numbers_that_are_not_allowed_are_refused(tmp_path, games, seed):
    with pytest.raises(InvalidOption):
        with_outcomes(made(tmp_path / "one"), sprawl_env.game("tower_up"), games, seed)


def test_the_command_writes_an_agent_with_its_card(tmp_path, capsys):
    plain = made(tmp_path / "made")
    wrong = {  # that the seat to play always wins: any fit to the games is better
        f"{SHARES}weight": np.zeros((2, plain.about["network"]["trunk"]), np.float32),
        f"{SHARES}bias": np.array([40, -40], np.float32),
    }
    save(tmp_path / "one", plain.tensors | wrong, plain.about, {"README.md": "# its card\n"})
    out = call(
        capsys, tmp_path / "one", tmp_path / "two", "--games", GAMES, "--seed", 4, main=command.main
    ).out
    assert f"written: {tmp_path / 'two'}" in out
    assert (tmp_path / "two" / "README.md").read_text() == "# its card\n"
    about = json.loads((tmp_path / "two" / "checkpoint.json").read_text())
    fitted = about.pop("outcomes")
    before, after = fitted.pop("before"), fitted.pop("after")
    assert fitted == {"games": GAMES, "seed": 4}
    assert before > 5  # half of the victories were thought impossible
    assert after < before
    assert f"in games that were not fitted to: {before:.4f} before, {after:.4f} after" in out
    assert about.pop("spread") > 0
    assert {**about, "sha256": plain.about["sha256"]} == plain.about
    found = load(tmp_path / "two").tensors
    for name, array in plain.tensors.items():
        assert name.startswith("optimizer") or np.array_equal(found[name], array)
    assert np.abs(found[f"{SHARES}bias"]).max() < 40
    again = call(
        capsys, tmp_path / "one", tmp_path / "three", "--games", GAMES, "--seed", 4,
        main=command.main,
    )  # fmt: skip
    assert again.out.replace("three", "two") == out
    weights = [(tmp_path / each / "weights.safetensors").read_bytes() for each in ("two", "three")]
    assert weights[0] == weights[1]


def test_the_command_says_that_nothing_is_better_and_copies_the_agent(
    tmp_path, capsys, monkeypatch
):
    plain = made(tmp_path / "made")
    save(tmp_path / "one", plain.tensors, plain.about)
    worse = outcomes.Fit(1.0, np.zeros((2, 2)), np.zeros(2), 0.7, 0.8)
    monkeypatch.setattr(outcomes, "fit", lambda *_: worse)
    words = tmp_path / "one", tmp_path / "two", "--games", 5
    out = call(capsys, *words, main=command.main).out
    assert "no better than before: nothing is changed" in out
    found = load(tmp_path / "two")
    assert "outcomes" not in found.about
    kept = {name for name in plain.tensors if not name.startswith("optimizer")}
    assert found.tensors.keys() == kept


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("missing", "two"), "missing"),
        (("one", "full"), "full"),
        (("one", "two", "--games", 2), "games"),
    ],
)
def test_the_command_refuses_what_cannot_be(tmp_path, capsys, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    plain = made(Path("made"))
    save(Path("one"), plain.tensors, plain.about)
    Path("full").mkdir()
    Path("full", "mine.txt").write_text("mine")
    assert says in refused(capsys, *words, "--seed", 1, main=command.main)
    assert Path("full", "mine.txt").read_text() == "mine"
