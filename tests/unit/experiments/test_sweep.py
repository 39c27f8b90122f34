"""experiments/sweep: runs of several settings and seeds, one core each, then table and curves."""

import json
from dataclasses import replace

import pytest

pytest.importorskip("torch")
pytest.importorskip("tensorboard")
pytest.importorskip("matplotlib")

import sprawl_env
from experiments import sweep
from experiments.measuring import shares_by_deal
from sprawl_env.core.errors import InvalidOption, UnknownName

TINY = (
    "max_minutes=0", "num_envs=16", "num_steps=4", "batch_size=64", "trunk=8", "imitation=0",
    "total_steps=64",
)  # fmt: skip


@pytest.fixture
def config(tmp_path):
    return sweep.Config(
        settings=(*TINY, "width=4,8"), seeds=(1,), games=4, strong="random", strong_games=2,
        processes=1, out=tmp_path / "out",
    )  # fmt: skip


def changed(config, **changes):
    return sweep.Config(**{**vars(config), **changes})


def test_every_choice_of_values_is_a_variant_that_is_trained_with_every_seed(config):
    config = changed(config, settings=("width=4,8", "entropy=0.0", "gamma=0.9,0.99"), seeds=(1, 2))
    runs = sweep.runs_of(config)
    assert len({one.name for one in runs}) == len(runs) == 8
    assert [one.seed for one in runs] == [1] * 4 + [2] * 4
    assert runs[1].variant == "width=4 gamma=0.99"
    assert runs[1].name == "width-4-gamma-0.99-seed-1"
    assert runs[3].changes == {"width": 8, "entropy": 0.0, "gamma": 0.99}
    settings = sweep.settings_of(config, runs[3])
    assert (settings.width, settings.seed, settings.processes) == (8, 1, 1)


def test_a_task_that_was_stopped_is_not_done(config, monkeypatch):
    monkeypatch.setattr(sweep.training, "main", lambda own: (config.out, False, []))
    with pytest.raises(InvalidOption, match="stopped: the same command goes on"):
        sweep.main(changed(config, task=1))
    assert not list(config.out.glob(f"*/{sweep.MEASURED}"))


def test_a_run_is_measured_on_its_own_core_while_others_train(config, monkeypatch):
    asked, real = [], sprawl_env.evaluate

    def evaluate(*arguments, processes, **settings):
        asked.append(processes)
        return real(*arguments, **settings)

    monkeypatch.setattr(sprawl_env, "evaluate", evaluate)
    sweep.main(changed(config, task=0))
    assert asked and set(asked) == {1}


def test_a_sweep_with_other_defaults_of_training_is_refused(config, monkeypatch):
    sweep.prepare(config)
    quick = replace(sweep.PRESETS["quick"], entropy=0.3)
    monkeypatch.setattr(sweep, "PRESETS", {**sweep.PRESETS, "quick": quick})
    with pytest.raises(InvalidOption, match="holds another sweep: choose another"):
        sweep.prepare(config)


@pytest.mark.parametrize(
    ("text", "says"),
    [("[]", "holds another sweep: choose another"), ("{", r"cannot be used \(.*\)")],
)
def test_a_file_that_is_not_of_a_sweep_is_refused(config, text, says):
    config.out.mkdir(parents=True)
    (config.out / sweep.KEPT).write_text(text)
    with pytest.raises(InvalidOption, match=f"^out='[^']*': {says}$"):
        sweep.prepare(config)
    assert (config.out / sweep.KEPT).read_text() == text


def test_tasks_of_an_array_job_and_the_rest_give_a_table_and_curves(config, capsys, monkeypatch):
    sweep.main(changed(config, task=1))
    assert "width=8, seed 1: 64 decisions" in capsys.readouterr().out
    folder = config.out / "width-8-seed-1"
    kept = (folder / sweep.MEASURED).read_bytes()
    assert not (config.out / "table.md").exists()
    assert "64" in (config.out / "width-8-seed-1.log").read_text(encoding="utf-8")

    sweep.main(config)  # trains the other one, in a worker process
    assert "2 runs, 1 of them done" in capsys.readouterr().out
    assert (folder / sweep.MEASURED).read_bytes() == kept
    table = (config.out / "table.md").read_text(encoding="utf-8")
    assert [line.split(" | ")[0] for line in table.splitlines()[2:]] == ["| width=4", "| width=8"]
    found = sprawl_env.evaluate(
        "tower_up", [f"checkpoint:{folder}", "greedy"], num_games=4, seed=2026
    )  # a deal's share stands at the place of the deal
    assert json.loads(kept)["shares"]["greedy"] == shares_by_deal(found.results).tolist()
    assert (config.out / "curves.png").stat().st_size > 5000
    assert "## width=8" in (config.out / "curves.md").read_text(encoding="utf-8")

    def never(*arguments):
        raise AssertionError

    monkeypatch.setattr(sweep, "work", never)
    sweep.main(config)  # nothing is missing
    assert (config.out / "table.md").read_text(encoding="utf-8") == table

    path = folder / sweep.MEASURED
    row = json.loads(path.read_text(encoding="utf-8"))
    for damaged in ("{", json.dumps({**row, "points": [{}]}), "[]"):
        path.write_text(damaged, encoding="utf-8")
        with pytest.raises(InvalidOption, match=r"is damaged: delete it"):
            sweep.main(config)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"preset": "slow"}, "unknown preset 'slow'"),
        ({"settings": ("speed=3",)}, "unknown setting of training 'speed'"),
        ({"settings": ("width=4,wide",)}, "'width=wide': expected a whole number"),
        ({"settings": ("name=a,b",)}, "name: the command chooses it by itself"),
        ({"settings": ("seed=1,2",)}, "seed: the command chooses it by itself"),
        ({"settings": ("processes=2",)}, "processes: the command chooses it by itself"),
        ({"settings": ("gamma=0.9,2.0",)}, "gamma=2.0: expected 0..1"),
        ({"settings": ("width=4,4",)}, "expected different values"),
        ({"seeds": ()}, "seeds: expected at least one"),
        ({"seeds": (1, 1)}, "expected different values"),
        ({"games": 0}, "games=0: expected a whole number"),
        ({"engine": "magic"}, "unknown engine 'magic'"),
        ({"task": 9}, "task=9: expected a whole number"),
    ],
)
def test_bad_settings_are_one_line_before_a_file_is_written(config, changes, says):
    with pytest.raises((InvalidOption, UnknownName), match=says):
        sweep.main(changed(config, **changes))
    assert not config.out.exists()


def test_a_setting_that_is_given_twice_is_refused(config):
    with pytest.raises(InvalidOption, match="settings: width is given twice: expected width=VALUE"):
        sweep.main(changed(config, settings=("width=8", "width=16")))
    assert not config.out.exists()


def test_a_sweep_against_other_weights_is_refused(config, monkeypatch):
    sweep.prepare(config)
    sweep.prepare(config)
    monkeypatch.setattr(sweep, "weights_of", lambda name, game: "other")
    with pytest.raises(InvalidOption, match="holds another sweep: choose another"):
        sweep.prepare(config)


def test_the_folder_of_another_sweep_is_refused(config):
    sweep.prepare(config)
    with pytest.raises(InvalidOption, match=r"^out='[^']*': holds another sweep: choose another$"):
        sweep.main(changed(config, settings=TINY))
