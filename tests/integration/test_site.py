"""The documentation site: what is made from the code is whole, and what it tells to do works."""

import importlib
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import tyro

import sprawl_env
from docs import hooks
from sprawl_env import console
from sprawl_env.bots.names import make_bot
from sprawl_env.core.errors import DataError
from sprawl_env.core.registry import rules_of
from tests.suite import GAMES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDES = sorted(DOCS.glob("guides/*.md"))
FENCE = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
SEATS = [(name, n) for name in GAMES for n in hooks.numbers_of_seats(rules_of(name))]
QUICK = {  # flags that make a guide's command short; the last one given counts
    "sprawl_env.learning.training": "--num-envs 16 --num-steps 8 --batch-size 64 --num-epochs 1 --width 8 "
    "--trunk 16 --imitation 0 --max-minutes 0 --processes 1 --total-steps 256 "
    "--checkpoint-every 128 --evaluation-games 4",
    "sprawl_env.arena.evaluation": "--games 4",
    "sprawl_env.arena.tournament": "--games 2 --processes 1",
    "experiments.balance": "--games 2 --seats 2",
}
BUILT_IN = {"random", "greedy", "planner", "mcts", "flat"}


def read(path):
    return path.read_text(encoding="utf-8")


def commands_in(text):
    """The commands of a block, a line each, comments dropped."""
    return [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]


# ------------------------------------------------------------------- pages made from the code


@pytest.mark.parametrize("name", GAMES)
def test_an_environments_page_has_every_action_block(name):
    _, _, section = hooks.environment_page(name).partition("\n## Actions\n")
    section, _, _ = section.partition("\n## ")
    for block in rules_of(name).actions.blocks.values():
        ids = f"{block.start}–{block.start + block.size - 1}"
        assert f"| {ids} | `{block.name}` | {block.meaning} |" in section


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_an_environments_page_has_every_observation_block_for_its_seats(name, seats):
    _, _, section = hooks.environment_page(name).partition("\n## Observation\n")
    tab = re.search(rf'^===\+? "{hooks.in_words(seats)}"\n\n((?:    .*\n)+)', section, re.MULTILINE)
    game = sprawl_env.game(name, num_players=seats)
    told = 0
    for block in game.observation_layout.blocks.values():
        shape = "×".join(map(str, block.shape))
        (row,) = (x for x in tab[1].splitlines() if f"| `{block.name}` | {shape} |" in x)
        assert row.strip().startswith(f"| {block.start}")
        assert row.endswith(f"| {block.meaning} |")
        told += block.size
    assert told == game.observation_size
    assert f"| `({game.observation_size},)` |" in hooks.seats_table(hooks.games_of(name))


@pytest.mark.parametrize("name", GAMES)
def test_an_environments_page_has_what_pettingzoos_pages_have(name):
    page = hooks.environment_page(name)
    game = sprawl_env.game(name)
    for fact in (
        f"`from sprawl_env import {name}_v0`",
        f"`Discrete({game.num_actions})`",
        f"`({game.observation_size},)`",
        f"`sprawl_env/{name}-v0`",
    ):
        assert fact in page
    headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert headings == [
        "Seats and agents", "Options", "Actions", "Observation", "Rewards", "Episode end",
        "Version history",
    ]  # fmt: skip
    assert all(f"| `{option}` |" in page for option in game.options)
    assert "0.1.0" in page.partition("## Version history")[2]
    parallel = hasattr(importlib.import_module(f"sprawl_env.{name}_v0"), "parallel_env")
    assert ("| Parallel API | Yes" in page) == parallel


@pytest.mark.parametrize("name", GAMES)
def test_a_rules_page_has_every_ruling_with_an_address(name):
    rulings = re.findall(r"\*\*([A-Z])(\d+)\*\*", hooks.readme(name)["Rulings"])
    page = hooks.rules_page(name)
    assert [int(number) for _, number in rulings] == list(range(1, len(rulings) + 1))
    for letter, number in rulings:
        assert page.count(f"**{letter}{number}**{{ #{letter.lower()}{number} }}") == 1
    assert "## Where the data comes from" in page


