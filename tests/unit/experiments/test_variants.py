"""experiments/variants: what intervals of differences say, and their table."""

import json

import numpy as np
import pytest

from experiments.tables import variants_table
from experiments.variants import RECIPE, difference, spread, verdict
from tests.commands import ROOT


def test_differences_are_paired_by_deal_and_count_runs():
    rng = np.random.default_rng(1)
    deals = rng.choice([0.0, 0.5, 1.0], 1000)
    recipe = np.stack([deals, deals, deals])
    worse = (recipe - 0.1).clip(0, 1)
    found, low, high = difference(worse, recipe, [worse, recipe])
    assert low <= found <= high < 0
    assert high - low < 0.02  # unpaired deals would give 0.08
    mixed = np.stack([deals * 0.6, deals, deals])
    _, low, high = difference(mixed, recipe, [mixed, recipe])
    assert high - low > 0.1


@pytest.mark.parametrize("runs", [2, 3, 5])
def test_the_interval_of_equal_variants_seldom_excludes_zero(runs):
    rng, wrong, times = np.random.default_rng(2), 0, 400
    for _ in range(times):
        own, recipe = (rng.normal(0.6, 0.03, (runs, 1)).repeat(10, axis=1) for _ in range(2))
        _, low, high = difference(own, recipe, [own, recipe])
        wrong += not low <= 0 <= high
    assert wrong < 0.07 * times


def test_runs_of_all_variants_say_how_much_runs_differ():
    rng, wrong, widths, times = np.random.default_rng(3), 0, [], 200
    for _ in range(times):
        variants = [rng.normal(0.6, 0.03, (3, 1)).repeat(10, axis=1) for _ in range(10)]
        _, low, high = difference(*variants[:2], variants)
        wrong += not low <= 0 <= high
        widths.append(high - low)
    assert wrong < 0.09 * times
    assert np.ptp(widths) < np.mean(widths)  # of two variants alone some are ten times as wide
    assert spread([np.array([[0.5], [0.7]]), np.array([[0.2]])]) == (
        pytest.approx(0.02**0.5),
        1,
    )


def test_one_run_of_a_variant_is_no_verdict():
    deals = np.tile([0.0, 1.0], 500)

    def row(variant, seed, shares):
        shares = {"greedy": shares.tolist()}
        return {"variant": variant, "seed": seed, "step": 1, "shares": shares}

    rows = [row("recipe", seed, deals) for seed in (0, 1)] + [row("worse", 0, 0.5 * deals)]
    for runs, says in ((1, "one run"), (2, "worse")):
        line = variants_table(rows, RECIPE).splitlines()[-1]
        assert line.startswith(f"| worse | 0.0 | {', '.join(['25.0'] * runs)}% |")
        assert line.endswith(f" | {says} |")
        rows.append(row("worse", 1, 0.5 * deals))


def test_a_variant_is_compared_with_runs_of_its_own_seeds():
    def row(variant, seed, wins, commit="a"):
        shares = {"greedy": [wins] * 20}
        return {"variant": variant, "seed": seed, "step": 1, "shares": shares, "commit": commit}

    rows = [row("recipe", 0, 0.5), row("recipe", 1, 0.9), row("other", 0, 0.5)]
    line = variants_table(rows, RECIPE).splitlines()[-1]
    assert "| +0.0 (" in line and line.endswith("| one run |")
    assert "commits" not in variants_table(rows, RECIPE)
    found = variants_table([*rows, row("other", 2, 0.5, "b")], RECIPE)
    assert found.splitlines()[-1] == "Runs of several commits: a (3), b (1)."


@pytest.mark.parametrize(
    ("low", "high", "runs", "says"),
    [
        (-0.05, -0.01, 2, "worse"),
        (0.01, 0.05, 2, "better"),
        (-0.03, 0.01, 2, "no gain"),
        (-0.03, 0.03, 2, "no difference shown"),
        (-0.05, -0.01, 1, "one run"),
        (0.01, 0.05, 1, "one run"),
    ],
)
def test_the_verdict_says_no_more_than_the_interval(low, high, runs, says):
    assert verdict(low, high, runs) == says


def test_settings_that_a_name_does_not_say_are_told():
    def row(variant, **changes):
        changes = {**changes, "num_envs": 16}  # of all runs
        return {"variant": variant, "seed": 0, "step": 1, "shares": {"x": [1]}, "changes": changes}

    rows = [row("recipe"), row("wide", width=64, trunk=256), row("width=4", width=4)]
    names = [line.split(" | ")[0] for line in variants_table(rows, RECIPE).splitlines()[2:]]
    assert names == ["| recipe", "| wide (`width=64`, `trunk=256`)", "| width=4"]


def test_the_page_has_the_table_of_the_kept_runs():
    folder = ROOT / "docs" / "ladder" / "tower_up" / "ablations"
    kept = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    page = (ROOT / "docs" / "guides" / "training.md").read_text(encoding="utf-8")
    assert variants_table([json.loads(line) for line in kept[1:]], RECIPE) in page
