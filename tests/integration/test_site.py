"""The documentation site: tables equal the code's, links work, code and commands run."""

import functools
import importlib
import os
import re
import runpy
import shlex
import subprocess
import sys
import threading
import tomllib
from collections import Counter
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import jinja2
import pytest
import tyro
import yaml
from filelock import FileLock

import sprawl_env
from docs import macros, roles
from sprawl_env import __main__ as command_line
from sprawl_env import console
from sprawl_env.core.errors import DataError
from sprawl_env.core.registry import rules_of
from sprawl_env.core.rewards import REWARDS
from sprawl_env.render.modes import RENDER_MODES
from tests.browser import open_url
from tests.suite import GAMES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDES = [DOCS / "install.md", DOCS / "quickstart.md", *sorted(DOCS.glob("guides/*.md"))]
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
FENCE = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
REWARD_ROWS = {"winner": "+1 for the winner", "rank": "from +1 for the first to -1 for the last"}
SEATS = [(name, n) for name in GAMES for n in macros.numbers_of_seats(rules_of(name))]
QUICK = {  # flags that make a guide's command short; the last one given counts
    "python -m experiments.train": "--num-envs 16 --num-steps 8 --batch-size 64 --num-epochs 1 "
    "--width 8 --trunk 16 --imitation 0 --max-minutes 0 --processes 1 --total-steps 256 "
    "--checkpoint-every 128 --evaluation-games 4",
    "python -m experiments.balance": "--games 2 --seats 2",
    "python -m self_play": "1",
    "python -m experiments.dataset": "--games 8",
    "sprawl-env evaluate": "--games 4",
    "sprawl-env tournament": "--games 2 --processes 1",
}
ACCESSIBLE = {  # one page of each kind
    "light": ("index", "environments/tower_up", "ladder/tower_up/report", "reference/games"),
    "dark": ("index", "guides/bots"),
}
BUILT_IN = {"random", "greedy", "planner", "mcts", "flat", "heldout", "search"}


def read(path):
    return path.read_text(encoding="utf-8")


def rendered(path):
    """A page of the site with its macros called."""
    macro = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    return macro.from_string(read(DOCS / path)).render(**macros.MACROS)


def environment_page(name):
    return rendered(f"environments/{name}.md")


def label(path):
    """The id of a page in the tests' names."""
    return path.relative_to(ROOT).with_suffix("").as_posix().removeprefix("docs/")


def commands_in(text):
    """The commands of a block, a line each, comments dropped."""
    return [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]


# ----------------------------------------------------------------------- tables from the code


@pytest.mark.parametrize("name", GAMES)
def test_an_environments_page_has_every_action_block(name):
    _, _, section = environment_page(name).partition("\n## Actions\n")
    section, _, _ = section.partition("\n## ")
    for block in rules_of(name).actions.blocks.values():
        ids = f"{block.start}–{block.start + block.size - 1}"
        assert f"| {ids} | `{block.name}` | {block.meaning} |" in section


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_an_environments_page_has_every_observation_block_for_its_seats(name, seats):
    page = environment_page(name)
    _, _, section = page.partition("\n## Observation\n")
    title = macros.in_words(seats)
    tab = re.search(rf'^===\+? "{title}"\n\n((?:    .*\n)+)', section, re.MULTILINE)
    game = sprawl_env.game(name, num_players=seats)
    listed = 0
    for block in game.observation_layout.blocks.values():
        shape = "×".join(map(str, block.shape))
        (row,) = (x for x in tab[1].splitlines() if f"| `{block.name}` | {shape} |" in x)
        assert row.strip().startswith(f"| {block.start}")
        scale = "1" if block.scale == 1 else f"1/{round(1 / block.scale)}"
        assert row.endswith(f"| {block.meaning} | {scale} |")
        listed += block.size
    assert listed == game.observation_size
    assert f"| `({game.observation_size},)` |" in page


@pytest.mark.parametrize("name", GAMES)
def test_an_environments_page_has_what_pettingzoos_pages_have(name):
    page = environment_page(name)
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
        "Seats and agents", "Options", "Actions", "Observation", "State", "Rewards", "Episode end",
        "Version history",
    ]  # fmt: skip
    assert all(f"| `{option}` |" in page for option in game.options)
    assert "0.1.0" in page.partition("## Version history")[2]
    parallel = hasattr(importlib.import_module(f"sprawl_env.{name}_v0"), "parallel_env")
    assert ("| Parallel API | Yes" in page) == parallel


