"""Macros of the documentation site: tables that come from the code, sections of the READMEs.

A page calls a macro as ``{{ actions("tower_up") }}``.  The build fails if a macro raises, so the
site cannot contradict the code.  No macro calls a kernel.
"""

from __future__ import annotations

import importlib
import json
import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import sprawl_env
from experiments import tables
from sprawl_env.adapters.registration import camel_case
from sprawl_env.arena.evaluation import share_text
from sprawl_env.core import rewards
from sprawl_env.core.game import Game
from sprawl_env.core.registry import game_names, rules_of
from sprawl_env.core.rules import GameRules
from sprawl_env.core.words import counted

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "sprawl_env"
REPOSITORY: Final = "https://github.com/sprawl-env/sprawl-env/blob/main/"
OPEN_SEATS: Final = 2  # the number of seats whose tab is open at first
ON_THE_ENVIRONMENTS_PAGE: Final = ("", "Choosing together", "Actions", "Observation")
PAGES: Final = {  # of the site, for files at the root of the repository
    "CHANGELOG.md": "changelog.md",
    "CITATION.cff": "citing.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
    "agents/README.md": "ladder/index.md",
}
CLIENTS: Final = {  # folders of tests/clients, and the headings of their sections
    "pettingzoo": "PettingZoo and SuperSuit",
    "sb3_contrib": "sb3-contrib",
    "open_spiel": "OpenSpiel",
    "torchrl": "TorchRL",
    "rllib": "RLlib",
    "tianshou": "Tianshou",
    "jax": "JAX",
    "ray": "Ray",
}


class PageError(Exception):
    """A page and the code contradict each other."""


# -------------------------------------------------------------------------------------- text


def table(*rows: tuple[str, ...]) -> str:
    """Return a Markdown table; the first row is the heading."""
    rule = ("---",) * len(rows[0])
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:]))


def tabs(pages: dict[str, str], chosen: str) -> str:
    """Return texts as tabs; ``chosen`` is the title of the open one."""
    parts = []
    for title, text in pages.items():
        indented = "\n".join(f"    {line}".rstrip() for line in text.splitlines())
        parts.append(f'==={"+" if title == chosen else ""} "{title}"\n\n{indented}')
    return "\n\n".join(parts)


def sections(text: str) -> dict[str, str]:
    """Return the bodies of a page's ``##`` sections by heading; ``""`` is the text before them.

    The page's title is left out.
    """
    _, _, body = text.partition("\n")
    first, *rest = re.split(r"^## (.+)\n", body, flags=re.MULTILINE)
    return {
        "": first.strip(),
        **{h.strip(): b.strip() for h, b in zip(rest[::2], rest[1::2], strict=True)},
    }


def readme(name: str) -> dict[str, str]:
    """Return the sections of a game's README."""
    return sections((PACKAGE / "games" / name / "README.md").read_text(encoding="utf-8"))


def around(text: str, own_table: str, where: str) -> tuple[str, str]:
    """Return the parts of a README's section before and after the code's own table.

    The sentence that says for how many seats the README shows the table is left out.

    Raises:
        PageError: the section does not contain the table.
    """
    if own_table not in text:
        raise PageError(f"{where} does not hold the code's own table:\n{own_table}")
    before, _, after = text.partition(own_table)
    before = re.sub(r"The table is for 2 seats[^.]*\.\s", "", before)
    return re.sub(r"With 2 seats \([^)]*\):\s*$", "", before).strip(), after.strip()


def site_address(path: str, up: str = "") -> str:
    """Return the site's address of a file of the repository, or else the repository's.

    Args:
        path: a link in a file at the root of the repository.
        up: the way from the page to the root of the site, e.g. ``"../"``.
    """
    file, hash_, anchor = path.partition("#")
    if "://" in path or not file:
        return path
    game = re.fullmatch(r"sprawl_env/games/(\w+)/README\.md", file)
    if game:
        return f"{up}environments/{game[1]}.md"
    if file in PAGES:
        return f"{up}{PAGES[file]}{hash_}{anchor}"
    if file.startswith("docs/"):
        return up + path.removeprefix("docs/")
    return REPOSITORY + path


def included(path: str, up: str = "", title: bool = True) -> str:
    """Return a Markdown file of the repository with its links changed to the site's.

    Args:
        path: the file, from the root of the repository.
        up: the way from the page to the root of the site, e.g. ``"../"``.
        title: False leaves out the file's first line.
    """
    text = (ROOT / path).read_text(encoding="utf-8")

    def link(found: re.Match[str]) -> str:
        target = found[1]
        if "://" not in target and not target.startswith("#"):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return f"]({site_address(target, up)})"

    return re.sub(r"\]\(([^)\s]+)\)", link, text if title else text.partition("\n")[2])


def source(path: str, language: str) -> str:
    """Return a file of the repository as a block of code."""
    return f"```{language}\n{(ROOT / path).read_text(encoding='utf-8').rstrip()}\n```"


# ------------------------------------------------------------------------------ small facts