@pytest.mark.parametrize("name", GAMES)
def test_a_games_readme_has_the_options_of_the_code(name):
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| .+ \|$", hooks.readme(name)[""], re.M)
    rules = rules_of(name)
    assert [row[0] for row in rows] == list(rules.options)
    for option, default, allowed in rows:
        assert default.strip("`") == hooks.default_of(rules.options[option]).strip("`")
        assert allowed == hooks.allowed(rules, option)


@pytest.mark.parametrize("name", GAMES)
def test_an_environments_page_keeps_what_the_readme_says_beside_the_tables(name):
    page = hooks.environment_page(name)
    for section in ("Actions", "Observation"):
        said = [part for part in hooks.readme(name)[section].split("\n\n") if part[0] != "|"]
        for part in said:
            assert part.partition("With 2 seats (")[0].strip() in page


def test_a_readme_without_the_codes_table_is_refused():
    with pytest.raises(hooks.PluginError, match="does not hold the code's own table"):
        hooks.around("| ids | block |\n\nmore", "| ids | block | meaning |", "x: README")


def test_the_readme_comes_to_the_front_page_with_the_sites_links():
    text = hooks.first_screen("https://example.org/")
    assert "## A first look" in text
    assert "](environments/tower_up.md)" in text
    assert "](sprawl_env/" not in text
    assert hooks.site_address("LICENSE", "https://example.org/") == "https://example.org/LICENSE"
    assert hooks.site_address("docs/pictures/x.png", "") == "pictures/x.png"


def test_published_tournaments_come_into_the_navigation(tmp_path):
    config = SimpleNamespace(docs_dir=str(tmp_path), nav=[{"Home": "index.md"}, {"Reference": []}])
    assert hooks.on_config(config).nav == [{"Home": "index.md"}, {"Reference": []}]
    (tmp_path / "ladder").mkdir()
    for name in ("b.md", "a.md", "a.json"):
        (tmp_path / "ladder" / name).touch()
    ladder = {hooks.LADDER: ["ladder/a.md", "ladder/b.md"]}
    assert hooks.on_config(config).nav == [{"Home": "index.md"}, ladder, {"Reference": []}]


# ---------------------------------------------------------------------------- the site as built