@pytest.mark.parametrize("name", GAMES)
def test_a_rulings_page_has_every_ruling_with_an_address(name):
    rulings = re.findall(r"\*\*([A-Z])(\d+)\*\*", macros.readme(name)["Rulings"])
    page = rendered(f"rulings/{name}.md")
    assert [int(number) for _, number in rulings] == list(range(1, len(rulings) + 1))
    for letter, number in rulings:
        assert page.count(f"**{letter}{number}**{{ #{letter.lower()}{number} }}") == 1
    assert "## Where the data comes from" in page


def default_of(option):
    """An option's default as it is written in a call."""
    return f'"{option.default}"' if option.words else f"{option.default}"


def span(rules, name, seats):
    """The numbers that the game accepts for an option with some seats, e.g. ``3–7``."""
    data = rules.load_data(None)
    usual = {key: o.parse(rules.name, key, o.default) for key, o in rules.options.items()}

    def fits(value):
        try:
            rules.check_options(data, {**usual, "num_players": seats, name: value})
        except sprawl_env.SprawlError:
            return False
        return True

    option = rules.options[name]
    found = [value for value in range(option.low, option.high + 1) if fits(value)]
    return f"{found[0]}–{found[-1]}"


def allowed(rules, name):
    """The values that an option may have, with every number of seats."""
    option = rules.options[name]
    if option.flag:
        return "`True`, `False`"
    if option.words:
        return ", ".join(f'`"{word}"`' for word in option.words)
    if name == "num_players":
        return f"{option.low}–{option.high}"
    spans = {seats: span(rules, name, seats) for seats in macros.numbers_of_seats(rules)}
    usual = Counter(spans.values()).most_common(1)[0][0]
    others = (f"with {seats} seats {found}" for seats, found in spans.items() if found != usual)
    return ", ".join([usual, *others])


@pytest.mark.parametrize("name", GAMES)
def test_a_games_readme_has_the_options_of_the_code(name):
    table = macros.options(name)
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| .+ \|$", table, re.M)
    rules = rules_of(name)
    assert [row[0] for row in rows] == list(rules.options)
    for option, default, values in rows:
        assert default.strip("`") == default_of(rules.options[option])
        assert values == allowed(rules, option)
    assert table in environment_page(name)


@pytest.mark.parametrize("name", GAMES)
def test_an_environments_page_has_the_options_of_all_environments(name):
    page = environment_page(name)
    kinds = ", ".join(f'`"{kind}"`' for kind in REWARDS)
    modes = ", ".join(f'`"{mode}"`' for mode in RENDER_MODES)
    assert f'| `reward` | `"{REWARDS[0]}"` | {kinds} |' in page
    assert f"| `render_mode` | `None` | `None`, {modes} |" in page
    (limit,) = (option for option in rules_of(name).options if option.startswith("max_"))
    assert f"A game that reaches `{limit}` is stopped" in page


@pytest.mark.parametrize("name", GAMES)
def test_an_environments_page_keeps_what_the_readme_says_beside_the_tables(name):
    page = environment_page(name)
    for section in ("Actions", "Observation"):
        remarks = [part for part in macros.readme(name)[section].split("\n\n") if part[0] != "|"]
        for part in remarks:
            kept = re.sub(r"The table is for 2 seats[^.]*\.\s", "", part)
            assert kept.partition("With 2 seats (")[0].strip() in page
    assert "\nChoose the number of seats:\n\n===" in page
    assert "The table is for" not in page
    for reward, meaning in REWARD_ROWS.items():
        assert f"| `{reward}` | {meaning}" in page


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_explained_to_a_person_who_has_never_played_it(name):
    page = read(DOCS / "rules" / f"{name}.md")
    to_read, _, _ = page.partition("\n## To look up\n")
    assert 80 <= len(to_read.splitlines()) <= 150
    for heading in ("The goal", "What lies on the table", "The end", "Advice for a first game"):
        assert f"\n## {heading}\n" in page


def test_a_readme_without_the_codes_table_is_refused():
    with pytest.raises(macros.PageError, match="does not hold the code's own table"):
        macros.around("| ids | block |\n\nmore", "| ids | block | meaning |", "x: README")


def test_the_readme_comes_to_the_front_page_with_the_sites_links():
    text = rendered("index.md")
    assert "## Ten lines of Python" in text
    assert "](environments/tower_up.md)" in text
    assert "](sprawl_env/" not in text
    assert "](docs/" not in text
    assert macros.site_address("LICENSE") == f"{macros.REPOSITORY}LICENSE"
    assert macros.site_address("docs/pictures/x.png") == "pictures/x.png"
    assert macros.site_address("CONTRIBUTING.md#add-a-bot", "../") == "../contributing.md#add-a-bot"
    assert macros.site_address("https://example.org/x") == "https://example.org/x"


