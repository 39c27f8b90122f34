"""What MkDocs makes out of the code, the READMEs and the changelog, so that the site cannot drift.

A page of each environment and one of its rules, a page that compares the environments, the
changelog, what the front page takes from the README, and the published tournaments' place in the
navigation.  Nothing here calls a kernel.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import sprawl_env
from sprawl_env.adapters.registration import camel_case
from sprawl_env.core import rewards
from sprawl_env.core.game import Game
from sprawl_env.core.registry import game_names, rules_of
from sprawl_env.core.rules import GameRules, Option
from sprawl_env.render.modes import RENDER_MODES

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "sprawl_env"
OPEN_SEATS: Final = 2  # whose tables are open at first
ON_THE_ENVIRONMENTS_PAGE: Final = ("", "Choosing together", "Actions", "Observation")
MOMENTS: Final = ("start", "middle", "end")  # of a game, as the pictures show it
README_MARK: Final = "<!-- README -->"  # the front page's place for the README's first screen
LADDER: Final = "Ladder"

# How a game ends by its rules, in our words.
ENDS: Final = {
    "ginkgopolis": "When the supply of tiles runs out for the second time, or all resources of a "
    "side are on the city, the round is completed and the game is over. Alone it is over with the "
    "first run-out, or when Hal cannot pay for a building.",
    "tower_up": "When a seat has placed its last roof, each of the others has one turn more. When "
    "floors run short or no site can take a building, every seat has one turn more.",
    "urban_sprawl": "The special event of the Metropolis deck ends the game at once.",
}


# ------------------------------------------------------------------------------------ small things


def table(*rows: tuple[str, ...]) -> str:
    """Return a table, its heads first."""
    rule = ("---",) * len(rows[0])
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:]))


def sections(text: str) -> dict[str, str]:
    """Return the bodies of a page's ``##`` sections by heading; ``""`` is what stands before them.

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
    """Return what a section of a README says before and after the code's own table.

    The sentence that tells for how many seats the README shows the table is left out.

    Raises:
        PluginError: the section does not hold that table.
    """
    if own_table not in text:
        raise PluginError(f"{where} does not hold the code's own table:\n{own_table}")
    before, _, after = text.partition(own_table)
    return re.sub(r"With 2 seats \([^)]*\):\s*$", "", before).strip(), after.strip()


def numbers_of_seats(rules: GameRules) -> range:
    """Return how many may play."""
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


def in_words(seats: int) -> str:
    """Return a number of seats in words."""
    return "1 seat" if seats == 1 else f"{seats} seats"


# --------------------------------------------------------------------------------------- options


def default_of(option: Option) -> str:
    """Return an option's default as it is written in a call."""
    return f'`"{option.default}"`' if option.words else f"`{option.default}`"


def span(rules: GameRules, name: str, seats: int) -> str:
    """Return the numbers that the game takes for an option with some seats, e.g. ``3–7``."""
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
    """Return what an option may be; numbers as the game checks them for every number of seats."""
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


def options_table(rules: GameRules) -> str:
    """Return a game's options."""
    return table(
        ("option", "default", "allowed", "meaning"),
        *(
            (f"`{name}`", default_of(option), allowed(rules, name), option.meaning)
            for name, option in rules.options.items()
        ),
    )


def adapter_options() -> str:
    """Return the options that all environments have."""
    modes = ", ".join(f'`"{mode}"`' for mode in RENDER_MODES)
    kinds = ", ".join(f'`"{kind}"`' for kind in rewards.REWARDS)
    return table(
        ("option", "default", "allowed", "meaning"),
        ("`reward`", f'`"{rewards.REWARDS[0]}"`', kinds, "see [rewards](#rewards)"),
        ("`render_mode`", "`None`", f"`None`, {modes}", "what `render()` gives"),
        ("`skip_forced`", "`False`", "`True`, `False`", "play on while a single action is legal "
         "(not in Parallel and Gymnasium)"),
        ("`data`", "`None`", "a folder", "TOML files of your own ([guide](../guides/cards.md))"),
    )  # fmt: skip