def test_the_site_is_whole_and_fetches_nothing_from_elsewhere(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {path.relative_to(tmp_path / "site").as_posix(): read(path)
             for path in (tmp_path / "site").rglob("*.html")}  # fmt: skip
    for name in GAMES:
        assert f"environments/{name}.html" in pages
        assert f"rules/{name}.html" in pages
    for path in DOCS.rglob("*.md"):
        assert f"{path.relative_to(DOCS).as_posix()[:-3]}.html" in pages
    for name, seats in SEATS:  # all tabs are rendered
        page = pages[f"environments/{name}.html"]
        assert page.count(">to_play</code></td>") == len(hooks.games_of(name))
        assert f">{hooks.in_words(seats)}</label>" in page
    for where, text in pages.items():
        fetched = re.findall(r'<(?:script|img|iframe|source)[^>]*\ssrc="?([^"\s>]+)', text)
        fetched += re.findall(r'<link[^>]*\srel="?(?:stylesheet|preconnect|icon)[^>]*>', text)
        assert fetched
        assert not [one for one in fetched if "//" in one], where
        assert not re.search(r":(func|class|meth|mod|attr):", text), where
    reference = "".join(text for where, text in pages.items() if where.startswith("reference/"))
    for documented in ("registry.game", "vector.make_vec", "core.errors.IllegalAction",
                       "core.errors.SprawlError", "sprawl_env.bots.policy.checkpoint.load"):  # fmt: skip
        assert re.search(rf'id="?[\w.]*{re.escape(documented)}"?', reference), documented


# ------------------------------------------------------------------------------ what pages tell


def follow(words, monkeypatch):
    """Run a command of a guide, made short, as if it had been typed."""
    assert words[:2] == ["python", "-m"], words
    name, given = words[2], words[3:]
    monkeypatch.setattr(sys, "argv", [name, *given, *QUICK.get(name, "").split()])
    module = importlib.import_module(name)
    try:
        if hasattr(module, "Config"):
            console.run(module.main, module.Config, getattr(module, "PRESETS", None))
        else:
            runpy.run_module(name, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        assert not end.code, words


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_a_guide_can_be_followed_from_its_top_to_its_end(guide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    modules = set(sys.modules)
    for language, title, text in FENCE.findall(read(guide)):
        if title:
            path = tmp_path / title
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, guide.name, "exec"), {"__name__": guide.stem})
        elif language == "sh":
            for words in commands_in(text):
                follow(words, monkeypatch)
    for name in set(sys.modules) - modules:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == tmp_path:
            del sys.modules[name]


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_the_code_of_an_environments_page_runs(name):
    blocks = FENCE.findall(hooks.environment_page(name))
    assert len(blocks) == 2
    for _, _, text in blocks:
        exec(compile(text, name, "exec"), {})


def understood(words):
    """Whether a command can be given; it is not run."""
    if words[0] == "make":
        return re.search(rf"^{words[1]}:", read(ROOT / "Makefile"), re.MULTILINE) is not None
    if words[0] == "pip":
        extras = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
        return re.fullmatch(r".*\[(\w+)\]", words[-1])[1] in extras
    assert words[:2] == ["python", "-m"], words
    module, given = importlib.import_module(words[2]), words[3:]
    if not hasattr(module, "Config"):  # argparse, or subcommands
        return words[2] in {
            "sprawl_env.commands.data",
            "sprawl_env.commands.warmup",
            "sprawl_env.commands.replay",
        }
    presets = getattr(module, "PRESETS", None)
    default = {"default": presets[console._preset(given, presets)]} if presets else {}
    config = tyro.cli(module.Config, args=given, **default)
    seats = getattr(config, "seats", None) or getattr(config, "num_players", 2)
    if isinstance(getattr(config, "game", None), str):
        seated = seats if isinstance(seats, int) else len(seats)
        options = console.parse_options(getattr(config, "options", ()))
        game = sprawl_env.game(config.game, num_players=seated, **options)
        names = [*getattr(config, "agents", ()), *getattr(config, "hints", ())]
        names += [] if isinstance(seats, int) else [seat for seat in seats if seat != "human"]
        for name in names:
            if name.partition(":")[0] in BUILT_IN:
                make_bot(name, game)
    return True


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", DOCS / "index.md", *GUIDES], ids=lambda path: path.stem
)
def test_every_command_of_a_page_is_understood(page):
    for language, _, text in FENCE.findall(read(page)):
        if language in {"", "sh", "bash"}:
            for words in commands_in(text):
                assert understood(words), words


def test_the_error_that_the_guide_shows_is_the_one_there_is(tmp_path):
    guide = read(DOCS / "guides" / "cards.md")
    shown = re.search(r"^error: (.+)$", guide, re.MULTILINE)[1]
    rows = re.search(r'title="my_cards/rows.toml"\n(.*?)```', guide, re.DOTALL)[1]
    wrong = re.search(r"got (\[.+\])$", shown)[1].replace("'", '"')
    (tmp_path / "rows.toml").write_text(
        re.sub(r"values = .+", f"values = {wrong}", rows, count=1), encoding="utf-8"
    )
    with pytest.raises(DataError) as error:
        sprawl_env.game("tower_up", data=tmp_path)
    assert str(error.value) == shown


def test_the_files_that_the_readmes_link_are_there():
    for page in [ROOT / "README.md", *ROOT.glob("sprawl_env/games/*/README.md")]:
        for target in re.findall(r"\]\(([^)\s#]+)", read(page)):
            assert "://" in target or (page.parent / target).exists(), target


def test_pictures_are_small():
    pictures = list((DOCS / "pictures").glob("*.png"))
    assert len(pictures) >= len(GAMES) * len(hooks.MOMENTS)
    assert all(path.stat().st_size <= 120_000 for path in pictures)