def numbers_of_seats(rules: GameRules) -> range:
    """Return the numbers of seats that a game allows."""
    seats = rules.options["num_players"]
    return range(seats.low, seats.high + 1)


def games_of(name: str) -> dict[int, Game]:
    """Return the game with every number of seats, by that number."""
    seats = numbers_of_seats(rules_of(name))
    return {n: sprawl_env.game(name, num_players=n) for n in seats}


def newest_module(name: str) -> ModuleType:
    """Return a game's PettingZoo module of the highest version."""
    stems = [path.stem for path in PACKAGE.glob(f"{name}_v*.py")]
    newest = max(stems, key=lambda stem: int(stem.rpartition("_v")[2]))
    return importlib.import_module(f"sprawl_env.{newest}")


def names_of(name: str) -> tuple[str, str]:
    """Return a game's newest module and version, e.g. ``("tower_up_v0", "v0")``."""
    stem = newest_module(name).__name__.rpartition(".")[2]
    return stem, stem.rpartition("_")[2]


def has_parallel(name: str) -> bool:
    """Return whether a game has a Parallel environment."""
    return hasattr(newest_module(name), "parallel_env")


def in_words(seats: int) -> str:
    """Return a number of seats in words."""
    return counted(seats, "seat")


def titles() -> dict[str, str]:
    """Return the titles of this package's games by name."""
    found = {name: rules_of(name) for name in game_names()}
    return {n: rules.title for n, rules in found.items() if rules.module.startswith("sprawl_env.")}


# ---------------------------------------------------------------------- an environment's page


def lead(name: str) -> str:
    """Return the first paragraph of a game's README."""
    return readme(name)[""].split("\n\n", 1)[0]


def remarks(name: str) -> str:
    """Return the other paragraphs before the README's sections, and "Choosing together"."""
    text = readme(name)
    _, *rest = re.sub(r"^```.*?^```$", "", text[""], flags=re.M | re.S).split("\n\n")
    plain = [part for part in rest if not part.strip().startswith("|")]
    parts = [*plain, text.get("Choosing together", "")]
    return "\n\n".join(part.strip() for part in parts if part.strip())


def options(name: str) -> str:
    """Return the README's table of options; the tests compare it with the code."""
    rows = [line for line in readme(name)[""].splitlines() if line.startswith("|")]
    return "\n".join(rows)


def facts(name: str) -> str:
    """Return the short table at the top of an environment's page."""
    games = games_of(name)
    some = games[OPEN_SEATS]
    stem, version = names_of(name)
    agents = ", ".join(f"'player_{seat}'" for seat in range(OPEN_SEATS))
    shape = f"`({some.observation_size},)`"
    return table(
        ("", ""),
        ("Import", f"`from sprawl_env import {stem}`"),
        ("Actions", "Discrete"),
        ("Parallel API", f"Yes: `{stem}.parallel_env()`" if has_parallel(name) else "No"),
        ("Manual control", f"[`sprawl-env play --game {name}`](../guides/play.md)"),
        ("Agents", f"`agents = [{agents}]`"),
        ("Number of agents", f"{min(games)}–{max(games)}, by default {some.num_seats}"),
        ("Action space", f"`Discrete({some.num_actions})`"),
        ("Observation shape", f"{shape} with 2 agents ([others](#seats-and-agents))"),
        ("Observation values", "float32, −1 to 1"),
        ("PettingZoo id", f"`sprawl_env/{name}-{version}`"),
        ("Gymnasium id", f"`sprawl_env/{camel_case(name)}-{version}`"),
    )


def seats_table(name: str) -> str:
    """Return agents and spaces for every number of seats."""
    return table(
        ("`num_players`", "agents", "observation shape", "action space"),
        *(
            (
                str(seats),
                "`player_0`" if seats == 1 else f"`player_0` … `player_{seats - 1}`",
                f"`({game.observation_size},)`",
                f"`Discrete({game.num_actions})`",
            )
            for seats, game in games_of(name).items()
        ),
    )


def actions(name: str) -> str:
    """Return the README's section on actions; its table must be the code's.

    Raises:
        PageError: the README and the code differ.
    """
    own = rules_of(name).actions.markdown()
    before, after = around(readme(name)["Actions"], own, f"{name}: README, Actions")
    return "\n\n".join(part for part in (before, own, after) if part)


def observation(name: str) -> str:
    """Return the README's section on observations, its table as tabs for every number of seats.

    Raises:
        PageError: the README and the code differ.
    """
    layouts = {in_words(n): g.observation_layout.markdown() for n, g in games_of(name).items()}
    where = f"{name}: README, Observation"
    before, after = around(readme(name)["Observation"], layouts[in_words(OPEN_SEATS)], where)
    choose = "Choose the number of seats:"
    return "\n\n".join([before, choose, tabs(layouts, in_words(OPEN_SEATS)), after])


def state_fields(name: str) -> str:
    """Return the fields of a game's record."""
    return Game(rules_of(name)).fields.markdown()


