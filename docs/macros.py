"""Macros of the documentation site: tables that come from the code, sections of the READMEs.

A page calls a macro as ``{{ actions("tower_up") }}``.  The build fails if a macro raises, so the
site cannot contradict the code.  No macro calls a kernel.
"""

from __future__ import annotations

import importlib
import posixpath
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import sprawl_env
from sprawl_env.adapters.registration import camel_case
from sprawl_env.core import rewards
from sprawl_env.core.game import Game
from sprawl_env.core.registry import game_names, rules_of
from sprawl_env.core.rules import GameRules, Option
from sprawl_env.render.modes import RENDER_MODES

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "sprawl_env"
REPOSITORY: Final = "https://github.com/sprawl-env/sprawl-env/blob/main/"
OPEN_SEATS: Final = 2  # the number of seats whose tab is open at first
ON_THE_ENVIRONMENTS_PAGE: Final = ("", "Choosing together", "Actions", "Observation")
MOMENTS: Final = ("start", "middle", "end")  # of a game, as the pictures show it
PAGES: Final = {  # of the site, for files at the root of the repository
    "CHANGELOG.md": "changelog.md",
    "CITATION.cff": "citing.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
    "agents/README.md": "ladder/index.md",
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
    return "1 seat" if seats == 1 else f"{seats} seats"


def titles() -> dict[str, str]:
    """Return the titles of this package's games by name."""
    found = {name: rules_of(name) for name in game_names()}
    return {n: rules.title for n, rules in found.items() if rules.module.startswith("sprawl_env.")}


# ---------------------------------------------------------------------------------- options


def default_of(option: Option) -> str:
    """Return an option's default as it is written in a call."""
    return f'`"{option.default}"`' if option.words else f"`{option.default}`"


def span(rules: GameRules, name: str, seats: int) -> str:
    """Return the numbers that the game accepts for an option with some seats, e.g. ``3–7``."""
    data = rules.load_data(None)
    usual = {key: o.parse(rules.name, key, o.default) for key, o in rules.options.items()}

    def fits(value: int) -> bool:
        try:
            rules.check_options(data, {**usual, "num_players": seats, name: value})
        except sprawl_env.SprawlError:
            return False
        return True

    option = rules.options[name]
    found = [value for value in range(option.low, option.high + 1) if fits(value)]
    return f"{found[0]}–{found[-1]}"


def allowed(rules: GameRules, name: str) -> str:
    """Return the values that an option may have, with every number of seats."""
    option = rules.options[name]
    if option.flag:
        return "`True`, `False`"
    if option.words:
        return ", ".join(f'`"{word}"`' for word in option.words)
    if name == "num_players":
        return f"{option.low}–{option.high}"
    spans = {seats: span(rules, name, seats) for seats in numbers_of_seats(rules)}
    usual = Counter(spans.values()).most_common(1)[0][0]
    others = (f"with {seats} seats {found}" for seats, found in spans.items() if found != usual)
    return ", ".join([usual, *others])


def options_table(name: str) -> str:
    """Return a game's options."""
    rules = rules_of(name)
    return table(
        ("option", "default", "allowed", "meaning"),
        *(
            (f"`{key}`", default_of(option), allowed(rules, key), option.meaning)
            for key, option in rules.options.items()
        ),
    )


def adapter_options() -> str:
    """Return the options that all environments have."""
    modes = ", ".join(f'`"{mode}"`' for mode in RENDER_MODES)
    kinds = ", ".join(f'`"{kind}"`' for kind in rewards.REWARDS)
    return table(
        ("option", "default", "allowed", "meaning"),
        ("`reward`", f'`"{rewards.REWARDS[0]}"`', kinds, "see [rewards](#rewards)"),
        ("`render_mode`", "`None`", f"`None`, {modes}", "what `render()` returns or shows"),
        ("`skip_forced`", "`False`", "`True`, `False`", "play on while only one action is legal "
         "(not in Parallel and Gymnasium)"),
        ("`data`", "`None`", "a folder", "TOML files of your own ([guide](../guides/cards.md))"),
    )  # fmt: skip


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
        ("Manual control", f"[`sprawl-env play --game {name}`](../guides/replays.md#play)"),
        ("Agents", f"`agents = [{agents}]`"),
        ("Number of agents", f"{min(games)}–{max(games)}, by default {some.num_seats}"),
        ("Action space", f"`Discrete({some.num_actions})`"),
        ("Observation shape", f"{shape} with 2 agents ([others](#seats-and-agents))"),
        ("Observation values", "float32, −1 to 1"),
        ("PettingZoo id", f"`sprawl_env/{name}-{version}`"),
        ("Gymnasium id", f"`sprawl_env/{camel_case(name)}-{version}`"),
    )


