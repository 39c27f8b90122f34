"""bots/policy/checkpoint.py: a checkpoint loads what was saved; anything else is an error."""

import hashlib
import json
import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import safetensors.numpy

import sprawl_env
from sprawl_env.bots.names import make_bot
from sprawl_env.bots.policy import checkpoint as checkpoint_module
from sprawl_env.bots.policy.checkpoint import (
    DESCRIPTION,
    NET,
    VALUE,
    WEIGHTS,
    CheckpointError,
    checkpoints_in,
    describe_game,
    find,
    load,
    save,
    step_name,
    step_of,
)
from sprawl_env.bots.policy.player import PolicyBot, load_policy, load_values
from sprawl_env.bots.protocol import ask
from sprawl_env.core.errors import InvalidOption, OtherOptions
from sprawl_env.core.files import HOST

torch = pytest.importorskip("torch")
networks = pytest.importorskip("sprawl_env.bots.policy.network")
SHAPE = {"width": 8, "trunk": 16}


@pytest.fixture
def game():
    return sprawl_env.game("tower_up", num_players=2)


def network(game):
    torch.manual_seed(0)
    return networks.network_for(game, **SHAPE)


def write(folder, game, **changes):
    tensors = {NET + k: v.numpy() for k, v in network(game).state_dict().items()}
    about = {**describe_game(game), "step": 70, "seed": 1, "network": SHAPE, **changes}
    return save(folder, tensors, about)


def test_a_checkpoint_plays_as_the_network_it_was_made_from(game, tmp_path):
    write(tmp_path / "step-0000000070", game)
    bot = make_bot(f"checkpoint:{tmp_path / 'step-0000000070'}", game)
    vec = sprawl_env.make_vec(game, 16)
    vec.reset()
    actions = bot.act(vec.observations, vec.masks, None)
    with torch.no_grad():
        logits = network(game)(torch.from_numpy(vec.observations))[0].numpy()
    assert actions.tolist() == np.where(vec.masks, logits, -np.inf).argmax(axis=1).tolist()
    assert vec.masks[np.arange(16), actions].all()


def test_samples_are_legal_and_follow_the_seed(game, tmp_path):
    bot = PolicyBot(write(tmp_path / "step-1", game), game, seed=4, sample=True)
    vec = sprawl_env.make_vec(game, 64)
    vec.reset()
    first = bot.act(vec.observations, vec.masks, None)
    second = bot.act(vec.observations, vec.masks, None)
    bot.seed(4)
    assert bot.act(vec.observations, vec.masks, None).tolist() == first.tolist()
    assert first.tolist() != second.tolist()
    assert vec.masks[np.arange(64), first].all()


def test_the_json_says_what_it_is(game, tmp_path):
    about = load(write(tmp_path / "step-1", game)).about
    assert about["game"] == "tower_up"
    assert about["layout"] == game.observation_layout.digest()
    assert about["options"] == game.options
    assert {"step", "seed", "versions", "commit", "sha256", "format"} <= about.keys()


def test_a_runs_folder_means_its_newest_checkpoint(game, tmp_path):
    for step in (5, 70, 10):
        write(tmp_path / "checkpoints" / f"step-{step:010d}", game)
    assert find(tmp_path).name == "step-0000000070"
    write(tmp_path / "checkpoints" / step_name(9_999_999_999), game)
    write(tmp_path / "checkpoints" / step_name(10**10), game)
    (tmp_path / "checkpoints" / "step-of-my-own").mkdir()
    assert find(tmp_path).name == "step-10000000000"
    assert [step_of(path) for path in checkpoints_in(tmp_path / "checkpoints")] == [
        5, 10, 70, 9_999_999_999, 10**10
    ]  # fmt: skip
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match="expected a folder with"):
        find(tmp_path / "empty")