# --------------------------------------------------------------------------- an environment's page


def facts(name: str, module: ModuleType, games: dict[int, Game]) -> str:
    """Return the short table at the top of an environment's page."""
    some = games[OPEN_SEATS]
    stem = module.__name__.rpartition(".")[2]
    version = stem.rpartition("_")[2]
    parallel = f"Yes: `{stem}.parallel_env()`" if hasattr(module, "parallel_env") else "No"
    agents = ", ".join(f"'player_{seat}'" for seat in range(OPEN_SEATS))
    shape = f"`({some.observation_size},)`"
    return table(
        ("", ""),
        ("Import", f"`from sprawl_env import {stem}`"),
        ("Actions", "Discrete"),
        ("Parallel API", parallel),
        ("Manual control", f"[`python -m experiments.play --game {name}`](../guides/replays.md)"),
        ("Agents", f"`agents = [{agents}]`"),
        ("Number of agents", f"{min(games)}–{max(games)}, by default {some.num_seats}"),
        ("Action space", f"`Discrete({some.num_actions})`"),
        ("Observation shape", f"{shape} with 2 agents ([others](#seats-and-agents))"),
        ("Observation values", "float32, −1 to 1"),
        ("PettingZoo id", f"`sprawl_env/{name}-{version}`"),
        ("Gymnasium id", f"`sprawl_env/{camel_case(name)}-{version}`"),
    )


def usage(name: str, module: ModuleType) -> str:
    """Return the first lines of code."""
    stem = module.__name__.rpartition(".")[2]
    version = stem.rpartition("_")[2]
    lines = [
        "import gymnasium",
        "import sprawl_env",
        f"from sprawl_env import {stem}",
        "",
        f"env = {stem}.env(num_players=2)  # agent by agent (AEC)",
        *(
            [f"env = {stem}.parallel_env(num_players=2)  # all who owe an answer at once"]
            if hasattr(module, "parallel_env")
            else []
        ),
        f'env = gymnasium.make("sprawl_env/{camel_case(name)}-{version}")  # one learner',
        f'vec = sprawl_env.make_vec("{name}", num_envs=1024)  # many games at once',
        f'game = sprawl_env.game("{name}")  # rules, tables and pictures',
    ]
    return "```python\n" + "\n".join(lines) + "\n```"


def seats_table(games: dict[int, Game]) -> str:
    """Return what depends on the number of seats."""
    return table(
        ("`num_players`", "agents", "observation shape", "action space"),
        *(
            (
                str(seats),
                "`player_0`" if seats == 1 else f"`player_0` … `player_{seats - 1}`",
                f"`({game.observation_size},)`",
                f"`Discrete({game.num_actions})`",
            )
            for seats, game in games.items()
        ),
    )


def tabs(pages: dict[str, str], chosen: str) -> str:
    """Return pages as tabs, one of them open."""
    parts = []
    for title, text in pages.items():
        indented = "\n".join(f"    {line}".rstrip() for line in text.splitlines())
        parts.append(f'==={"+" if title == chosen else ""} "{title}"\n\n{indented}')
    return "\n\n".join(parts)


