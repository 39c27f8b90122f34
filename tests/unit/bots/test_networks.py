"""bots/networks.py: networks of a user's own and models of Stable-Baselines3 play."""

import pickle
import random

import numpy as np
import pytest

import sprawl_env
from sprawl_env.arena.games import play_games
from sprawl_env.bots import make_bot
from sprawl_env.core.extras import MissingExtra
from sprawl_env.play.session import Session
from tests import bots_with_settings
from tests.commands import hide
from tests.unit.bots.test_bots import decisions
from tests.unit.bots.test_names import line_of

torch = pytest.importorskip("torch")
NETS = "torch:tests.bots_with_settings"


@pytest.fixture
def game():
    return sprawl_env.game("tower_up")


def seen_of(game, states):
    return np.array([game.observe(states, k, int(states.to_play[k])) for k in range(len(states))])


# ---------------------------------------------------------------------------------------- torch


def test_a_function_of_observations_and_masks_plays_legal_actions(any_game):
    states, masks = decisions(any_game)
    bot = make_bot(f"{NETS}:make", any_game)
    assert (bot.name, bot.needs_observations, bot.needs_states) == (f"{NETS}:make", True, False)
    last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    assert np.array_equal(bot.act(seen_of(any_game, states), masks, None), last)


def test_a_module_that_takes_observations_alone_plays_without_dropout(game):
    states, masks = decisions(game)
    seen = seen_of(game, states)
    bot = make_bot(f"{NETS}:wide,width=3", game)
    net = bots_with_settings.wide(game, width=3).eval()
    logits = net(torch.from_numpy(seen)).detach().numpy()
    expected = np.where(masks == 1, logits, -np.inf).argmax(axis=1)
    assert np.array_equal(bot.act(seen, masks, None), expected)


def test_bots_with_networks_can_be_sent_to_another_process(game):
    states, masks = decisions(game)
    seen = seen_of(game, states)
    for name in ("agent:tower_up/quick", f"{NETS}:make", f"{NETS}:wide"):
        bot = make_bot(name, game)
        again = pickle.loads(pickle.dumps(bot))
        assert np.array_equal(again.act(seen, masks, states), bot.act(seen, masks, states))


def test_weights_of_a_file_are_loaded(game, tmp_path):
    save = pytest.importorskip("safetensors.torch").save_file
    net = bots_with_settings.wide(game)
    favourite = np.flatnonzero(game.legal_actions(game.deal(1, 0), 0))[-1]
    with torch.no_grad():
        net[2].bias[favourite] = 1e6
    save(net.state_dict(), tmp_path / "net.safetensors")
    mask = game.legal_actions(game.deal(1, 0), 0)[None]
    seen = np.zeros((1, game.observation_size), np.float32)
    name = f"{NETS}:wide,weights={tmp_path / 'net.safetensors'}"
    assert make_bot(name, game).act(seen, mask, None)[0] == favourite
    assert make_bot(f"{NETS}:wide", game).act(seen, mask, None)[0] != favourite
    said = line_of(lambda: make_bot(f"{name},width=5", game))
    assert "size mismatch for 0.weight" in said
    (tmp_path / "net.safetensors").write_bytes(b"no tensors")
    assert "expected a safetensors file" in line_of(lambda: make_bot(name, game))
    (tmp_path / "net.safetensors").unlink()
    assert "No such file" in line_of(lambda: make_bot(name, game))
    function = f"{NETS}:make,weights={tmp_path}"
    assert "weights: expected a torch.nn.Module" in line_of(lambda: make_bot(function, game))


def test_actions_are_drawn_from_the_policy_by_the_bots_own_numbers(game):
    mask = np.repeat(game.legal_actions(game.deal(1, 0), 0)[None], 600, axis=0)
    seen = np.zeros((600, game.observation_size), np.float32)
    bot = make_bot(f"{NETS}:even,sample=yes", game, 5)
    first = bot.act(seen, mask, None)
    assert set(first) == set(np.flatnonzero(mask[0]))  # all logits are equal
    assert not np.array_equal(bot.act(seen, mask, None), first)
    bot.seed(5)
    assert np.array_equal(bot.act(seen, mask, None), first)
    argmax = make_bot(f"{NETS}:even,sample=no", game, 5).act(seen, mask, None)
    assert (argmax == mask[0].argmax()).all()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("torch:", "expected torch:module:make, e.g. torch:my_net:make"),
        ("torch:tests.bots_with_settings", "expected torch:module:make"),
        ("torch:no_such_module:make", "no module 'no_such_module'"),
        (
            f"{NETS}:mkae",
            "unknown function of tests.bots_with_settings 'mkae' (did you mean 'make'",
        ),
        (
            f"{NETS}:wide,widht=2",
            "no setting 'widht' (did you mean 'width'?); there are width, wei",
        ),
        (f"{NETS}:wide,sample=maybe", "sample=maybe: expected yes or no"),
        (f"{NETS}:no_network", "expected no_network() to return a function or a torch.nn.Module"),
    ],
)
def test_what_is_no_network_is_one_line(game, name, says):
    assert says in line_of(lambda: make_bot(name, game))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        ("narrow", "expected logits of shape (1, {n}), got float32 of shape (1, 1)"),
        ("infinite", "expected finite logits of the legal actions"),
        ("listed", "expected logits of shape (1, {n}), got [0.0]"),
        ("raises", "act() raised ZeroDivisionError: by hand (bots_with_settings.py, line "),
    ],
)
def test_wrong_logits_are_one_line(game, make, says):
    bot = make_bot(f"{NETS}:{make}", game)
    mask = game.legal_actions(game.deal(1, 0), 0)[None]
    seen = np.zeros((1, game.observation_size), np.float32)
    said = line_of(lambda: bot.act(seen, mask, None))
    assert said.startswith(f"bot '{NETS}:{make}': {says.format(n=game.num_actions)}")