def test_writing_leaves_nothing_half_written(game, tmp_path, monkeypatch):
    write(tmp_path / "step-1", game)
    before = {p.name: p.read_bytes() for p in (tmp_path / "step-1").iterdir()}
    whole, written = checkpoint_module.write_durably, []

    def stop_at_the_second(path, content):
        written.append(path)
        return whole(path, content) if len(written) == 1 else 1 / 0

    monkeypatch.setattr(checkpoint_module, "write_durably", stop_at_the_second)
    with pytest.raises(ZeroDivisionError):
        write(tmp_path / "step-1", game)
    assert len(written) == 2
    assert {p.name: p.read_bytes() for p in (tmp_path / "step-1").iterdir()} == before
    assert [p.name for p in tmp_path.iterdir()] == ["step-1"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"tensors": {"a": np.array(["words"])}}, "tensors: a: expected float32, got <U5"),
        ({"tensors": {"a": np.zeros(2, np.complex64)}}, "a: expected float32, got complex64"),
        ({"tensors": {"a": np.zeros(2, np.longdouble)}}, "a: expected float32, got "),
        ({"files": {"notes": 3}}, "files: 'notes': expected text or bytes, got 3"),
        (
            {"files": {"../notes": "text"}},
            "files: expected names without a folder",
        ),
        (
            {"files": {WEIGHTS: b""}},
            f"{DESCRIPTION}, got '{WEIGHTS}'",
        ),
        ({"files": {DESCRIPTION: "{}"}}, f"{DESCRIPTION}, got '{DESCRIPTION}'"),
        ({"about": {"step": {1, 2}}}, "about: expected values that JSON can hold"),
        ({}, "expected a new folder or a checkpoint's"),
    ],
)
def test_what_is_no_checkpoint_is_not_written_and_a_folder_of_others_stays(tmp_path, given, says):
    folder = tmp_path / "step-1"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    arguments = {"tensors": {"a": np.zeros(2)}, "about": {"step": 1}, **given}
    with pytest.raises(CheckpointError) as error:
        save(folder, **arguments)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert [p.name for p in tmp_path.iterdir()] == ["step-1"]
    assert {p.name: p.read_text() for p in folder.iterdir()} == {"thesis.txt": "mine"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"tensors": {"a": np.zeros(2, int)}}, "tensors: a: expected float32, got int64"),
        ({"tensors": {"a": np.zeros(2, bool)}}, "tensors: a: expected float32, got bool"),
        ({"tensors": {"a": np.array([0, np.nan])}}, "tensors: a: expected finite numbers"),
        ({"tensors": {"a": np.float32("inf")}}, "tensors: a: expected finite numbers"),
        ({"about": {}}, "about: expected a whole number as 'step'"),
        ({"about": {"step": 1.0}}, "about: expected a whole number as 'step'"),
        ({"about": {"step": 1, "seconds": "x"}}, "about: expected a number as 'seconds'"),
        ({"about": {"step": 1, "config": np.nan}}, "about: expected values that JSON can hold"),
    ],
)
def test_what_could_not_be_loaded_does_not_replace_a_checkpoint(game, tmp_path, given, says):
    path = write(tmp_path / "step-1", game)
    before = {each.name: each.read_bytes() for each in path.iterdir()}
    with pytest.raises(CheckpointError) as error:
        save(path, **{"tensors": {"a": np.zeros(2)}, "about": {"step": 1}, **given})
    assert str(error.value) == f"checkpoint {str(path)!r}: {says}"
    assert {each.name: each.read_bytes() for each in path.iterdir()} == before
    assert [each.name for each in tmp_path.iterdir()] == ["step-1"]


def test_a_file_and_a_link_are_not_replaced_by_a_checkpoint(game, tmp_path):
    path = write(tmp_path / "step-1", game)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(path)
    for name in ("file", "link"):
        with pytest.raises(CheckpointError, match="expected a new folder or a checkpoint's"):
            write(tmp_path / name, game)
    assert (tmp_path / "file").read_text() == "mine"
    assert (tmp_path / "link").is_symlink()
    assert load(path, game).step == 70


def test_replacing_is_one_step_and_a_kill_at_any_moment_loses_nothing(game, tmp_path, monkeypatch):
    """At each call that changes the folder, one whole checkpoint is in its place."""
    path = write(tmp_path / "step-1", game)
    seen = []

    def watched(module, name):
        inner = getattr(module, name)

        def call(*arguments, **named):
            result = inner(*arguments, **named)
            seen.append(load(path, game).step)
            return result

        monkeypatch.setattr(module, name, call)

    watched(os, "replace")
    watched(os, "rename")
    watched(checkpoint_module.shutil, "rmtree")
    watched(checkpoint_module, "exchange")
    write(path, game, step=71)
    assert seen
    assert load(path, game).step == 71


def test_without_a_step_that_exchanges_a_checkpoint_is_replaced_all_the_same(
    game, tmp_path, monkeypatch
):
    monkeypatch.setattr(checkpoint_module, "exchange", lambda *_: False)
    path = write(tmp_path / "step-1", game)
    write(path, game, step=71)
    assert load(path, game).step == 71
    assert [p.name for p in tmp_path.iterdir()] == ["step-1"]


