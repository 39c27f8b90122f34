"""experiments/installs: two versions of the package play the same games against each other."""

import json

import pytest

pytest.importorskip("tyro")
pytest.importorskip("rich")

from experiments.installs.__main__ import Installs, main
from sprawl_env.core.errors import InvalidOption, SprawlError
from tests.commands import ROOT

LOTS = "examples.lots:RULES"

OTHER_RULES = """
import numpy as np

class Game:
    def deal(self, batch, seed):
        return {"over": [0], "to_play": [0]}
    def legal_actions(self, games):
        return np.ones(3, np.int8)

def game(name, **options):
    return Game()

def make_bot(name, game, seed):
    return None
"""


def config(folder, **changes):
    settings = {"before": ROOT, "game": LOTS, "bot": "random", "games": 4, "jobs": 1}
    return Installs(**{**settings, "out": folder / "out", **changes})


def test_each_deal_is_played_from_both_seats_and_a_stopped_command_goes_on(tmp_path, capsys):
    main(config(tmp_path, games=2))
    path = tmp_path / "out" / f"{LOTS}.jsonl"
    first = path.read_text()
    main(config(tmp_path))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert path.read_text().startswith(first)
    assert [(row["deal"], row["first"]) for row in rows] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for row in rows:
        own, other = row["scores"][row["first"]], row["scores"][1 - row["first"]]
        assert own == other or row["won"] == float(own > other)  # ties are broken by the rules
    mean = 100 * sum(row["won"] for row in rows) / 4
    assert f"this version won {mean:.1f}%" in capsys.readouterr().out


def test_versions_with_other_rules_are_refused(tmp_path):
    package = tmp_path / "before" / "sprawl_env"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(OTHER_RULES)
    with pytest.raises(SprawlError, match="deal 0, ply 0: the versions play different rules"):
        main(config(tmp_path, before=tmp_path / "before"))


def test_a_player_that_cannot_start_is_one_line(tmp_path, capfd):
    with pytest.raises(SprawlError, match="a player ended with 1: see above"):
        main(config(tmp_path, bot="nobody"))
    assert "nobody" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"games": 3}, "games 3: expected an even number"),
        ({"jobs": 0}, "jobs 0: expected 1 or more"),
    ],
)
def test_impossible_settings_are_refused(tmp_path, change, says):
    with pytest.raises(InvalidOption, match=says):
        main(config(tmp_path, **change))
    with pytest.raises(InvalidOption, match="expected a folder with sprawl_env"):
        main(config(tmp_path, before=tmp_path))
    assert not (tmp_path / "out").exists()
