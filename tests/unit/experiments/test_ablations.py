"""experiments/ablations: each part of the recipe taken away, and told apart by intervals."""

import json
from dataclasses import replace

import pytest

pytest.importorskip("torch")
pytest.importorskip("tensorboard")
pytest.importorskip("matplotlib")

from experiments import ablations
from sprawl_env.core.errors import InvalidOption, UnknownName
from sprawl_env.learning.runs import owned_run
from tests.commands import refused_beside_another

TINY = (
    "num_envs=16", "num_steps=4", "batch_size=64", "width=4", "trunk=8", "processes=1",
    "total_steps=64", "imitation=0", "device=cpu",
)  # fmt: skip


@pytest.fixture
def config(tmp_path):
    return ablations.Config(
        minutes=0.0, seeds=(1,), settings=TINY, games=4, strong="random", strong_games=2,
        only=("recipe", "no entropy bonus"), out=tmp_path / "out",
    )  # fmt: skip


def test_variants_are_trained_and_measured_once_and_a_stopped_command_goes_on(config, capsys):
    ablations.main(config)
    path = config.out / ablations.RESULTS
    whole = path.read_text(encoding="utf-8")
    head, *rows = map(json.loads, whole.splitlines())
    assert head["settings"]["total_steps"] == 64
    assert [(row["variant"], row["changes"]) for row in rows] == [
        ("recipe", {}), ("no entropy bonus", {"entropy": 0.0}),
    ]  # fmt: skip
    assert [len(shares) for shares in rows[0]["shares"].values()] == [2, 1]
    settings = json.loads((config.out / "no-entropy-bonus-1" / "config.json").read_text())["config"]
    assert (settings["entropy"], settings["seed"], settings["width"]) == (0.0, 1, 4)
    table = (config.out / "table.md").read_text(encoding="utf-8")
    assert table.count("\n") == 4
    capsys.readouterr()

    path.write_text("".join(whole.splitlines(keepends=True)[:2]), encoding="utf-8")
    ablations.main(config)  # the second run is there, and is only measured
    assert path.read_text(encoding="utf-8") == whole
    assert "no entropy bonus, seed 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"settings": ("speed=3",)}, "unknown setting of training 'speed'"),
        ({"settings": ("width=wide",)}, "'width=wide': expected a whole number"),
        ({"settings": ("total_steps=1e6",)}, "'total_steps=1e6': expected a whole number"),
        ({"settings": ("gamma=high",)}, "'gamma=high': expected a number"),
        ({"settings": ("options=a",)}, "unknown setting of training 'options': choose from"),
        ({"settings": ("name=mine",)}, "name: the command chooses it by itself"),
        ({"settings": (*TINY, "reward")}, "'reward': expected name=value"),
        ({"settings": (*TINY, "gamma=2.0")}, "gamma=2.0: expected 0..1"),
        ({"games": 0}, "expected at least 1"),
        ({"seeds": ()}, "expected at least 1"),
        ({"seeds": (0, 1, 0)}, "expected different ones"),
        ({"only": ("magic",)}, "variant 'magic'"),
        ({"game": "chess"}, "chess"),
        ({"strong": "nobody"}, "nobody"),
    ],
)
def test_what_is_not_allowed_is_refused_and_writes_nothing(config, changes, says):
    wanted = ablations.Config(**{**vars(config), **changes})
    with pytest.raises((InvalidOption, UnknownName), match=says):
        ablations.main(wanted)
    assert not config.out.exists()


def test_settings_are_read_as_the_kinds_that_training_has():
    found = ablations.parse_settings(("total_steps=100", "gamma=1", "reward=rank"))
    assert found == {"total_steps": 100, "gamma": 1.0, "reward": "rank"}
    assert type(found["gamma"]) is float


WRONG_SHARES = '{"settings": {}}\n{"variant": "recipe", "seed": 1, "shares": {"greedy": [7.5]}}\n'


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"settings": 1}', '{"settings": {}}\n{}', WRONG_SHARES]
)
def test_a_damaged_file_is_refused_and_stays(config, text):
    config.out.mkdir()
    path = config.out / ablations.RESULTS
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidOption, match="expected results of this command"):
        ablations.main(config)
    assert path.read_text(encoding="utf-8") == text


def test_results_of_other_settings_are_refused(config):
    config.out.mkdir()
    path = config.out / ablations.RESULTS
    row = {"variant": "recipe", "seed": 1, "shares": {}}
    text = "".join(json.dumps(line) + "\n" for line in ({"settings": {"game": "tower_up"}}, row))
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidOption, match="results of other settings"):
        ablations.main(config)


@pytest.mark.parametrize(("kept", "goes_on"), [(True, True), (None, True), (False, False)])
def test_a_reference_with_other_weights_does_not_go_on(config, kept, goes_on):
    (head,) = ablations.begin(config)
    config.out.mkdir(exist_ok=True)
    if not kept:
        head["made_of"] = "other"
    if kept is None:  # of an earlier version
        del head["made_of"]
    row = {"variant": "recipe", "seed": 1, "shares": {}}
    path = config.out / ablations.RESULTS
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, row)))
    if goes_on:
        assert ablations.begin(config) == [head, row]
        return
    with pytest.raises(InvalidOption, match="results of other made_of"):
        ablations.begin(config)


@pytest.mark.parametrize("kept", [{"width": 32}, None])
def test_results_with_other_defaults_of_training_do_not_go_on(config, kept):
    (head,) = ablations.begin(config)
    assert head["whole"]["entropy"] == ablations.TrainConfig().entropy
    assert not {"seed", "name", "runs"} & head["whole"].keys()
    head["whole"] = kept
    row = {"variant": "recipe", "seed": 1, "shares": {}}
    path = config.out / ablations.RESULTS
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, row)))
    with pytest.raises(InvalidOption, match="results of other defaults of training; choose"):
        ablations.begin(config)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"games": 2}, "games"),
        ({"strong": "planner"}, "strong"),
        ({"strong_games": 4}, "strong_games"),
        ({"minutes": 5.0}, "settings"),
        ({"settings": (*TINY, "gamma=0.9"), "games": 6}, "settings, games"),
    ],
)
def test_another_command_does_not_go_on_with_a_run_that_was_stopped(
    config, monkeypatch, changes, says
):
    def begin(wanted):
        folder = wanted.runs / wanted.name
        with owned_run(folder, wanted, new=wanted.resume is None):
            return folder, False, {}

    monkeypatch.setattr(ablations.training, "main", begin)
    ablations.main(config)
    ablations.main(config)  # the same one goes on
    with pytest.raises(InvalidOption, match=f"results of other {says}; choose another --out"):
        ablations.main(replace(config, **changes))


def test_a_folder_without_a_run_takes_any_settings(config, monkeypatch):
    def refuse(wanted):
        raise UnknownName("no such expert")

    monkeypatch.setattr(ablations.training, "main", refuse)
    for games in (4, 6):
        with pytest.raises(UnknownName, match="no such expert"):
            ablations.main(replace(config, games=games))
        head = json.loads((config.out / ablations.RESULTS).read_text(encoding="utf-8"))
        assert head["games"] == games


def test_a_second_command_with_the_same_folder_is_refused(config):
    refused_beside_another(ablations.main, config)
