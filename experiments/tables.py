"""Results of experiments as tables in Markdown.

They are made from the kept JSON alone, without torch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from experiments.measuring import nearest
from experiments.records import Row
from experiments.variants import COMMIT, SHARES, Floats, difference, runs_of, verdict
from sprawl_env.arena.evaluation import share_text

MARKS: Final = (2, 5, 10)  # minutes of training, for which an exploiter's share is shown
NO_BREAK: Final = "\N{NO-BREAK SPACE}"
TO: Final = f"{NO_BREAK}–\N{WORD JOINER}{NO_BREAK}"  # a narrow column does not break an interval


def ladder_table(found: Row) -> str:
    """Return the result of :mod:`experiments.ladder`: ratings, then the share of each pair."""
    names = [line["bot"] for line in found["bots"]]
    rated = "elo" in found["bots"][0]
    heads = ["Elo", "95% interval", "in the best mixture", "against it"] if rated else []
    lines = [
        f"| bot | ms a decision |{''.join(f' {head} |' for head in heads)}",
        f"| :-- | --: |{' --: |' * len(heads)}",
    ]
    for place, line in enumerate(found["bots"], start=1):
        cells = [f"{place}.{NO_BREAK}`{line['bot']}`", f"{line['milliseconds']:.3g}"]
        if rated:
            cells += [
                f"{line['elo']:.0f}",
                f"{line['elo_low']:.0f}{TO}{line['elo_high']:.0f}",
                f"{line['mixture']:.0%}",
                f"{line['against_mixture']:.1%}",
            ]
        lines.append(f"| {' | '.join(cells)} |")
    says = "Share of the games that the row wins against the column, in percent, by these numbers:"
    lines += ["", says, ""]
    lines += [
        f"| | {' | '.join(str(k + 1) for k in range(len(names)))} |",
        f"| :-- |{' --: |' * len(names)}",
    ]
    known = {(cell["bot"], cell["against"]): cell["wins"] for cell in found["pairs"]}
    for k, name in enumerate(names):
        shares = []
        for other in names:
            share = known.get((name, other))
            if share is None and rated and (other, name) in known:
                share = 1.0 - known[other, name]
            shares.append("" if share is None else f"{100 * share:.0f}")
        lines.append(f"| {k + 1} | {' | '.join(shares)} |")
    return "\n".join(lines) + "\n"


def exploit_table(results: Sequence[Row]) -> str:
    """Return results of :mod:`experiments.exploit`: a row for each, the shares won on the way."""
    lines = [
        "| against | begins as, settings | before | "
        f"{' | '.join(f'{mark} min' for mark in MARKS)} | at the end | in the second half |",
        f"| :-- | :-- |{' --: |' * (len(MARKS) + 3)}",
    ]
    for result in results:
        config, curve = result["config"], result["curve"]
        last = curve[-1]
        on_the_way = [None if mark > last["minutes"] else near(curve, mark) for mark in MARKS]
        cells = [
            f"`{result['victim'].rpartition('exploit:')[2]}`",
            ", ".join(f"`{word}`" for word in (config["start"], *config["settings"]) if word),
            f"{curve[0]['wins']:.0%}",
            *("" if point is None else f"{point['wins']:.0%}" for point in on_the_way),
            share_text(last["wins"], last["low"], last["high"]),
            gain_text(result["rise"]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def near(curve: Sequence[Row], minutes: float) -> Row | None:
    """Return the point that stands for a time, or None; the first one is of before training."""
    timed = [{**point, "seconds": 60 * point["minutes"]} for point in curve[1:]]
    return nearest(timed, "minutes", minutes)


def gain_text(rise: Mapping[str, float]) -> str:
    """Return what the end gained, in points, e.g. ``+1.0 (−1.7 to +3.8)``."""
    gain, low, high = (f"{100 * rise[name]:+.1f}" for name in ("gain", "low", "high"))
    return f"{gain} ({low} to {high})".replace("-", "−")


def variants_table(rows: Sequence[Row], base: str) -> str:
    """Return variants of training: what each run wins, and the differences from one variant.

    Args:
        rows: a row for each run, as :mod:`experiments.ablations` keeps them.
        base: the variant with which the others are compared, by runs of the same seeds.
    """
    opponents = list(dict.fromkeys(name for row in rows for name in row[SHARES]))
    heads = "".join(f" against `{name}`, each run | difference, points | |" for name in opponents)
    lines = [
        f"| variant | decisions, millions |{heads}",
        f"| :-- | --: |{' :-- | --: | :-- |' * len(opponents)}",
    ]
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    known = {name: {each: runs_of(rows, name, each) for each in variants} for name in opponents}
    for variant in variants:
        own = [row for row in rows if row["variant"] == variant]
        steps = float(np.mean([row["step"] for row in own]))
        cells = [_with_changes(own[0], rows), f"{steps / 1e6:.1f}"]
        for name in opponents:
            shares = known[name][variant]
            found = ", ".join(f"{100 * share:.1f}" for share in shares.mean(axis=1))
            others = runs_of(rows, name, base, {row["seed"] for row in own})
            if variant == base or not others.size or others.shape[1:] != shares.shape[1:]:
                cells += [f"{found}%", "", ""]
            else:
                cells += [f"{found}%", *_compared(shares, others, list(known[name].values()))]
        lines.append(f"| {' | '.join(cells)} |")
    if len(made := Counter(str(row.get(COMMIT))[:10] for row in rows)) > 1:
        commits = ", ".join(f"{name} ({count})" for name, count in made.items())
        lines += ["", f"Runs of several commits: {commits}."]
    return "\n".join(lines) + "\n"


def _with_changes(row: Row, rows: Sequence[Row]) -> str:
    """Return the name of a row's variant, with the settings that it does not say or share."""
    changes = row.get("changes", {}).items()
    own = [
        f"{name}={value}"
        for name, value in changes
        if not all(each["changes"].get(name) == value for each in rows)
    ]
    said = ", ".join(f"`{word}`" for word in own if word not in row["variant"])
    return f"{row['variant']} ({said})" if said else row["variant"]


def _compared(shares: Floats, others: Floats, variants: Sequence[Floats]) -> tuple[str, str]:
    """Return a variant's difference from another one, and what it says."""
    gain, low, high = difference(shares, others, variants)
    text = gain_text({"gain": gain, "low": low, "high": high})
    return text, verdict(low, high, min(len(shares), len(others)))
