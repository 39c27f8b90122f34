"""Trained agents by name, and policies as functions."""

import itertools
import json
import shutil

import numpy as np
import pytest

import sprawl_env
from sprawl_env.bots.policy import agents
from sprawl_env.bots.policy.checkpoint import CheckpointError, describe_game, load, save
from sprawl_env.bots.policy.player import load_network
from sprawl_env.core.errors import InvalidOption, OtherOptions, UnknownName
from tests.ladder import LADDER, share_in

torch = pytest.importorskip("torch")
networks = pytest.importorskip("sprawl_env.bots.policy.network")
SHAPE = {"width": 8, "trunk": 16}


def checkpoint(folder, num_players=2):
    """Write a checkpoint as training does: policy, value head, optimizer."""
    game = sprawl_env.game("tower_up", num_players=num_players)
    torch.manual_seed(0)
    net = networks.network_for(game, **SHAPE)
    tensors = {f"policy.mlp_extractor.{k}": v.numpy() for k, v in net.state_dict().items()}
    tensors["policy.value_net.weight"] = np.ones((1, 16), np.float64)
    tensors["policy.value_net.bias"] = np.full(1, 2.0)
    tensors["optimizer.0.exp_avg"] = np.ones(100_000, np.float32)
    about = {
        **describe_game(game), "step": 70, "seconds": 90.0, "seed": 1, "network": SHAPE,
        "config": {"reward_scale": 0.5}, "commit": "abc", "versions": {"python": "1"},
    }  # fmt: skip
    return load(save(folder, tensors, about), game)


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A folder of agents with two of Tower Up."""
    folder = tmp_path / "agents"
    monkeypatch.setattr(agents, "agents_folder", lambda: folder)
    for name, seats in (("quick", 2), ("three", 3)):
        made = checkpoint(tmp_path / "run" / name, seats)
        agents.export_agent(made, folder / "tower_up" / name, f"# card of {name}\n")
    return folder


def test_an_exported_agent_holds_the_policy_alone_in_float32_with_its_card(shipped, tmp_path):
    whole = load(tmp_path / "run" / "quick")
    found = load(shipped / "tower_up" / "quick")
    assert found.tensors.keys() == {k for k in whole.tensors if k.startswith("policy.")}
    assert all(array.dtype == np.float32 for array in found.tensors.values())
    assert (found.about["commit"], found.about["versions"]) == ("abc", {"python": "1"})
    assert found.step == 70
    files = {path.name for path in (shipped / "tower_up" / "quick").iterdir()}
    assert files == {"README.md", "checkpoint.json", "weights.safetensors"}
    assert (shipped / "tower_up" / "quick" / "README.md").read_text() == "# card of quick\n"


def test_a_checkpoint_without_a_policy_is_not_exported(tmp_path):
    game = sprawl_env.game("tower_up")
    made = save(tmp_path / "step-1", {"other": np.ones(2)}, {**describe_game(game), "step": 1})
    with pytest.raises(CheckpointError, match="holds no policy"):
        agents.export_agent(load(made), tmp_path / "agents" / "tower_up" / "x", "")
    assert not (tmp_path / "agents").exists()


@pytest.mark.parametrize("name", ["agent:tower_up/quick", "agent:quick"])
def test_an_agent_plays_by_name(shipped, name):
    game = sprawl_env.game("tower_up")
    bot = sprawl_env.make_bot(name, game)
    assert bot.name == name
    same = sprawl_env.make_bot(f"checkpoint:{shipped / 'tower_up' / 'quick'}", game)
    vec = sprawl_env.make_vec(game, 8)
    vec.reset()
    actions = bot.act(vec.observations, vec.masks, None)
    assert actions.tolist() == same.act(vec.observations, vec.masks, None).tolist()


@pytest.mark.parametrize(
    ("name", "seats", "says"),
    [
        ("agent:tower_up/quik", 2, "no such agent; agents of tower_up: agent:tower_up/quick, agen"),
        ("agent:quik", 2, "no such agent; agents of tower_up: agent:tower_up/quick"),
        ("agent:tower_up/quick", 3, "is for num_players=2, not 3; agents of tower_up with "
         "num_players=3: agent:tower_up/three"),
        ("agent:tower_up/quick", 4, "agents of tower_up with num_players=4: none"),
        ("agent:ginkgopolis/quick", 2, "plays ginkgopolis, not tower_up; agents of tower_up with "
         "num_players=2: agent:tower_up/quick"),
        ("agent:../quick", 2, "expected agent:GAME/NAME"),
        ("agent:tower_up/..", 2, "expected agent:GAME/NAME"),
        ("agent:", 2, "expected agent:GAME/NAME"),
        ("agent", 2, "expected agent:GAME/NAME"),
    ],
)  # fmt: skip
def test_an_agent_that_does_not_fit_is_one_line_that_lists_those_that_do(
    shipped, name, seats, says
):
    with pytest.raises(UnknownName) as error:
        sprawl_env.make_bot(name, sprawl_env.game("tower_up", num_players=seats))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_best_is_the_first_in_the_ranking_for_the_game_and_its_seats(shipped, tmp_path):
    two, three = (sprawl_env.game("tower_up", num_players=seats) for seats in (2, 3))
    with pytest.raises(UnknownName, match="no such agent; agents of tower_up with num_players=2"):
        sprawl_env.make_bot("agent:best", two)  # there is no ranking
    agents.export_agent(checkpoint(tmp_path / "run" / "new"), shipped / "tower_up" / "new", "")
    rows = [
        "`agent:tower_up/gone`",
        "`agent:tower_up/three`",
        "`agent:tower_up/new`",
        "`agent:x/y`",
    ]
    (shipped / "README.md").write_text("\n".join([*rows, "`agent:tower_up/quick`"]))
    assert sprawl_env.make_bot("agent:best", two).name == "agent:tower_up/new"
    example = "For example `agent:tower_up/quick`.\n\n## Ranking\n\n"
    (shipped / "README.md").write_text(example + "\n".join(rows))
    assert sprawl_env.make_bot("agent:best", two).name == "agent:tower_up/new"
    assert sprawl_env.make_bot("agent:tower_up/best", three).name == "agent:tower_up/three"
    assert sprawl_env.load_policy("agent:tower_up/best").game.num_seats == 3
    four = sprawl_env.game("tower_up", num_players=4)
    with pytest.raises(UnknownName, match="agents of tower_up with num_players=4: none"):
        sprawl_env.make_bot("agent:best", four)


def test_the_ranking_lists_every_agent_and_the_strongest_first():
    lines = (agents.agents_folder() / agents.RANKING).read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "`agent:" in line]
    rows = [cells for cells in rows if len(cells) == 6]
    names = [cells[2].strip("`") for cells in rows]
    folders = agents.agents_folder().glob("*/*/checkpoint.json")
    assert sorted(names) == sorted(f"agent:{f.parts[-3]}/{f.parts[-2]}" for f in folders)
    for upper, lower in itertools.pairwise(rows):
        if upper[:2] != lower[:2]:
            continue  # another game or number of seats
        (bot, other), game = (cells[2].strip("`") for cells in (upper, lower)), upper[0]
        folder = LADDER / game.lower().replace(" ", "_")
        met = folder / f"{bot.rpartition('/')[2]}_{other.rpartition('/')[2]}.jsonl"
        wins = [float(cells[5].partition("%")[0]) for cells in (upper, lower)]
        even = 1 / int(upper[1])  # one bot against copies of the other
        assert share_in(met, bot) > even if met.exists() else wins[0] > wins[1]


def test_no_agent_of_the_package_says_where_its_run_lay():
    for path in agents.agents_folder().glob("*/*/checkpoint.json"):
        config = json.loads(path.read_text(encoding="utf-8"))["config"]
        assert not {"runs", "name", "resume"} & set(config), path


def test_a_damaged_agent_is_reported_when_it_is_loaded(shipped):
    (shipped / "tower_up" / "quick" / "checkpoint.json").write_text("{")
    with pytest.raises(CheckpointError, match="is not JSON text"):
        sprawl_env.make_bot("agent:quick", sprawl_env.game("tower_up"))
    (shipped / "tower_up" / "quick" / "weights.safetensors").unlink()
    with pytest.raises(UnknownName, match="no such agent; agents of tower_up: agent:tower_up/thr"):
        sprawl_env.make_bot("agent:quick", sprawl_env.game("tower_up"))


def test_the_folder_is_found_in_a_wheel_and_in_a_checkout(tmp_path, monkeypatch):
    package = tmp_path / "sprawl_env"
    monkeypatch.setattr(agents, "_PACKAGE", package)
    (tmp_path / "agents").mkdir()  # somebody's package of that name in site-packages
    with pytest.raises(UnknownName, match="install the package again"):
        agents.agents_folder()
    (tmp_path / "pyproject.toml").touch()
    assert agents.agents_folder() == tmp_path / "agents"
    (package / "agents").mkdir(parents=True)
    assert agents.agents_folder() == package / "agents"
    shutil.rmtree(package)


# ---------------------------------------------------------------------------------- load_policy


def test_a_policy_gives_logits_values_and_a_bot(shipped):
    policy = sprawl_env.load_policy("agent:tower_up/quick")
    game = policy.game
    assert (game.name, game.num_seats) == ("tower_up", 2)
    vec = sprawl_env.make_vec(game, 16)
    vec.reset()
    logits = policy.logits(vec.observations, vec.masks)
    assert logits.shape == (16, game.num_actions)
    assert logits.dtype == np.float32
    assert ((logits == -1e9) == (vec.masks == 0)).all()
    actions = policy.bot().act(vec.observations, vec.masks, None)
    assert actions.tolist() == logits.argmax(axis=1).tolist()
    values = policy.values(vec.observations)
    assert (values.shape, values.dtype) == ((16,), np.float32)
    with torch.no_grad():
        stored = load(agents.find_agent("agent:tower_up/quick", game), game)
        summary = load_network(stored, game)(torch.from_numpy(vec.observations))[1].numpy()
    assert values == pytest.approx((summary.sum(axis=1) + 2) / 0.5, rel=1e-4)
    draws = [
        policy.bot(seed, sample=True).act(vec.observations, vec.masks, None).tolist()
        for seed in (1, 1, 2)
    ]
    assert draws[0] == draws[1] != draws[2]


def test_a_policy_is_loaded_by_path_for_the_game_that_it_was_trained_for(tmp_path):
    checkpoint(tmp_path / "checkpoints" / "step-0000000070", num_players=3)
    for name in (tmp_path, str(tmp_path), f"checkpoint:{tmp_path}"):
        assert sprawl_env.load_policy(name).game.num_seats == 3
    assert sprawl_env.load_policy(tmp_path, "tower_up").game.num_seats == 3
    game = sprawl_env.game("tower_up", num_players=3, objectives="start")
    with pytest.warns(OtherOptions, match="objectives='start'"):
        assert sprawl_env.load_policy(tmp_path, game).game is game
    with pytest.raises(CheckpointError, match="num_players=3, not 2"):
        sprawl_env.load_policy(tmp_path, sprawl_env.game("tower_up"))
    with pytest.raises(CheckpointError, match="is for game 'tower_up', not 'ginkgopolis'"):
        sprawl_env.load_policy(tmp_path, sprawl_env.game("ginkgopolis", num_players=3))


def test_arrays_of_another_shape_are_refused_in_one_line(tmp_path):
    checkpoint(tmp_path / "step-0000000001")
    policy = sprawl_env.load_policy(tmp_path / "step-0000000001")
    seen = np.zeros((2, policy.game.observation_size), np.float32)
    wrong = r"observations: expected float32 of shape \(n, \d+\), got .* of shape \(3,\)"
    with pytest.raises(InvalidOption, match=wrong):
        policy.values(np.zeros(3))
    with pytest.raises(
        InvalidOption, match=r"masks: expected int8 of shape \(n, 251\), got int8 of shape \(2, 3\)"
    ):
        policy.logits(seen, np.ones((2, 3), np.int8))


def test_a_checkpoint_that_does_not_say_its_game_is_refused(tmp_path):
    checkpoint(tmp_path / "step-0000000001")
    path = tmp_path / "step-0000000001" / "checkpoint.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "options": None}))
    with pytest.raises(CheckpointError, match="expected 'game' and 'options'"):
        sprawl_env.load_policy(tmp_path)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"versions": {"sprawl-env": "0.0.9"}, "commit": "c0ffee"},
         "use sprawl-env '0.0.9' at commit 'c0ffee', which made it"),
        ({"versions": {"sprawl-env": "0.0.9"}, "commit": None}, "'0.0.9', which made it"),
        ({"versions": []}, "use the release that made it"),
    ],
)  # fmt: skip
def test_an_agent_with_another_layout_says_which_release_it_belongs_to(shipped, changes, says):
    path = shipped / "tower_up" / "quick" / "checkpoint.json"
    about = json.loads(path.read_text()) | {"layout": "older"} | changes
    path.write_text(json.dumps(about))
    with pytest.raises(CheckpointError, match=says):
        sprawl_env.make_bot("agent:quick", sprawl_env.game("tower_up"))
