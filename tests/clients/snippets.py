"""Runs the lines that the page of clients shows."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "clients.md"


def run_lines(heading):
    """Run the code of a section of the page; returns its names."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    (code,) = re.findall(r"```python\n(.*?)```", rest.partition("\n## ")[0], re.DOTALL)
    names = {}
    exec(compile(code, heading, "exec"), names)
    return names
