"""The published games of the rankings."""

import json

from tests.commands import ROOT

LADDER = ROOT / "docs" / "ladder"


def share_in(path, bot):
    """Return the share of the games in a file that a bot won."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return sum(row["shares"][row["bots"].index(bot)] for row in rows) / len(rows)