def usage(name: str) -> str:
    """Return one line of code for every interface of a game."""
    stem, version = names_of(name)
    lines = [
        "import gymnasium",
        "import sprawl_env",
        f"from sprawl_env import {stem}",
        "",
        f"env = {stem}.env(num_players=2)  # PettingZoo, agent by agent (AEC)",
        f'env = gymnasium.make("sprawl_env/{camel_case(name)}-{version}")  # one learner',
        f'vec = sprawl_env.make_vec("{name}", num_envs=1024)  # many games at once',
        f'game = sprawl_env.game("{name}")  # rules, tables and pictures',
    ]
    if has_parallel(name):
        lines.insert(5, f"env = {stem}.parallel_env(num_players=2)  # all who choose, at once")
    return "```python\n" + "\n".join(lines) + "\n```"


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
    """Return the actions' table and the README's remarks on it."""
    game = sprawl_env.game(name, num_players=OPEN_SEATS)
    own = game.actions.markdown()
    before, after = around(readme(name)["Actions"], own, f"{name}: README, Actions")
    parts = [
        f"`Discrete({game.num_actions})`, with the same ids for every number of seats and all "
        "options. In the meanings `i` counts from the first id of the block. "
        "`game.action_name(games, g, action)` says what an id means in a position.",
        before,
        own,
        after,
    ]
    return "\n\n".join(part for part in parts if part)


def observation(name: str) -> str:
    """Return the observation's tables for every number of seats, and the README's remarks."""
    games = games_of(name)
    layouts = {in_words(n): game.observation_layout.markdown() for n, game in games.items()}
    where = f"{name}: README, Observation"
    before, after = around(readme(name)["Observation"], layouts[in_words(OPEN_SEATS)], where)
    mask = games[OPEN_SEATS].num_actions
    return "\n\n".join(
        [
            f'`{{"observation": float32 [size], "action_mask": int8 [{mask}]}}`. The mask is 1 '
            "where an action is legal, and all 0 for an agent that waits. It is also in "
            '`infos[agent]["action_mask"]`.',
            before,
            "Seat 0 from the observer is the observer, 1 is the next seat, and so on. The table "
            "depends on the number of seats:",
            tabs(layouts, in_words(OPEN_SEATS)),
            "The same table in Python, for any options, and one block of an observation by name:",
            "```python\n"
            "import sprawl_env\n\n"
            f'game = sprawl_env.game("{name}", num_players={max(games)})\n'
            "print(game.observation_layout.markdown())\n"
            "observation = game.observe(game.deal(seed=1), 0, seat=0)\n"
            'block = game.observation_layout.view(observation, "to_play")\n'
            "```",
            after,
        ]
    )


def rewards_table() -> str:
    """Return the rewards, from the docstring of their module.

    Raises:
        PageError: the docstring does not explain all of them, in their order.
    """
    meant = dict(re.findall(r"^``(\w+)``\s+(.+)$", rewards.__doc__ or "", re.MULTILINE))
    if tuple(meant) != rewards.REWARDS:
        raise PageError(f"the rewards' docstring explains {list(meant)}, expected all of them")
    return table(("`reward`", "what an agent earns"), *((f"`{k}`", v) for k, v in meant.items()))


def limit(name: str) -> str:
    """Return the name of the option that bounds a game's length."""
    (found,) = (key for key in rules_of(name).options if key.startswith("max_"))
    return f"`{found}`"


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


def pictures_table() -> str:
    """Return the pictures of all games, each linked to itself."""
    rows = []
    for name, title in titles().items():
        files = {moment: f"../pictures/{name}-{moment}.png" for moment in MOMENTS}
        rows.append((title, *(f"[![{title}: {m}]({file})]({file})" for m, file in files.items())))
    return table(("", *MOMENTS), *rows)


MACROS: Final[dict[str, Callable[..., str]]] = {
    macro.__name__: macro
    for macro in (
        actions, adapter_options, environments_table, facts, included, lead, limit, observation,
        options_table, pictures_table, remarks, rewards_table, rulings, seats_table,
        source, usage, version_history,
    )
}  # fmt: skip


def define_env(env: Any) -> None:
    """Register the macros; the plugin calls this."""
    for name, macro in MACROS.items():
        env.macro(macro, name)