def observation_part(name: str, games: dict[int, Game], text: str) -> str:
    """Return the observation's tables for every number of seats, and what the README adds."""
    layouts = {in_words(n): game.observation_layout.markdown() for n, game in games.items()}
    where = f"{name}: README, Observation"
    before, after = around(text, layouts[in_words(OPEN_SEATS)], where)
    mask = games[OPEN_SEATS].num_actions
    return "\n\n".join(
        [
            f'`{{"observation": float32 [size], "action_mask": int8 [{mask}]}}`: the mask is 1 '
            "where an action is legal and all 0 for an agent that waits; it is also in "
            '`infos[agent]["action_mask"]`.',
            before,
            "Seat 0 from the observer is itself, 1 the next one, and so on. The table depends on "
            "the number of seats:",
            tabs(layouts, in_words(OPEN_SEATS)),
            "The same in Python, for any options, and one block of an observation by its name:",
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


def actions_part(name: str, game: Game, text: str) -> str:
    """Return the actions' table, and what the README adds."""
    own = game.actions.markdown()
    before, after = around(text, own, f"{name}: README, Actions")
    parts = [
        f"`Discrete({game.num_actions})`, the same ids for every number of seats and all "
        "options. In the meanings `i` counts from the first id of the block; "
        "`game.action_name(games, g, action)` says what an id means in a position.",
        before,
        own,
        after,
    ]
    return "\n\n".join(part for part in parts if part)


def rewards_part() -> str:
    """Return the rewards' table, from the docstring of their module."""
    meant = dict(re.findall(r"^``(\w+)``\s+(.+)$", rewards.__doc__ or "", re.MULTILINE))
    if tuple(meant) != rewards.REWARDS:
        raise PluginError(f"the rewards' docstring explains {list(meant)}, expected all of them")
    return "\n\n".join(
        [
            table(("`reward`", "what an agent earns"), *((f"`{k}`", v) for k, v in meant.items())),
            "n counts the sides: the agents, and with one agent the automaton it plays against. "
            "`winner`, `rank` and `margin` come with the last step, to all agents at once; `score` "
            "and `lead` with every step. All but `score` sum to zero over the sides.",
        ]
    )


def end_part(rules: GameRules) -> str:
    """Return when an episode ends."""
    (limit,) = (name for name in rules.options if name.startswith("max_"))
    return (
        f"{ENDS[rules.name]} All agents are then terminated together. A game that goes on until "
        f"`{limit}` is stopped, scored like an end and reported as truncated; there is nothing to "
        "bootstrap from."
    )


def history(rules: GameRules, module: ModuleType) -> str:
    """Return the changelog's lines that name a game, release by release."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version = module.__name__.rpartition("_")[2]
    parts = [
        f"This is `{version}`. The number goes up when rules, action ids, observations or rewards "
        "change. From the [changelog](../changelog.md):"
    ]
    for release, text in sections(changelog).items():
        points = re.findall(r"^- .+(?:\n  .+)*", text, re.MULTILINE)
        own = [point for point in points if rules.title in point]
        if own:
            parts.append(f"**{release}**\n\n" + "\n".join(own))
    return "\n\n".join(parts)


def environment_page(name: str) -> str:
    """Return the page of one environment."""
    rules, module, games, text = rules_of(name), newest_module(name), games_of(name), readme(name)
    lead, *rest = re.sub(r"^```.*?^```$", "", text[""], flags=re.M | re.S).split("\n\n")
    plain = [part for part in rest if not part.startswith("|")]
    parts = [
        f"# {rules.title}",
        lead,
        f"[![{rules.title} in the middle of a game](../pictures/{name}-middle.png)]"
        f"(../pictures/{name}-middle.png)",
        facts(name, module, games),
        usage(name, module),
        f"[Rules, rulings and where the data comes from](../rules/{name}.md)",
        "## Seats and agents",
        "Agents are named by seat. Which of them acts next is up to the rules.",
        seats_table(games),
        *plain,
        text.get("Choosing together", ""),
        "## Options",
        options_table(rules),
        "Beside these, every environment takes:",
        adapter_options(),
        "## Actions",
        actions_part(name, games[OPEN_SEATS], text["Actions"]),
        "## Observation",
        observation_part(name, games, text["Observation"]),
        "## Rewards",
        rewards_part(),
        "## Episode end",
        end_part(rules),
        "## Version history",
        history(rules, module),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


# --------------------------------------------------------------------------------- the other pages


def pictures_row(name: str, folder: str) -> tuple[str, ...]:
    """Return a game's pictures, linked to themselves."""
    title = rules_of(name).title
    files = {moment: f"{folder}/{name}-{moment}.png" for moment in MOMENTS}
    return tuple(f"[![{title}: {m}]({file})]({file})" for m, file in files.items())


def environments_page() -> str:
    """Return the page that compares the environments."""
    rows = []
    for name in game_names():
        rules, module, games = rules_of(name), newest_module(name), games_of(name)
        sizes = ", ".join(f"{game.observation_size:,}" for game in games.values())
        rows.append(
            (
                f"[{rules.title}]({name}.md)",
                f"{min(games)}–{max(games)}",
                "AEC, Parallel" if hasattr(module, "parallel_env") else "AEC",
                f"{rules.actions.size}",
                sizes,
                f"{rules.state.itemsize:,}",
            )
        )
    heads = ("game", "agents", "PettingZoo", "actions", "observation, by seats", "bytes a state")
    return "\n\n".join(
        [
            "# Environments",
            "All of them also have the Gymnasium, batch and Stable-Baselines3 interfaces.",
            table(heads, *rows),
            "A game of three greedy agents at its start, in its middle and at its end:",
            table(
                ("", *MOMENTS),
                *(
                    (rules_of(name).title, *pictures_row(name, "../pictures"))
                    for name in game_names()
                ),
            ),
        ]
    )


def rules_page(name: str) -> str:
    """Return a game's README without what the environment's page says; rulings can be linked."""
    parts = [f"# {rules_of(name).title}: rules, rulings and data"]
    parts.append(
        "The rules are those of the printed game; where they leave something open, a numbered "
        f"ruling decides. Actions, observation, options: [environment](../environments/{name}.md)."
    )
    for heading, text in readme(name).items():
        if heading in ON_THE_ENVIRONMENTS_PAGE:
            continue
        body = text
        if heading == "Rulings":
            body = re.sub(r"\*\*([A-Z]\d+)\*\*", lambda m: f"{m[0]}{{ #{m[1].lower()} }}", text)
        parts.append(f"## {heading}\n\n{body}")
    return "\n\n".join(parts) + "\n"


def site_address(path: str, repository: str) -> str:
    """Return where the site, or else the repository, has what a file of the checkout says."""
    if "://" in path or path.startswith("#"):
        return path
    game = re.fullmatch(r"sprawl_env/games/(\w+)/README\.md", path)
    if game:
        return f"environments/{game[1]}.md"
    if path == "CHANGELOG.md":
        return "changelog.md"
    return path.removeprefix("docs/") if path.startswith("docs/") else repository + path


def first_screen(repository: str) -> str:
    """Return the README up to the end of its first section, its links made the site's."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    parts = sections(text)
    heading = list(parts)[1]
    title, _, _ = text.partition("\n")
    screen = f"{title}\n\n{parts['']}\n\n## {heading}\n\n{parts[heading]}"
    return re.sub(r"\]\(([^)\s]+)\)", lambda m: f"]({site_address(m[1], repository)})", screen)


# ------------------------------------------------------------------------------ what MkDocs calls


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the published tournaments, if there are any, before the reference."""
    folder = Path(config.docs_dir)
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.glob("ladder/**/*.md"))
    if pages and config.nav is not None:
        config.nav.insert(len(config.nav) - 1, {LADDER: pages})
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that are made here."""
    pages = {
        "environments/index.md": environments_page(),
        "changelog.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        **{f"environments/{name}.md": environment_page(name) for name in game_names()},
        **{f"rules/{name}.md": rules_page(name) for name in game_names()},
    }
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the README's first screen on the front page."""
    if page.file.src_uri != "index.md":
        return markdown
    return markdown.replace(README_MARK, first_screen(config.extra["repository"]))


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn Sphinx's roles in docstrings, e.g. ``:func:`x```, into links where there is a target."""

    def link(found: re.Match[str]) -> str:
        target = found[1].removeprefix("~")
        says = target.rpartition(".")[2] if found[1].startswith("~") else target
        return f'<autoref optional identifier="{target}"><code>{says}</code></autoref>'

    return re.sub(r":\w+:<code>(~?[\w.]+)</code>", link, html)