def test_a_network_plays_wherever_a_bot_does(game):
    name = f"{NETS}:make"
    assert len(play_games(game, [name, "random"], 2).wins) == 2
    session = Session(game, ("human", name), (name,), 3)
    assert session.seats == ("human", name)


def test_a_network_without_torch_names_the_extra(game, monkeypatch):
    hide(monkeypatch, "torch")
    with pytest.raises(MissingExtra, match=r"needs torch.*'sprawl-env\[train\]'"):
        make_bot(f"{NETS}:make", game)


# ------------------------------------------------------------------------- Stable-Baselines3


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Save an untrained model with a favourite action; return the path and the model."""
    contrib = pytest.importorskip("sb3_contrib")
    adapter = pytest.importorskip("sprawl_env.adapters.sb3")
    game = sprawl_env.game("tower_up")
    env = adapter.SelfPlayVecEnv(game, 1)
    model = contrib.MaskablePPO(
        "MlpPolicy", env, n_steps=2, batch_size=2, seed=1, device="cpu",
        policy_kwargs={"net_arch": [4]},
    )  # fmt: skip
    path = tmp_path_factory.mktemp("sb3") / "model.zip"
    model.save(path)
    return path, model


def test_a_saved_model_plays_what_it_predicts(game, saved):
    path, model = saved
    states, masks = decisions(game)
    seen = seen_of(game, states)
    bot = make_bot(f"sb3:{path},trust=yes", game)
    expected, _ = model.predict(seen, action_masks=masks.astype(bool), deterministic=True)
    assert np.array_equal(bot.act(seen, masks, None), expected)
    drawn = make_bot(f"sb3:{path},trust=yes,sample=yes", game)
    actions = drawn.act(seen, masks, None)
    assert masks[np.arange(len(masks)), actions].all()
    assert len(play_games(game, [f"sb3:{path},trust=yes", "random"], 2).wins) == 2


def test_loading_a_model_does_not_seed_the_process(game, saved):
    random.seed(3)
    before = random.getstate()
    make_bot(f"sb3:{saved[0]},trust=yes", game)
    assert random.getstate() == before


def test_a_model_that_is_not_trusted_is_not_read(game, tmp_path):
    for settings in ("", ",trust=no", ",sample=yes"):
        said = line_of(lambda settings=settings: make_bot(f"sb3:none.zip{settings}", game))
        assert "unpickles" in said
        assert said.endswith("write sb3:none.zip,trust=yes")


def test_what_is_no_model_of_the_game_is_one_line(saved, tmp_path):
    game = sprawl_env.game("tower_up", num_players=3)
    path = saved[0]
    said = line_of(lambda: make_bot(f"sb3:{path},trust=yes", game))
    assert f"tower_up with 3 seats has ({game.observation_size},)" in said
    absent = tmp_path / "none.zip"
    assert "there is no file" in line_of(lambda: make_bot(f"sb3:{absent},trust=yes", game))
    absent.write_text("no zip")
    said = line_of(lambda: make_bot(f"sb3:{absent},trust=yes", game))
    assert "loading it as a MaskablePPO raised " in said
    assert "no setting 'k'; there are trust, sample" in line_of(
        lambda: make_bot(f"sb3:{path},k=1,trust=yes", game)
    )
    assert "expected sb3:FILE.zip,trust=yes" in line_of(lambda: make_bot("sb3:", game))


def test_a_model_of_whole_numbers_sees_whole_numbers(game, tmp_path):
    contrib = pytest.importorskip("sb3_contrib")
    adapter = pytest.importorskip("sprawl_env.adapters.sb3")
    env = adapter.SelfPlayVecEnv(game, 2, observations="int8")
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=4, batch_size=8, seed=0)
    model.save(tmp_path / "whole.zip")
    states, masks = decisions(game)
    seen = np.zeros((len(states), game.observation_size), np.int8)
    for k in range(len(states)):
        game.observe(states, k, int(states.to_play[k]), seen[k])
    expected, _ = model.predict(seen, action_masks=masks, deterministic=True)
    bot = make_bot(f"sb3:{tmp_path / 'whole.zip'},trust=yes", game)
    assert np.array_equal(bot.act(seen_of(game, states), masks, None), expected)


def test_a_model_without_sb3_names_the_extra(game, monkeypatch):
    hide(monkeypatch, "sb3_contrib")
    with pytest.raises(MissingExtra, match=r"needs sb3-contrib.*'sprawl-env\[train\]'"):
        make_bot("sb3:model.zip,trust=yes", game)
