"""experiments/template: a study that can be stopped and continued."""

import json
from dataclasses import replace

import pytest

pytest.importorskip("matplotlib")

import numpy as np

from experiments.template import __main__ as study
from sprawl_env.core.errors import InvalidOption

MINIATURE = """
game = "tower_up"
bot = "mcts:sims={sims},turns=1"
against = "random"
sims = [1, 2]
seeds = [0, 1]
games = 2
[options]
num_players = 2
max_turns = 2
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MINIATURE, encoding="utf-8")
    return study.Config(config=path, out=tmp_path / "out")


def test_a_stopped_run_continues_and_ends_with_the_same_file(config):
    study.main(config)
    path = config.out / "results.jsonl"
    whole = path.read_text(encoding="utf-8")
    head, *rows = whole.splitlines(keepends=True)
    assert len(rows) == 2 * 2 * 2
    assert {(json.loads(row)["sims"], json.loads(row)["seed"]) for row in rows} == {
        (sims, seed) for sims in (1, 2) for seed in (0, 1)
    }
    table = (config.out / "table.md").read_text(encoding="utf-8")
    assert (config.out / "winrate.png").stat().st_size > 1000

    path.write_text(head + "".join(rows[:4]), encoding="utf-8")  # as after the first seed
    study.main(config)
    assert path.read_text(encoding="utf-8") == whole
    assert (config.out / "table.md").read_text(encoding="utf-8") == table


def test_results_of_other_settings_are_refused(config):
    config.out.mkdir()
    path = config.out / "results.jsonl"
    path.write_text(json.dumps({"study": {"game": "other"}}) + "\n", encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(InvalidOption, match="results of other settings"):
        study.main(config)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(InvalidOption, match="expected results of this study"):
        study.main(config)
    assert path.read_bytes() == b"{" != before


def test_a_file_in_place_of_the_folder_is_refused(config, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidOption, match="taken is not writable"):
        study.main(replace(config, out=taken))
    assert taken.read_text(encoding="utf-8") == "mine"


def test_a_study_that_lacks_a_setting_is_refused(config):
    config.config.write_text('game = "tower_up"\n', encoding="utf-8")
    with pytest.raises(InvalidOption, match="expected the settings"):
        study.main(config)


def test_differences_are_paired_by_deal():
    lines = study.table({1: np.array([0.0, 0.5, 1.0]), 2: np.array([0.5, 1.0, 1.0])})
    assert "| +33.3 ± 32.7 |" in lines


def test_the_committed_results_give_the_committed_table():
    _, *rows = study.read_results(
        study.HERE / "results.jsonl", study.read_study(study.HERE / "config.toml")
    )
    shares = study.shares_by_deal(rows, "mcts:sims={sims}")
    table = (study.HERE / "table.md").read_text(encoding="utf-8")
    assert study.table(shares) == table
    page = (study.HERE / "README.md").read_text(encoding="utf-8")
    assert table in page
