"""The report of a tournament as one web page: tables to sort, and links to games to watch."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from sprawl_env.arena.journal import Row, replay_name
from sprawl_env.arena.report import Report, Table, draw, labels, tables, title, to_markdown
from sprawl_env.core.extras import missing
from sprawl_env.core.files import write_atomically
from sprawl_env.core.game import Game
from sprawl_env.replays.format import load_file
from sprawl_env.replays.page import page as replay_page

Games = Mapping[tuple[str, ...], str]  # the address of a game's page by line-up, names ascending

MOST_PAGES: Final = 100  # of games that a report links to
VERSUS: Final = " v "
_NUMBER: Final = re.compile(r"^[+-]?\d[\d,]*(\.\d+)?")
_MILLISECONDS: Final = 1e-3

STYLE: Final = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 66rem; margin: 2rem auto; padding: 0 1rem;
  color: #1c2733; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
p { color: #51606e; max-width: 46rem; } img { max-width: 100%; }
div { overflow-x: auto; } pre { background: #f2f5f7; padding: .7rem; overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #d9e0e6; text-align: right; }
th { border-bottom: 2px solid #8fa1b0; padding: 0; } .l { text-align: left; }
th button { all: unset; cursor: pointer; padding: .35rem .7rem; font-weight: 600; }
th button:focus-visible { outline: 2px solid #205072; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
a { color: #14507a; }
"""
SCRIPT: Final = """
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.parentElement, body = head.closest("table").tBodies[0];
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => row.cells[head.cellIndex];
    const order = (a, b) => ("v" in a.dataset && "v" in b.dataset
      ? a.dataset.v - b.dataset.v : a.textContent.localeCompare(b.textContent));
    const rows = [...body.rows].sort((a, b) => order(key(a), key(b)) * (down ? -1 : 1));
    body.append(...rows);
  });
}
"""


def to_html(report: Report, picture: bytes | None, games: Games | None = None) -> str:
    """Return the report as one page that loads no other file.

    Args:
        report: from :func:`~sprawl_env.arena.report.summarise`.
        picture: PNG, or None.
        games: pages of games to link to.
    """
    e = html.escape
    called = labels([line["bot"] for line in report["bots"]])
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{e(title(report))}</title>',
        '<meta name="viewport" content="width=device-width">',
        f"<style>{STYLE}</style></head><body><main>",
        f'<h1>{e(title(report))}</h1><pre tabindex="0">{e(report["command"])}</pre>',
    ]
    if picture is not None:
        parts.append(
            f'<img alt="share of victories for each pair of bots, and ratings with 95% intervals" '
            f'src="data:image/png;base64,{base64.b64encode(picture).decode()}">'
        )
    parts += [_table(table, called, games or {}) for table in tables(report)]
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    parts.append(f"<p>{e(versions)}; commit {e(str(report['commit']))}</p></main>")
    parts.append(f"<script>{SCRIPT}</script></body></html>")
    return "\n".join(parts) + "\n"


def _table(table: Table, called: Mapping[str, str], games: Games) -> str:
    """Return a table with its heading; columns can be sorted."""
    e = html.escape
    watched = [_page_of(row, called, games) for row in table.rows]
    heads = "".join(
        f"<th{_side(k, table)}><button>{e(cell)}</button></th>"
        for k, cell in enumerate(table.columns)
    )
    heads += "<th><button>a game</button></th>" if any(watched) else ""
    lines = []
    for row, page in zip(table.rows, watched, strict=True):
        cells = "".join(
            f"<td{_side(k, table)}{_value(cell)}>{_named(cell, called)}</td>"
            for k, cell in enumerate(row)
        )
        if any(watched):
            cells += f'<td><a href="{e(page)}">watch</a></td>' if page else "<td>–</td>"
        lines.append(f"<tr>{cells}</tr>")
    body = "\n".join(lines)
    return (
        f"<h2>{e(table.title)}</h2><p>{e(table.note)}</p>"
        f'<div tabindex="0" role="region" aria-label="{e(table.title)}"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody></table></div>"
    )


def _side(k: int, table: Table) -> str:
    return " class=l" if k < table.left else ""


def _value(cell: str) -> str:
    """Return the attribute by which a cell with a number is sorted."""
    found = _NUMBER.match(cell)
    if found is None:
        return ""
    unit = _MILLISECONDS if cell.endswith(" ms") else 1.0
    return f' data-v="{round(float(found[0].replace(",", "")) * unit, 6):g}"'


def _named(cell: str, called: Mapping[str, str]) -> str:
    """Return a cell as HTML, bots by their labels."""
    names = cell.split(VERSUS)
    if not all(name in called for name in names):
        return html.escape(cell)
    text = html.escape(VERSUS.join(called[name] for name in names))
    return f'<span title="{html.escape(cell)}">{text}</span>'


def _page_of(row: Sequence[str], called: Mapping[str, str], games: Games) -> str:
    """Return the page of a game of a row's line-up, or of its two bots; "" if there is none."""
    whole = tuple(sorted(row[0].split(VERSUS)))
    if VERSUS in row[0]:
        return games.get(whole, "")
    pair = {row[0], row[1]}
    if not pair <= called.keys():
        return ""
    both = (page for line_up, page in games.items() if pair <= set(line_up))
    return next(both, "")


# ------------------------------------------------------------------------------------- the files


def replay_pages(folder: Path, results: Sequence[Row], game: Game) -> dict[tuple[str, ...], str]:
    """Write the page of one game of each line-up; return their addresses in the folder by line-up.

    The game is the first one without a forfeit.  Pages that exist are kept.
    """
    found: dict[tuple[str, ...], str] = {}
    for row in results:
        line_up = tuple(sorted(row["bots"]))
        if line_up in found or row["forfeit"] or len(found) == MOST_PAGES:
            continue
        replay = folder / "replays" / replay_name(row)
        page = replay.with_suffix(".html")
        if replay.exists() and not page.exists():
            write_atomically(page, replay_page(load_file(replay), data=game.data_folder))
        if page.exists():
            found[line_up] = f"replays/{page.name}"
    return found


def write_report(folder: Path, found: Report, games: Mapping[tuple[str, ...], str]) -> None:
    """Write ``report.json``, ``.md``, ``.png`` and ``.html``, each whole or not at all.

    Without matplotlib there is no ``report.png``, and the pages have no picture.
    """
    picture = None if missing(["matplotlib"]) else draw(found)
    write_atomically(folder / "report.json", json.dumps(found, indent=1, default=str) + "\n")
    text = to_markdown(found, picture=picture is not None)
    write_atomically(folder / "report.md", text)
    if picture is not None:
        write_atomically(folder / "report.png", picture)
    write_atomically(folder / "report.html", to_html(found, picture, games))
