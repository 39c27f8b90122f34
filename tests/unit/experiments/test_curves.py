"""experiments/curves: strength against decisions and minutes, measured once and drawn again."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("torch")

import torch
from matplotlib.axes import Axes

import sprawl_env
from experiments import curves, measuring
from sprawl_env.bots.policy.checkpoint import describe_game, save
from sprawl_env.bots.policy.network import network_for
from sprawl_env.bots.policy.player import game_of
from sprawl_env.core.errors import InvalidOption
from tests.commands import refused_beside_another

SHAPE = {"width": 4, "trunk": 8}


def write_run(folder, steps, num_players=2):
    """Write a run with checkpoints of networks that have learned nothing."""
    game = sprawl_env.game("tower_up", num_players=num_players, max_turns=3)
    for step in steps:
        torch.manual_seed(step)
        net = network_for(game, **SHAPE)
        tensors = {f"policy.mlp_extractor.{k}": v.numpy() for k, v in net.state_dict().items()}
        about = {**describe_game(game), "step": step, "seconds": step / 1000, "network": SHAPE}
        save(folder / "checkpoints" / f"step-{step:010d}", tensors, about)
    return folder


@pytest.fixture
def config(tmp_path):
    runs = tuple(write_run(tmp_path / name, (0, 290_000, 400_000, 1_000_000)) for name in "ab")
    return curves.Config(
        runs=runs, out=tmp_path / "out", against=("random",), strong=("greedy",), games=8, few=4
    )


def measured(config):
    return (config.out / measuring.MEASURED).read_text(encoding="utf-8")


def test_the_checkpoints_next_to_the_marks_are_measured_and_the_last_one_more(config):
    curves.main(config)
    rows = [json.loads(line) for line in measured(config).splitlines()[1:]]
    assert [(row["run"], row["step"], row["against"], row["games"]) for row in rows] == [
        (name, step, against, games)
        for name in "ab"
        for step, against, games in (
            (290_000, "random", 8),
            (290_000, "greedy", 4),
            (1_000_000, "random", 8),
            (1_000_000, "greedy", 8),
        )
    ]
    assert all(sum(row["deals"].values()) == row["games"] // 2 for row in rows)
    table = (config.out / "curves.md").read_text(encoding="utf-8")
    assert [line.split("|")[1].strip() for line in table.splitlines()[2:]] == [
        "290,000 decisions", "1,000,000 decisions", "5 minutes",
    ]  # fmt: skip
    assert (config.out / "curves.png").stat().st_size > 10_000


def test_a_stopped_measurement_continues_and_is_drawn_without_the_runs(config, tmp_path):
    curves.main(config)
    whole, table = measured(config), (config.out / "curves.md").read_bytes()
    lines = whole.splitlines(keepends=True)
    (config.out / measuring.MEASURED).write_text("".join(lines[:4]), encoding="utf-8")
    curves.main(config)
    assert measured(config) == whole
    (config.out / "curves.md").unlink()
    curves.main(curves.Config(out=config.out))
    assert (config.out / "curves.md").read_bytes() == table
    assert measured(config) == whole


def test_runs_of_another_game_and_folders_without_a_run_are_refused(config, tmp_path):
    other = write_run(tmp_path / "four", (300_000,), num_players=4)
    with pytest.raises(InvalidOption, match=r"four': is of tower_up .*: expected tower_up with"):
        curves.main(curves.Config(runs=(*config.runs, other), out=config.out))
    assert not config.out.exists()
    with pytest.raises(InvalidOption, match="expected the folder of a run with checkpoints"):
        curves.main(curves.Config(runs=(tmp_path / "none",), out=config.out))
    with pytest.raises(InvalidOption, match="expected runs, or a folder with measured"):
        curves.main(curves.Config(out=config.out))
    with pytest.raises(InvalidOption, match="more than 0"):
        curves.main(curves.Config(out=config.out, games=0))


def test_runs_of_the_same_name_are_refused(tmp_path):
    runs = tuple(write_run(tmp_path / name / "run", (300_000,)) for name in "ab")
    with pytest.raises(InvalidOption, match="2 runs are named 'run': rename their folders"):
        curves.main(curves.Config(runs=runs, out=tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_checkpoint_that_does_not_say_its_time_is_measured(tmp_path):
    run = write_run(tmp_path / "run", (300_000,))
    checkpoint = measuring.checkpoints_of(run)[0]
    del checkpoint.about["seconds"]  # as one of train_sb3
    row = measuring.measure(checkpoint, game_of(checkpoint), "random", 2, seed=1)
    assert row["seconds"] == 0.0


def test_what_is_measured_is_played_in_parts_on_all_cores(tmp_path, monkeypatch):
    checkpoint = measuring.checkpoints_of(write_run(tmp_path / "run", (300_000,)))[0]
    asked, real = [], sprawl_env.evaluate

    def evaluate(game, bots, *, parts, **settings):
        asked.append(parts)
        return real(game, bots, **settings)

    monkeypatch.setattr(sprawl_env, "evaluate", evaluate)
    row = measuring.measure(checkpoint, game_of(checkpoint), "random", 300, seed=1)
    assert asked == [3] and sum(row["deals"].values()) == 150


def test_other_deals_are_measured_anew_and_drawn_alone(tmp_path):
    run = write_run(tmp_path / "run", (300_000,))
    config = curves.Config(runs=(run,), out=tmp_path / "out", against=("random",), strong=())
    for seed in (1, 2, 2):
        _, rows = curves.measure_all(replace(config, games=8, seed=seed))
        assert [row["seed"] for row in rows] == [seed]
    _, rows = curves.measure_all(curves.Config(out=config.out))
    assert [row["seed"] for row in rows] == [1, 2]


def test_a_run_and_an_opponent_of_an_earlier_name_are_not_taken_for_those_of_now(tmp_path, capsys):
    run = write_run(tmp_path / "run", (300_000,))
    victim = write_run(tmp_path / "victim", (5,))
    config = curves.Config(
        runs=(run,), out=tmp_path / "out", against=(f"checkpoint:{victim}",), strong=(), games=8
    )
    (first,) = curves.measure_all(config)[1]
    assert curves.measure_all(config)[1] == [first]
    write_run(victim, (9,))
    (again,) = curves.measure_all(config)[1]
    assert again[measuring.MADE] != first[measuring.MADE]
    assert curves.measure_all(curves.Config(out=config.out))[1] == [again]
    shutil.rmtree(run)
    write_run(run, (310_000,))
    capsys.readouterr()
    (other,) = curves.measure_all(config)[1]
    assert (other["step"], again["step"]) == (310_000, 300_000)
    assert "1 measurements left out" in " ".join(capsys.readouterr().out.split())


def test_a_run_that_ended_before_the_first_mark_is_not_said_to_be_missing(tmp_path):
    run = write_run(tmp_path / "short", (50_000,))
    bots = {"against": ("random",), "strong": ()}
    config = curves.Config(runs=(run,), out=tmp_path / "out", games=2, **bots)
    with pytest.raises(InvalidOption, match=r"checkpoint is near a mark: .* 300,000, .* or 2, 5"):
        curves.main(config)
    assert measured(config).count("\n") == 2  # the measurement is kept


def test_with_one_seat_only_the_first_bots_own_games_count():
    game = sprawl_env.game("ginkgopolis", num_players=1)
    both = sprawl_env.evaluate(game, ["greedy", "random"], num_games=6, seed=1).results
    own = sprawl_env.evaluate(game, ["greedy"], num_games=6, seed=1).results
    assert own.wins.any()
    assert measuring.shares_by_deal(both).tolist() == own.wins[:, 0].tolist()


ROW = {"run": "a", "step": 10, "seconds": 6.0, "weights": "w", "against": "greedy", "games": 4,
       "seed": 1, "deals": {"0.5": 2}}  # fmt: skip


@pytest.mark.parametrize(
    "rows",
    ["", "{", "[]", "{}", "1\n2", *(
        json.dumps(row) for row in (
            {**ROW, "step": "10"}, {**ROW, "deals": []}, {**ROW, "deals": {}},
            {**ROW, "deals": {"x": 1}}, {**ROW, "deals": {"1": 10**12}}, {"run": "a"},
            {**ROW, "deals": {"nan": 2}}, {**ROW, "deals": {"7.5": 2}}, {**ROW, "seconds": 0.0},
            {**ROW, "deals": {"-1": 1, "0.5": 1}}, {**ROW, "step": 0},
        )
    )],
)  # fmt: skip
def test_a_damaged_file_is_refused_in_one_line_and_stays(tmp_path, rows):
    path = tmp_path / measuring.MEASURED
    head = json.dumps({"game": "tower_up", "options": {"num_players": 2}})
    text = f"{head}\n{rows}\n" if rows.startswith('{"') else rows
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidOption, match="expected measurements of this command"):
        curves.main(curves.Config(out=tmp_path))
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ([3.0], 3.0),
        ([1.0, 3.0], 2.0),
        ([0.0, 3.0, 9.0], (0.25 * 0 + 3 + 0.25 * 9) / 1.5),
        ([100.0, 1.0, 3.0, 0.0], 2.0),
    ],
)
def test_the_interquartile_mean_is_that_of_the_middle_half(values, mean):
    assert curves.interquartile_mean(np.array(values)) == pytest.approx(mean)


@pytest.mark.parametrize(
    ("name", "num_players", "even"),
    [("tower_up", 2, 0.5), ("tower_up", 4, 0.25), ("ginkgopolis", 1, 0.5)],
)
def test_a_line_is_drawn_where_equal_bots_are(tmp_path, monkeypatch, name, num_players, even):
    lines = []
    monkeypatch.setattr(Axes, "axhline", lambda axes, y, **_: lines.append(y))
    head = {"game": name, "options": {"num_players": num_players}}
    text = "".join(json.dumps(line) + "\n" for line in (head, {**ROW, "step": 1_000_000}))
    (tmp_path / measuring.MEASURED).write_text(text, encoding="utf-8")
    curves.main(curves.Config(out=tmp_path))
    assert lines == [even, even]


def test_a_band_counts_runs_and_deals():
    def row(run, ones, games):
        deals = {"1.0": ones, "0.0": games // 2 - ones}
        return {**ROW, "run": run, "step": 1_000_000, "games": games, "deals": deals}

    one = curves.point_of("decisions", 1e6, "greedy", [row("a", 700, 2000)])
    assert one.middle == pytest.approx(0.7)
    assert one.high - one.low == pytest.approx(2 * 1.96 * (0.7 * 0.3 / 1000) ** 0.5, rel=0.15)
    both = [row("a", 700, 2000), row("b", 500, 2000)]
    two = curves.point_of("decisions", 1e6, "greedy", both)
    assert (two.wins, two.middle) == ((0.7, 0.5), pytest.approx(0.6))
    assert two.low < 0.52
    assert two.high > 0.68
    same = curves.point_of("decisions", 1e6, "greedy", [row("a", 700, 2000), row("b", 700, 2000)])
    assert same.high - same.low == pytest.approx((one.high - one.low) / 2**0.5, rel=0.1)
    few = {**row("a", 30, 80), "seconds": 9e9}
    found = curves.points([few, *both])
    assert [(p.axis, p.mark, len(p.wins)) for p in found] == [("decisions", 1_000_000, 2)]
    assert found[0].wins == (0.7, 0.5)  # the measurement with the most games


def test_a_point_is_drawn_where_its_checkpoints_are():
    deals = {"1.0": 700, "0.0": 300}
    rows = [
        {**ROW, "run": run, "step": step, "seconds": 9e9, "games": 2000, "deals": deals}
        for run, step in (("a", 850_000), ("b", 900_000))
    ]
    (found,) = curves.points(rows)
    assert (found.mark, found.places) == (1_000_000, (850_000, 900_000))
    assert found.place == pytest.approx((850_000 * 900_000) ** 0.5)
    assert curves.table([found]).splitlines()[2].startswith("| 870,000 decisions | 2 |")


def test_a_second_command_with_the_same_folder_is_refused(config):
    refused_beside_another(curves.main, config)