def test_an_included_file_may_lie_in_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(macros, "ROOT", tmp_path)
    (tmp_path / "agents").mkdir()
    text = "# Title\n[card](tower_up/quick/README.md) [speed](../docs/speed.md) [up](#title)\n"
    (tmp_path / "agents" / "README.md").write_text(text, encoding="utf-8")
    found = macros.included("agents/README.md", "../", title=False)
    address = f"{macros.REPOSITORY}agents/tower_up/quick/README.md"
    assert found == f"[card]({address}) [speed](../speed.md) [up](#title)\n"


def test_published_tournaments_are_in_the_navigation():
    nav = yaml.safe_load(read(ROOT / "mkdocs.yml"))["nav"]

    def pages(entry):
        if isinstance(entry, str):
            return [entry]
        below = entry.values() if isinstance(entry, dict) else entry
        return [page for part in below for page in pages(part)]

    listed = pages(nav)
    assert sorted(listed) == sorted(path.relative_to(DOCS).as_posix() for path in PAGES[1:])
    assert {f"ladder/{name}/report.md" for name in GAMES} <= set(listed)


def test_a_role_of_a_docstring_becomes_a_link_or_code():
    found = roles.translated("See :func:`~a.b.c`, :class:`D` and ``:no:`role```.")
    assert found == (
        'See <autoref optional identifier="a.b.c"><code>c</code></autoref>, '
        '<autoref optional identifier="D"><code>D</code></autoref> and ``:no:`role```.'
    )


# ---------------------------------------------------------------------------- the site as built


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, built as ``make docs`` does, once for all processes of the tests."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # a worker's own folder lies in that of the run
    folder, begun = shared / "site", shared / "site.begun"
    with FileLock(shared / "site.lock"):
        if not folder.exists():
            done = subprocess.run(
                [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(begun)],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
            )
            assert done.returncode == 0, done.stdout + done.stderr
            begun.rename(folder)
    return folder


def test_the_site_is_whole_and_fetches_nothing_from_elsewhere(site):
    pages = {path.relative_to(site).as_posix(): read(path) for path in site.rglob("*.html")}
    for path in DOCS.rglob("*.md"):
        assert f"{path.relative_to(DOCS).as_posix()[:-3]}.html" in pages
    for name, seats in SEATS:  # all tabs are rendered
        page = pages[f"environments/{name}.html"]
        in_the_state = 1
        assert page.count(">to_play</code></td>") == len(macros.games_of(name)) + in_the_state
        assert f">{macros.in_words(seats)}</label>" in page
    for where, text in pages.items():
        fetched = re.findall(r'<(?:script|img|iframe|source)[^>]*\ssrc="?([^"\s>]+)', text)
        fetched += re.findall(r'<link[^>]*\srel="?(?:stylesheet|preconnect|icon)[^>]*>', text)
        assert fetched
        assert not [one for one in fetched if "//" in one], where
        assert not re.search(r":(func|class|meth|mod|attr):", text), where
        assert not re.search(r"{{ \w+\(", text), where
    reference = "".join(text for where, text in pages.items() if where.startswith("reference/"))
    for documented in ("registry.game", "vector.make_vec", "core.errors.IllegalAction",
                       "core.errors.SprawlError", "sprawl_env.bots.policy.checkpoint.load",
                       "registration.register", "evaluation.evaluate", "tournament.tournament",
                       "learning.train.train", "player.load_policy"):  # fmt: skip
        assert re.search(rf'id="?[\w.]*{re.escape(documented)}"?', reference), documented
    assert 'href="#sprawl_env' in reference  # a role became a link
    assert read(site / "search" / "search_index.js").startswith("var __index = {")


