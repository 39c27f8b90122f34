"""Results of experiments as tables in Markdown.

They are made from the kept JSON alone, without torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from experiments.measuring import nearest
from experiments.records import Row
from sprawl_env.arena.evaluation import share_text

MARKS: Final = (2, 5, 10)  # minutes of training, for which an exploiter's share is shown


def ladder_table(found: Row) -> str:
    """Return the result of :mod:`experiments.ladder`: ratings, then the share of each pair."""
    names = [line["bot"] for line in found["bots"]]
    rated = "elo" in found["bots"][0]
    heads = ["Elo", "95% interval", "in the best mixture", "against it"] if rated else []
    lines = [
        f"| bot | ms a decision |{''.join(f' {head} |' for head in heads)}",
        f"| :-- | --: |{' --: |' * len(heads)}",
    ]
    for line in found["bots"]:
        cells = [f"`{line['bot']}`", f"{line['milliseconds']:.3g}"]
        if rated:
            cells += [
                f"{line['elo']:.0f}",
                f"{line['elo_low']:.0f} – {line['elo_high']:.0f}",
                f"{line['mixture']:.0%}",
                f"{line['against_mixture']:.1%}",
            ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "Share of the games that the row wins against the column, in percent:", ""]
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
        lines.append(f"| {k + 1}. `{name}` | {' | '.join(shares)} |")
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
