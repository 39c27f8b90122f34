"""experiments/throughput.py: settings, and one measurement."""

from dataclasses import replace

import pytest

pytest.importorskip("torch")

from experiments import throughput
from experiments.throughput import Config, settings_of
from sprawl_env.core.errors import InvalidOption
from sprawl_env.learning.config import PRESETS
from sprawl_env.learning.team import Team

TINY = Config(num_envs=16, batch_size=64, device="cpu")


def test_settings_are_those_of_the_preset_unless_given():
    found = settings_of(Config(preset="full", device="cpu"))
    for name in ("num_envs", "batch_size", "width", "trunk"):
        assert getattr(found, name) == getattr(PRESETS["full"], name)
    found = settings_of(TINY)
    assert (found.num_envs, found.batch_size, found.device) == (16, 64, "cpu")
    found = settings_of(replace(TINY, width=8, trunk=24))
    assert (found.width, found.trunk) == (8, 24)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"preset": "no"}, "preset='no': expected quick or full"),
        ({"num_players": 0}, "num_players=0: expected a whole number 1..127"),
        ({"device": "tpu"}, "device='tpu': expected auto, cpu, cuda"),
        ({"batch_size": 10**9}, "batch_size=1000000000: expected at most num_envs"),
        ({"width": -1}, "width=-1: expected a whole number 1"),
    ],
)
def test_bad_settings_are_refused(bad, message):
    with pytest.raises(InvalidOption, match=message):
        settings_of(Config(**bad))


@pytest.mark.parametrize(
    ("out", "says"), [(".", "expected a file, this is a folder"), ("file/x.json", "be written")]
)
def test_a_file_that_cannot_be_written_is_refused_before_the_measurement(
    tmp_path, monkeypatch, out, says
):
    def never(*arguments):
        raise AssertionError

    (tmp_path / "file").touch()
    monkeypatch.setattr(throughput, "compile_everything", never)
    with pytest.raises(InvalidOption, match=says):
        throughput.main(replace(TINY, out=tmp_path / out))


def test_a_measurement_counts_what_was_learnt():
    found = throughput.measure_rank(Team(), settings_of(TINY), 0.05)
    assert found.decisions > 0
    assert found.rows > 0
    assert sum(found.shares.values()) == pytest.approx(1)