@contextmanager
def served(folder):
    """Serve a folder over HTTP; yields the address."""
    handler = functools.partial(Quiet, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class Quiet(SimpleHTTPRequestHandler):
    """A handler that writes no log."""

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("scheme", ACCESSIBLE)
def test_pages_of_the_site_are_accessible(site, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    wanted = {"light": "default", "dark": "slate"}[scheme]
    with (
        served(site) as address,
        open_url(f"{address}/index.html", color_scheme=scheme) as page,
    ):
        for where in ACCESSIBLE[scheme]:
            page.goto(f"{address}/{where}.html")
            page.wait_for_selector("article")
            page.wait_for_selector(".md-search[aria-label]", state="attached")
            assert page.get_attribute("body", "data-md-color-scheme") == wanted
            found = axe.run(page).response["violations"]
            wrong = [(each["id"], each["nodes"][0]["html"][:160]) for each in found]
            assert wrong == [], where


def test_search_works_on_a_page_opened_from_disk(site):
    with open_url((site / "rules" / "tower_up.html").as_uri()) as page:
        page.click(".md-search__input")
        page.keyboard.type("Urban Renewal")
        page.wait_for_selector(".md-search-result__link")
        found = page.inner_text(".md-search-result__list")
        assert "How to play Urban Sprawl" in found


# --------------------------------------------------------------------------- commands and code


def follow(words, monkeypatch):
    """Run a command of a guide in this process, made short."""
    count = 3 if words[0] == "python" else 2
    words = [*words, *QUICK.get(" ".join(words[:count]), "").split()]
    try:
        if words[0] == "sprawl-env":
            assert command_line.main(words[1:]) == 0, words
        else:
            assert words[:2] == ["python", "-m"], words
            monkeypatch.setattr(sys, "argv", words[2:])
            runpy.run_module(words[2], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        assert not end.code, words


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize("guide", GUIDES, ids=label)
def test_a_guide_can_be_followed_from_its_top_to_its_end(guide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])  # as `python -m` does
    modules = set(sys.modules)
    for language, title, text in FENCE.findall(read(guide)):
        if title:
            path = tmp_path / title
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, guide.name, "exec"), {"__name__": guide.stem})
        elif language == "py":  # starts processes, or needs a file of the reader's
            compile(text, guide.name, "exec")
        elif language == "sh":
            for words in commands_in(text):
                follow(words, monkeypatch)
    for name in set(sys.modules) - modules:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == tmp_path:
            del sys.modules[name]


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_the_code_of_an_environments_page_runs(name):
    blocks = FENCE.findall(environment_page(name))
    assert len(blocks) == 2
    for _, _, text in blocks:
        exec(compile(text, name, "exec"), {})


def understood(words):
    """Whether a command can be given; it is not run."""
    if words[0] == "make":
        return re.search(rf"^{words[1]}:", read(ROOT / "Makefile"), re.MULTILINE) is not None
    if words[0] == "pip":
        extras = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
        named = [name for word in words for name in re.findall(r"[\w-]+", word.partition("[")[2])]
        return set(named) <= set(extras)
    if words[0] == "sprawl-env":
        return names_bots_that_exist(tyro.cli(command_line.Command, args=words[1:]))
    assert words[:2] == ["python", "-m"], words
    if words[2] == "venv":
        return True
    module = importlib.import_module(words[2])
    presets = getattr(module, "PRESETS", None)
    default = {"default": console._defaults(words[3:], presets, None)} if presets else {}
    return names_bots_that_exist(tyro.cli(module.Config, args=words[3:], **default))


def names_bots_that_exist(config):
    """Whether the options and the built-in bots of a parsed command can be made."""
    seats = getattr(config, "seats", ())
    game = getattr(config, "game", None)
    if not isinstance(game, str) or not game or ":" in game:  # no game, or the reader's own
        return True
    seated = len(seats) if seats else getattr(config, "num_players", 2)
    options = console.parse_options(getattr(config, "options", ()))
    made = sprawl_env.game(game, num_players=seated, **options)
    names = [*getattr(config, "bots", ()), *(getattr(config, "hints", None) or ()), *seats]
    names += filter(None, [getattr(config, "expert", "")])
    for name in names:
        kind, _, argument = name.partition(":")
        if kind in BUILT_IN and "checkpoint:" not in argument:
            sprawl_env.make_bot(name, made)
        elif kind == "agent":
            assert argument.partition("/")[0] == game, name
        else:
            assert name == "human" or argument, name
    return True


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_every_command_of_a_page_is_understood(page):
    blocks = FENCE.findall(read(page))
    own = {title.removesuffix(".py") for _, title, _ in blocks}  # modules that the page shows
    for language, _, text in blocks:
        if language in {"", "sh", "bash"}:
            for words in commands_in(text):
                ours = words[:2] == ["python", "-m"] and words[2] in own
                assert ours or understood(words), words


def test_the_error_that_the_guide_shows_is_the_one_there_is(tmp_path):
    guide = read(DOCS / "guides" / "cards.md")
    shown = re.search(r"^error: (.+)$", guide, re.MULTILINE)[1]
    rows = re.search(r'title="my_cards/rows.toml"\n(.*?)```', guide, re.DOTALL)[1]
    place, word = re.search(r"values (\d+): .+ got '(\w+)'$", shown).groups()
    values = re.search(r"values = \[(.+)\]", rows)[1].split(", ")
    values[int(place) - 1] = f'"{word}"'
    (tmp_path / "rows.toml").write_text(
        re.sub(r"values = .+", f"values = [{', '.join(values)}]", rows, count=1), encoding="utf-8"
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
    assert len(pictures) >= len(GAMES) * 3
    assert all(path.stat().st_size <= 120_000 for path in pictures)