def test_a_description_is_no_part_of_the_game(game):
    mixed = game.mixed([{"max_turns": 30}, {"max_turns": 40}])
    described = describe_game(mixed)
    described["options"]["max_turns"] = described["variants"][1]["max_turns"] = 9
    assert describe_game(mixed)["options"]["max_turns"] == 30
    assert [each["max_turns"] for each in describe_game(mixed)["variants"]] == [30, 40]


def test_what_killed_processes_left_is_deleted_by_the_next_checkpoint(game, tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    running = tmp_path / f".writing-{HOST}-{os.getppid()}-abc"
    elsewhere = tmp_path / f".writing-abcdef01-{ended.pid}-abc"
    for folder in (running, elsewhere, tmp_path / f".writing-{HOST}-{ended.pid}-abc"):
        folder.mkdir()
        (folder / WEIGHTS).write_bytes(b"half")
    write(tmp_path / "step-1", game)
    assert {p.name for p in tmp_path.iterdir()} == {"step-1", running.name, elsewhere.name}


def test_a_checkpoint_does_not_decide_which_data_is_read(game, tmp_path):
    path = write(tmp_path / "step-1", game, options={**game.options, "data": str(tmp_path)})
    with pytest.raises(CheckpointError, match="option 'data': expected options of tower_up"):
        load_policy(path)


def edit(path, **changes):
    about = json.loads(path.read_text())
    path.write_text(json.dumps({**about, **changes}))


def instead(path, make):
    """Replace a file by something else."""
    path.unlink()
    make(path)


def change(folder, name="", *, bias):
    """Change the first bias of a checkpoint, or add a changed copy of it under a name."""
    tensors = load(folder).tensors
    first = next(key for key in tensors if key.endswith("bias"))
    weights = safetensors.numpy.save({**tensors, name or first: bias(tensors[first])})
    (folder / WEIGHTS).write_bytes(weights)
    edit(folder / DESCRIPTION, sha256=hashlib.sha256(weights).hexdigest())


@pytest.mark.parametrize("number", [3e38, -1e12])
def test_finite_weights_with_logits_out_of_range_are_refused(game, tmp_path, number):
    folder = write(tmp_path / "step-0000000070", game)
    tensors = {key: np.full_like(array, number) for key, array in load(folder).tensors.items()}
    save(folder, tensors, json.loads((folder / DESCRIPTION).read_text()))
    policy = sprawl_env.load_policy(folder)
    games = game.deal(1, 0)
    seen, mask = game.observe(games, 0, 0)[None], game.legal_actions(games, 0)[None]
    for call in (lambda: policy.logits(seen, mask), lambda: policy.bot().act(seen, mask, None)):
        with pytest.raises(CheckpointError, match="expected logits between -1e\\+09 and 1e\\+09"):
            call()


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("something was unpickled",))


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda p: (p / WEIGHTS).unlink(), f"cannot read {WEIGHTS}"),
        (lambda p: (p / DESCRIPTION).unlink(), f"cannot read {DESCRIPTION}"),
        (lambda p: (p / WEIGHTS).write_bytes((p / WEIGHTS).read_bytes()[:100]), "SHA-256"),
        (lambda p: (p / WEIGHTS).write_bytes(pickle.dumps(Bomb())), "SHA-256"),
        (lambda p: (p / DESCRIPTION).write_text("{"), "not JSON"),
        (lambda p: (p / DESCRIPTION).write_text("[]"), "expected format"),
        (lambda p: edit(p / DESCRIPTION, format=99), "expected format"),
        (lambda p: edit(p / DESCRIPTION, game="ginkgopolis"), "is for game 'ginkgopolis'"),
        (lambda p: edit(p / DESCRIPTION, options={"num_players": 4}), "num_players=4, not 2"),
        (lambda p: edit(p / DESCRIPTION, options=None), "num_players=None"),
        (lambda p: edit(p / DESCRIPTION, options=[1]), "num_players"),
        (lambda p: edit(p / DESCRIPTION, layout="0" * 16), "trained with layout"),
        (lambda p: edit(p / DESCRIPTION, num_actions=250), "num_actions 250"),
        (lambda p: edit(p / DESCRIPTION, step="x"), "as 'step'"),
        (lambda p: edit(p / DESCRIPTION, step=True), "as 'step'"),
        (lambda p: edit(p / DESCRIPTION, step=-1), "as 'step'"),
        (lambda p: edit(p / DESCRIPTION, step=10**30), "as 'step'"),
        (lambda p: edit(p / DESCRIPTION, seconds="x"), "as 'seconds'"),
        (lambda p: edit(p / DESCRIPTION, seconds=-1), "as 'seconds'"),
        (lambda p: edit(p / DESCRIPTION, seconds=float("nan")), "not JSON"),
        (lambda p: (p / DESCRIPTION).write_text("[" * 100_000), "not JSON"),
        (lambda p: (p / DESCRIPTION).write_text('{"step": 1, "step": 2}'), "not JSON"),
        (lambda p: instead(p / WEIGHTS, os.mkfifo), f"cannot read {WEIGHTS}: not a regular file"),
        (lambda p: instead(p / WEIGHTS, os.mkdir), f"cannot read {WEIGHTS}: not a regular file"),
        (
            lambda p: instead(p / DESCRIPTION, lambda f: f.symlink_to("/dev/zero")),
            f"cannot read {DESCRIPTION}: not a regular file",
        ),
        (lambda p: change(p, bias=lambda a: a + np.float32(np.nan)), "expected finite numbers"),
        (lambda p: change(p, bias=lambda a: a + np.float32(np.inf)), "expected finite numbers"),
        (lambda p: change(p, bias=lambda a: a.astype(np.float64)), "expected float32, got float64"),
        (lambda p: change(p, bias=lambda a: a.astype(np.int32)), "expected float32, got int32"),
        (lambda p: change(p, bias=lambda a: a[None]), "does not hold"),
        (lambda p: change(p, "other", bias=lambda a: a), "tensor 'other'"),
        (lambda p: change(p, "optimizer.x.step", bias=lambda a: a), "tensor 'optimizer.x.step'"),
        (lambda p: edit(p / DESCRIPTION, network={"width": True, "trunk": 16}), "expected 'netw"),
        (lambda p: edit(p / DESCRIPTION, network=None), "expected 'network'"),
        (lambda p: edit(p / DESCRIPTION, network={"width": 10**9, "trunk": 1}), "1..4096"),
        (lambda p: edit(p / DESCRIPTION, network={"width": 9, "trunk": 16}), "does not hold"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(game, tmp_path, damage, says):
    path = write(tmp_path / "step-1", game)
    damage(path)
    with pytest.raises(CheckpointError, match=says) as error:
        make_bot(f"checkpoint:{path}", game)
    assert "\n" not in str(error.value)


def test_a_pickle_with_a_matching_checksum_is_still_not_loaded(game, tmp_path):
    path = write(tmp_path / "step-1", game)
    bomb = pickle.dumps(Bomb())
    (path / WEIGHTS).write_bytes(bomb)
    edit(path / DESCRIPTION, sha256=hashlib.sha256(bomb).hexdigest())
    with pytest.raises(CheckpointError, match="is not a safetensors file"):
        load(path, game)


def test_values_are_those_of_the_policy_in_units_of_the_reward(game, tmp_path):
    from sprawl_env.learning.ppo import ActorCritic

    policy = ActorCritic(game, **SHAPE)
    tensors = {f"policy.{k}": v.numpy() for k, v in policy.state_dict().items()}
    about = {**describe_game(game), "step": 1, "network": SHAPE, "config": {"reward_scale": 0.05}}
    checkpoint = load(save(tmp_path / "step-1", tensors, about), game)
    vec, whole = (sprawl_env.make_vec(game, 16, observations=k) for k in ("float32", "int8"))
    vec.reset()
    whole.reset()
    with torch.no_grad():
        seen = torch.from_numpy(whole.observations), torch.from_numpy(whole.masks)
        expected = policy(*seen)[1].numpy() / 0.05
    found = load_values(checkpoint, game)(vec.observations)
    assert found.shape == (16,)
    assert np.allclose(found, expected, rtol=1e-4)
    assert np.ptp(found) > 0


def test_values_need_the_scale_and_the_weights(game, tmp_path):
    with pytest.raises(CheckpointError, match="expected 'config' with reward_scale"):
        load_values(load(write(tmp_path / "step-1", game)), game)
    path = write(tmp_path / "step-2", game, config={"reward_scale": 1.0})
    with pytest.raises(CheckpointError, match="does not hold a value head"):
        load_values(load(path), game)


def test_seats_matter_but_other_options_do_not(game, tmp_path):
    path = write(tmp_path / "step-1", game)
    with pytest.warns(OtherOptions, match="objectives='start'"):
        make_bot(f"checkpoint:{path}", sprawl_env.game("tower_up", objectives="start"))
    with pytest.raises(CheckpointError, match="num_players=2, not 3"):
        make_bot(f"checkpoint:{path}", sprawl_env.game("tower_up", num_players=3))


def exchange_first_two(rows):
    """Exchange the first two things of an array ``[..., things, numbers]``."""
    rows[..., [0, 1], :] = rows[..., [1, 0], :]


def test_the_network_treats_equal_sites_alike_but_for_their_place(any_game):
    layout = any_game.observation_layout
    net = network(any_game)
    with torch.no_grad():
        for name, each in net.named_parameters():
            if ".act_" in name or name.startswith("places"):
                each.mul_(20)
    apart = [  # kinds of which the trunk sees only the mean and the maximum
        kind for kind in net.shape.size_of if np.diff(layout.rows(kind)) > SHAPE["trunk"]
    ]
    assert apart
    for kind in apart:
        observations = torch.rand(3, any_game.observation_size)
        exchanged = observations.clone()
        exchange_first_two(layout.features(exchanged, kind))
        with torch.no_grad():
            logits, summary = net(observations)
            moved, _ = net(exchanged)
            exchange_first_two(net.places[kind])
            found, same = net(exchanged)
        assert logits.shape == (3, any_game.num_actions)
        assert summary.shape == (3, SHAPE["trunk"])
        assert torch.allclose(same, summary, atol=1e-5)
        wanted = logits.clone()
        for block in net.shape.blocks:
            if block.entity == kind:
                each = block.size // net.shape.things_of[kind]
                own = wanted[:, block.start : block.start + 2 * each].view(3, 2, each)
                assert not torch.allclose(own[:, 0], own[:, 1], atol=1e-3)
                exchange_first_two(own)
        assert torch.allclose(found, wanted, atol=1e-5)
        assert not torch.allclose(moved, wanted, atol=1e-3)  # places matter


def valued(folder, game):
    """Write a checkpoint with a value head."""
    net = network(game)
    tensors = {NET + k: v.numpy() for k, v in net.state_dict().items()}
    rng = np.random.default_rng(1)
    tensors["policy.value_net.weight"] = rng.normal(size=(1, SHAPE["trunk"])).astype(np.float32)
    tensors["policy.value_net.bias"] = np.ones(1, np.float32)
    about = {**describe_game(game), "step": 1, "network": SHAPE, "config": {"reward_scale": 0.5}}
    return save(folder, tensors, about)


def test_finite_weights_with_values_that_are_not_finite_are_refused(game, tmp_path):
    folder = valued(tmp_path / "step-1", game)
    stored = load(folder)
    large = {
        key: np.full_like(array, 3e38) if key.startswith(VALUE) else array
        for key, array in stored.tensors.items()
    }
    save(folder, large, stored.about)
    games = game.deal(1, 3)
    mask, seen = game.legal_actions(games), game.observe(games, 0, int(games.to_play[0]))[None]
    policy = load_policy(folder, game)
    assert np.isfinite(policy.logits(seen, mask[None])).all()
    for call in (lambda: policy.values(seen), lambda: policy.bot().analyse(mask, games)):
        with pytest.raises(CheckpointError, match="diverged: expected finite values") as error:
            call()
        assert "\n" not in str(error.value)


def test_observations_as_whole_numbers_are_refused(game, tmp_path):
    policy = load_policy(valued(tmp_path / "step-1", game), game)
    games = game.deal(1, 3)
    mask, numbers = game.legal_actions(games)[None], np.zeros((1, game.observation_size), np.int8)
    game.observe(games, 0, 0, numbers[0])
    seen = numbers * game.observation_layout.scales
    assert numbers.max() > seen.max()
    for call in (
        lambda seen: policy.logits(seen, mask),
        policy.values,
        lambda seen: policy.bot().act(seen, mask, None),
        lambda seen: ask(policy.bot(), game, games, np.arange(1), seen, mask),
    ):
        for wrong in (numbers, numbers.astype(np.int64), numbers.tolist()):
            with pytest.raises(InvalidOption, match=r"observations: expected float32, got whole"):
                call(wrong)
        assert np.array_equal(call(seen), call(seen.astype(np.float64).tolist()))


def test_an_analysis_has_the_policys_probabilities_and_the_positions_value(game, tmp_path):
    path = valued(tmp_path / "step-1", game)
    policy = load_policy(path, game)
    games, rng = game.deal(1, 3), np.random.default_rng(3)
    for bot in (make_bot(f"checkpoint:{path}", game), policy.bot(seed=4, sample=True)):
        for _ in range(5):
            mask = game.legal_actions(games)
            seen = game.observe(games, 0, int(games.to_play[0]))[None]
            logits = policy.logits(seen, mask[None])[0].astype(np.float64)
            odds = np.exp(logits) / np.exp(logits).sum()
            found = bot.analyse(mask, games)
            assert found.visits == pytest.approx(odds[found.actions])
            assert found.visits.sum() == pytest.approx(1.0)
            assert sorted(found.actions.tolist()) == np.flatnonzero(mask).tolist()
            assert (np.diff(found.visits) <= 0).all()
            assert found.actions[0] == policy.bot().act(seen, mask[None], None)[0]
            assert found.values.tolist() == [policy.values(seen)[0]] * int(mask.sum())
            game.play(games, 0, int(rng.choice(np.flatnonzero(mask))))


def test_an_analysis_without_a_value_head_has_no_values(game, tmp_path):
    bot = make_bot(f"checkpoint:{write(tmp_path / 'step-1', game)}", game)
    games = game.deal(1, 3)
    found = bot.analyse(game.legal_actions(games), games)
    assert np.isnan(found.values).all()
    assert found.visits.sum() == pytest.approx(1.0)


def test_a_network_in_memory_analyses_with_a_game(game):
    games = game.deal(2, 3)
    mask = game.legal_actions(games)
    with pytest.raises(InvalidOption, match=r"from_network\(\.\.\., game=game\)"):
        PolicyBot.from_network("mine", network(game)).analyse(mask, games[:1])
    bot = PolicyBot.from_network("mine", network(game), game=game)
    assert len(bot.analyse(mask, games[:1]).actions) == mask.sum()
    with pytest.raises(InvalidOption, match="mask: expected the legal actions of the state"):
        bot.analyse(1 - mask, games[:1])
    with pytest.raises(InvalidOption, match="expected 1 records"):
        bot.analyse(mask, games)


def warned(call):
    """Return the warnings of a call as texts, whatever the filters of this process are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(each.category is OtherOptions for each in caught)
    return [str(each.message) for each in caught]


def test_a_checkpoint_warns_once_of_each_set_of_options_it_was_not_trained_with(game, tmp_path):
    path = write(tmp_path / "step-0000000070", game)
    assert warned(lambda: [load(path, game), PolicyBot(path, game), load_policy(path)]) == []
    other = sprawl_env.game("tower_up", objectives="start", max_turns=9)
    lines = warned(lambda: [PolicyBot(path, other), load(path, other), load_policy(path, other)])
    assert lines == [
        f"checkpoint {str(path)!r}: plays with other options: objectives='start' (trained with "
        "'random'), max_turns=9 (trained with 400)"
    ]
    assert warned(lambda: make_bot(f"checkpoint:{path}", other)) == []
    third = sprawl_env.game("tower_up", max_turns=9)
    assert len(warned(lambda: [load(path, third) for _ in range(3)])) == 1


def test_a_checkpoint_of_a_mixed_game_knows_all_its_options(tmp_path):
    mixed = sprawl_env.game("tower_up").mixed([{"max_turns": 60}, {"objectives": "start"}])
    path = write(tmp_path / "step-0000000070", mixed)
    assert load(path).about["variants"] == list(mixed.accepted)
    for options in mixed.accepted:
        alone = sprawl_env.game("tower_up", **options)
        assert warned(lambda alone=alone: load(path, alone)) == []
    assert warned(lambda: [load(path, mixed), load_policy(path)]) == []
    (line,) = warned(lambda: load(path, sprawl_env.game("tower_up")))
    assert line.endswith("options: max_turns=400 (trained with 60)")


@pytest.mark.parametrize("options", [{"num_players": 2}, {"num_players": 2, "old": "\x1b\n"}])
@pytest.mark.parametrize("variants", [None, 3, [], [3], ["start"]])
def test_a_description_with_odd_options_is_no_other_error(game, tmp_path, options, variants):
    path = write(tmp_path / "step-0000000070", game, options=options, variants=variants)
    assert warned(lambda: load(path, game)) == []


def test_training_refuses_a_mixed_game():
    with pytest.raises(InvalidOption, match=r"^train: expected a game with one set of options"):
        sprawl_env.train(sprawl_env.game("tower_up").mixed([{}, {"max_turns": 9}]))