def rewards_table() -> str:
    """Return the rewards, from the docstring of their module.

    Raises:
        PageError: the docstring does not explain all of them, in their order.
    """
    meant = dict(re.findall(r"^``(\w+)`` {2,}(.+)$", rewards.__doc__ or "", re.MULTILINE))
    if tuple(meant) != rewards.REWARDS:
        raise PageError(f"the rewards' docstring explains {list(meant)}, expected all of them")
    return table(("`reward`", "what an agent earns"), *((f"`{k}`", v) for k, v in meant.items()))


def version_history(name: str) -> str:
    """Return the changelog's entries that name a game, release by release."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    title = rules_of(name).title
    parts = [f"This is `{names_of(name)[1]}`."]
    for release, text in sections(changelog).items():
        entries = re.findall(r"^- .+(?:\n  .+)*", text, re.MULTILINE)
        own = [entry for entry in entries if title in entry]
        if own:
            parts.append(f"**{release}**\n\n" + "\n".join(own))
    return "\n\n".join(parts)


# ------------------------------------------------------------------------------ other pages


def rulings(name: str) -> str:
    """Return the sections of a game's README that its environment's page does not show.

    Every ruling gets an anchor, e.g. ``#t7``.
    """
    parts = []
    for heading, text in readme(name).items():
        if heading in ON_THE_ENVIRONMENTS_PAGE:
            continue
        body = text
        if heading == "Rulings":
            body = re.sub(r"\*\*([A-Z]\d+)\*\*", lambda m: f"{m[0]}{{ #{m[1].lower()} }}", text)
        parts.append(f"## {heading}\n\n{body}")
    return "\n\n".join(parts)


def environments_table() -> str:
    """Return what distinguishes the environments."""
    rows = []
    for name, title in titles().items():
        rules, games = rules_of(name), games_of(name)
        sizes = ", ".join(f"{game.observation_size:,}" for game in games.values())
        rows.append(
            (
                f"[{title}]({name}.md)",
                f"{min(games)}–{max(games)}",
                "AEC, Parallel" if has_parallel(name) else "AEC",
                f"{rules.actions.size}",
                sizes,
                f"{rules.state.itemsize:,}",
            )
        )
    heads = ("game", "agents", "PettingZoo", "actions", "observation, by seats", "bytes a state")
    return table(heads, *rows)


def clients_table() -> str:
    """Return which other libraries were run, in which versions, and how fast, by their tests.

    Raises:
        PageError: a client has no figures: ``make test-clients`` writes them.
    """
    rows = []
    for name, title in CLIENTS.items():
        path = ROOT / "tests" / "clients" / name / "measured.json"
        if not path.exists():
            raise PageError(f"{path.relative_to(ROOT)} is missing: run make test-clients")
        found = json.loads(path.read_text(encoding="utf-8"))
        versions = ", ".join(f"{one} {number}" for one, number in found["versions"].items())
        anchor = re.sub(r"[^a-z0-9]+", "-", title.lower())
        for rates in found["rates"]:
            figures = [f"{what}: **{n:,}**" for what, n in rates["per_second"].items()]
            cell = "<br>".join([f"{rates['unit']}, a second:", *figures])
            rows.append((f"[{title}](#{anchor})", versions, str(found["passed"]), cell))
    return table(("client", "versions", "tests", "throughput, in turns in one run"), *rows)


def protocol_table(name: str) -> str:
    """Return the results that are kept of a protocol, a row for each agent.

    Args:
        name: of the protocol.
    """
    rows = [("game, seats", "bot", "against", "games", "wins", "ms a decision", "sha256")]
    for path in sorted((ROOT / "docs" / "ladder" / name).glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        title = rules_of(found["protocol"]["game"]).title
        about = (f"{title}, {found['protocol']['num_players']}", f"`{found['bot']}`")
        ends = (f"{found['milliseconds']:.2g}", f"`{found['sha256'][:16]}`")
        for line in found["lines"]:
            wins = share_text(line["wins"], line["low"], line["high"])
            row = (*about, f"`{line['against']}`", f"{line['games']:,}", wins, *ends)
            rows.append(row)
            about, ends = ("", ""), ("", "")
    return table(*rows)


def ladder_table(game: str) -> str:
    """Return the ratings and the results of the ladder that is kept of a game."""
    path = ROOT / "docs" / "ladder" / game / "ladder" / "ladder.json"
    return tables.ladder_table(json.loads(path.read_text(encoding="utf-8")))


def exploit_table(game: str) -> str:
    """Return what exploiters win of a game's bots."""
    paths = sorted((ROOT / "docs" / "ladder" / game / "exploit").glob("*/exploit.json"))
    return tables.exploit_table([json.loads(path.read_text(encoding="utf-8")) for path in paths])


MACROS: Final[dict[str, Callable[..., str]]] = {
    macro.__name__: macro
    for macro in (
        actions, clients_table, environments_table, exploit_table, facts, included, ladder_table,
        lead, observation, options, protocol_table, remarks, rewards_table, rulings, seats_table,
        source, state_fields, version_history,
    )
}  # fmt: skip


def define_env(env: Any) -> None:
    """Register the macros; the plugin calls this."""
    for name, macro in MACROS.items():
        env.macro(macro, name)
