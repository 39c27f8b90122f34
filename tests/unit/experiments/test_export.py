"""experiments/export.py: weights and card of an agent from the folder of a run."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

import sprawl_env
from experiments import export
from sprawl_env.bots.policy.checkpoint import load, save
from sprawl_env.bots.policy.player import game_of
from sprawl_env.bots.search.evaluators import spread_of
from sprawl_env.learning import outcomes
from tests.commands import call, refused
from tests.unit.bots.test_agents import checkpoint

LINE = {
    "bot": "policy", "games": 1000, "wins": 0.75, "low": 0.72, "high": 0.78, "score": 50.0,
    "score_error": 0.5, "margin": 3.0, "margin_error": 0.4,
}  # fmt: skip


@pytest.fixture
def run(tmp_path, monkeypatch):
    folder = tmp_path / "runs" / "mine"
    checkpoint(folder / "checkpoints" / "step-0000000070")
    config = {
        "preset": "quick", "game": "tower_up", "num_players": 2, "options": ["max_turns=50"],
        "seed": 3, "processes": 2, "past_share": 0.25, "imitation": 400_000,
        "runs": "runs", "name": "mine",
    }  # fmt: skip
    written = {"config": config, "versions": {"python": "3.11"}, "machine": "m", "commit": "c0ffee"}
    (folder / "config.json").write_text(json.dumps(written))
    (folder / "evaluation.json").write_text(json.dumps({"results": {"greedy": [LINE]}}))
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_run_becomes_an_agent_with_a_card(run, capsys):
    words = ["--weaknesses", "It rarely builds upwards."]
    out = call(capsys, run, "agents/tower_up/quick", *words, main=export.main).out
    assert "agent:tower_up/quick" in out
    card = (run.parents[1] / "agents" / "tower_up" / "quick" / "README.md").read_text()
    for part in (
        "# agent:tower_up/quick", "num_players=2", "70 decisions in 1.5 minutes", "python 3.11",
        "`c0ffee`", "| greedy | policy | 1,000 | 75.0% | 72.0% – 78.0% | 50.0 ± 0.5 |",
        "`python -m experiments.train --preset quick --game tower_up --options max_turns=50 "
        "--seed 3 --past-share 0.25 --processes 2`",
        "- In training it played against itself and earlier versions of itself, never against a "
        "search.",
        "## Known weaknesses", "- It rarely builds upwards.",
    ):  # fmt: skip
        assert part in card


def test_an_agent_does_not_say_where_its_run_lay(run, capsys):
    made = load(run)
    config = {**made.about["config"], "runs": "/home/me/runs", "name": "mine", "resume": None}
    save(made.path, made.tensors, {**made.about, "config": config})
    call(capsys, run, "agents/tower_up/quick", "--own-games", "0", main=export.main)
    agent = load(run.parents[1] / "agents" / "tower_up" / "quick")
    assert agent.about["config"] == made.about["config"]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"past_share": 0.0}, "In training it played against itself, never against a search."),
        (
            {"greedy_share": 0.1, "opponent": "planner:turns=4", "opponent_share": 0.1},
            "In training it played against itself, earlier versions of itself, greedy and "
            "planner:turns=4.",
        ),
    ],
)
def test_a_card_names_all_whom_a_policy_met(run, changed, sentence):
    config = json.loads((run / "config.json").read_text())["config"]
    assert export.experience(config | changed) == sentence


def test_an_opponent_of_the_same_name_is_the_agent_before(run, capsys):
    lines = [LINE, {**LINE, "bot": "agent:tower_up/small", "wins": 0.25}]
    (run / "evaluation.json").write_text(json.dumps({"results": {lines[1]["bot"]: lines}}))
    call(capsys, run, "agents/tower_up/small", main=export.main)
    card = (run.parents[1] / "agents" / "tower_up" / "small" / "README.md").read_text()
    earlier = "the earlier agent:tower_up/small"
    assert f"| {earlier} | policy | 1,000 | 75.0% |" in card
    assert f"| {earlier} | {earlier} | 1,000 | 25.0% |" in card


def test_a_card_says_what_came_first_and_which_gpu_it_was(run, capsys):
    written = json.loads((run / "config.json").read_text())
    written["config"] |= {"device": "cuda", "processes": 1, "expert": "agent:tower_up/ppo-1h"}
    (run / "config.json").write_text(json.dumps({**written, "gpu": "A Fast One"}))
    call(capsys, run, "agents/tower_up/gpu", main=export.main)
    card = (run.parents[1] / "agents" / "tower_up" / "gpu" / "README.md").read_text()
    assert "| machine | m, 1 process, A Fast One |" in card
    assert "up to 400,000 decisions of `agent:tower_up/ppo-1h` |" in card


def test_an_agent_of_expert_iteration_has_the_card_of_one(run, capsys):
    config = {
        "preset": "quick", "game": "tower_up", "num_players": 2, "options": [], "seed": 3,
        "start": "tower_up/ppo-1h", "full_share": 0.5, "sims": 32, "processes": 2,
    }  # fmt: skip
    written = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps({**written, "config": config}))
    lines = [{**LINE, "bot": "measured"}]
    found = {"results": {"policy v start": lines}, "search": "sims=32,gumbel=8"}
    (run / "evaluation.json").write_text(json.dumps(found))
    call(capsys, run, "agents/tower_up/search-2h", main=export.main)
    card = (run.parents[1] / "agents" / "tower_up" / "search-2h" / "README.md").read_text()
    for part in (
        "| algorithm | expert iteration: ", "| pre-training | weights of tower_up/ppo-1h |",
        "70 searched decisions in 1.5 minutes", "| policy v start | measured | 1,000 | 75.0% |",
        "`python -m experiments.train_search --preset quick --game tower_up --seed 3 "
        "--start tower_up/ppo-1h --sims 32 --processes 2`",
        "- In training it played only against searches with its own network.",
        "seed 4; intervals count deals. The search: `sims=32,gumbel=8`.",
    ):  # fmt: skip
        assert part in card


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"past_share": 0.25}, "played against itself and earlier versions of itself, never"),
        ({"opponent": "planner", "opponent_share": 1.0}, "played against planner."),
        ({"num_players": 1, "past_share": 0.25}, "played alone, as it plays."),
    ],
)
def test_a_card_says_whom_the_policy_met(config, says):
    assert f"In training it {says}" in export.experience(config)


@pytest.mark.parametrize(("seats", "says"), [(2, True), (3, False)])
def test_an_agent_of_ranks_says_how_sure_a_lead_is_if_a_search_can_use_it(tmp_path, seats, says):
    made = checkpoint(tmp_path / "run" / "checkpoints" / "step-0000000070", seats)
    config = {"reward": "rank", "reward_scale": 0.5}
    ranked = replace(made, about={**made.about, "config": config})
    found = export.for_searches(ranked, game_of(ranked), 0)
    assert ("spread" in found.about) == says


def test_an_exported_agent_says_how_sure_a_lead_is(run, capsys):
    path = run / "checkpoints" / "step-0000000070" / "checkpoint.json"
    about = json.loads(path.read_text())
    folder = run.parents[1] / "agents" / "tower_up" / "quick"
    call(capsys, run, folder, main=export.main)
    assert "spread" not in json.loads((folder / "checkpoint.json").read_text())  # of no known kind
    config = {"reward": "lead", "reward_scale": 0.5}
    path.write_text(json.dumps({**about, "config": config}))
    measured = spread_of(load(run), sprawl_env.game("tower_up"))
    for more, found in (({}, measured), ({"spread": 2 * measured}, 2 * measured)):
        path.write_text(json.dumps({**about, **more, "config": config}))
        call(capsys, run, folder, "--own-games", 0, main=export.main)
        assert json.loads((folder / "checkpoint.json").read_text())["spread"] == found


def test_an_exported_agent_is_fitted_to_its_own_games(run, capsys, monkeypatch):
    path = run / "checkpoints" / "step-0000000070" / "checkpoint.json"
    about = json.loads(path.read_text())
    path.write_text(json.dumps({**about, "config": {"reward": "lead", "reward_scale": 0.5}}))
    asked = []

    def fit(own, spread):
        asked.append((len(set(own.games.tolist())), spread))
        sides, trunk = own.shares.shape[1], own.summaries.shape[1]
        return outcomes.Fit(7.5, np.ones((sides, trunk)), np.zeros(sides), 0.7, after)

    monkeypatch.setattr(outcomes, "fit", fit)
    folder = run.parents[1] / "agents" / "tower_up" / "quick"
    for after, spread in ((0.65, 7.5), (0.75, None)):
        call(capsys, run, folder, "--own-games", 6, main=export.main)
        about = json.loads((folder / "checkpoint.json").read_text())
        card = (folder / "README.md").read_text()
        assert about["spread"] == (spread or asked[-1][1])
        assert ("cross-entropy 0.700 before, 0.650 after |" in card) == (after < 0.7)
        assert "| forecast of the winner, for searches | fitted to 6 games" in card or after > 0.7
    assert [games for games, _ in asked] == [6, 6]


def test_a_folder_of_something_else_is_noticed_before_any_game(run, capsys, monkeypatch):
    monkeypatch.setattr(export, "for_searches", None)
    folder = run.parents[1] / "agents" / "tower_up" / "quick"
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("mine")
    assert "expected a new folder or a checkpoint's" in refused(
        capsys, run, folder, main=export.main
    )


def test_a_card_has_what_was_measured_of_that_checkpoint(run, capsys, tmp_path):
    weights = json.loads((run / "checkpoints" / "step-0000000070" / "checkpoint.json").read_text())
    row = {
        "run": "mine", "step": 70, "seconds": 1.0, "weights": weights["sha256"], "seed": 5,
        "against": "planner", "games": 200, "deals": {"0.0": 40, "1.0": 60},
    }  # fmt: skip
    head = {"game": "tower_up", "options": {}}
    few = {**row, "seed": 7, "games": 4, "deals": {"0.0": 2}}
    other = {**row, "weights": "other", "against": "greedy"}
    earlier = {**row, "against": "agent:tower_up/quick", "made_of": "an earlier agent"}
    curves = tmp_path / "curves"
    curves.mkdir()
    rows = head, other, row, few, earlier
    (curves / "measured.jsonl").write_text("\n".join(map(json.dumps, rows)))
    call(capsys, run, "agents/tower_up/quick", "--curves", curves, main=export.main)
    card = (tmp_path / "agents" / "tower_up" / "quick" / "README.md").read_text()
    assert "Further paired games, in parts of their own random numbers:\n" in card
    assert "| planner | 200 | 5 | 60.0% | 50.2% – 69.1% |" in card
    assert "| planner | 4 |" not in card
    assert "| greedy | 200" not in card
    assert "| agent:tower_up/quick |" not in card
    (curves / "measured.jsonl").write_text("\n".join(map(json.dumps, (head, other))))
    words = ("agents/tower_up/x", "--curves", curves)
    assert "expected measurements of" in refused(capsys, run, *words, main=export.main)


@pytest.mark.parametrize(
    ("change", "folder", "says"),
    [
        (lambda run: None, "agents/ginkgopolis/quick", "expected agents/tower_up/NAME"),
        (lambda run: None, "agents/tower_up/a b", "expected agents/tower_up/NAME"),
        (
            lambda run: (run / "evaluation.json").unlink(),
            "agents/tower_up/x",
            "evaluated: finish it",
        ),
        (lambda run: (run / "config.json").write_text("["), "agents/tower_up/x", "a JSON object"),
        (
            lambda run: (run / "config.json").write_text("{}"),
            "agents/tower_up/x",
            "its JSON files lack 'config'",
        ),
        (
            lambda run: (run / "evaluation.json").write_text('{"results": [1]}'),
            "agents/tower_up/x",
            "its JSON files: ",
        ),
        (
            lambda run: (run / "evaluation.json").write_text(
                json.dumps({"results": {"greedy": [{**LINE, "wins": 10**400}]}})
            ),
            "agents/tower_up/x",
            "its JSON files: ",
        ),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(run, capsys, change, folder, says):
    change(run)
    assert says in refused(capsys, run, folder, main=export.main)
    assert not (run.parents[1] / "agents").exists()
