"""Results of experiments as tables in Markdown.

They are made from the kept JSON alone, without the libraries that measured it.
"""

from __future__ import annotations

from collections.abc import Sequence

from experiments.records import Row
from sprawl_env.arena.evaluation import share_text


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
    """Return results of :mod:`experiments.exploit`: a row for each point of each curve."""
    lines = [
        "| against | minutes | decisions | games | the exploiter wins |",
        "| :-- | --: | --: | --: | --: |",
    ]
    for result in results:
        config = result["config"]
        start = f"start={config['start']}" if config["start"] else ""
        said = filter(None, (result["victim"], start, *config["settings"]))
        name = ", ".join(f"`{word}`" for word in said)
        for point in result["curve"]:
            wins = share_text(point["wins"], point["low"], point["high"])
            numbers = f"{point['minutes']:.2g} | {point['decisions']:,} | {point['games']:,}"
            lines.append(f"| {name} | {numbers} | {wins} |")
            name = ""
    return "\n".join(lines) + "\n"
