"""kernels/sources.py: which files a kernel depends on."""

import ast
import asyncio
import importlib
import json
import re
import runpy
import shutil
import sys
from pathlib import Path

import numpy
import pytest

from sprawl_env.kernels import sources
from sprawl_env.kernels.compile import _folder, kernel
from tests.commands import run_code

KERNEL = """
import os, numpy
{imports}
def play(tables, games, g, action):
    return {number}
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0].startswith("mine")]:
        del sys.modules[name]


def forget():
    """Forget all files that were read and modules that were met, as a new process does."""
    sources.forget_files()
    sources._met.clear()


def digest(module):
    """Return the digest of a module's kernel, as a new process would."""
    forget()
    return sources.home_digest(importlib.import_module(module).play)


def changes(module, path, text):
    """Whether writing a file changes the digest."""
    before = digest(module)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return digest(module) != before


def test_a_single_module_depends_on_what_it_imports_from_its_folder(home):
    (home / "mine.py").write_text(KERNEL.format(imports="import mine_numbers", number=1))
    (home / "mine_numbers.py").write_text("from mine_more import deep\n")
    (home / "mine_more").mkdir()
    (home / "mine_more" / "__init__.py").write_text("")
    (home / "mine_more" / "deep.py").write_text("A = 1\n")
    assert changes("mine", home / "mine_numbers.py", "from mine_more import deep\nB = 1\n")
    assert changes("mine", home / "mine_more" / "deep.py", "A = 2\n")
    assert changes("mine", home / "mine_more" / "__init__.py", "C = 1\n")
    assert changes("mine", home / "cards.toml", "a = 1\n")
    assert not changes("mine", home / "notes.py", "A = 1\n")
    assert not changes("mine", home / "other" / "cards.toml", "a = 1\n")
    assert changes("mine", home / "mine.py", KERNEL.format(imports="", number=2))


INSIDE = """
try:
    import mine_try
except ImportError:
    import mine_except
else:
    import mine_else
finally:
    import mine_finally
def late():
    with open("x"):
        while True:
            if os.sep:
                pass
            elif os.name:
                import mine_elif
class Home:
    match os.sep:
        case "/":
            import mine_case
"""


@pytest.mark.parametrize("part", re.findall(r"mine_\w+", INSIDE))
def test_imports_inside_of_other_statements_count(home, part):
    (home / f"{part}.py").write_text("A = 1\n")
    inside = INSIDE
    for name in set(re.findall(r"mine_\w+", INSIDE)) - {part}:
        inside = inside.replace(f"import {name}", "pass")
    text = KERNEL.format(imports=inside, number=1)
    (home / "mine.py").write_text(text)
    importlib.invalidate_caches()
    assert changes("mine", home / f"{part}.py", "A = 2\n")


TRICKY = """
import a; import b.c as d, \\
    e
from f import(g, # (of) h
    i as j,
    )
from.k import*
from .. l import m
if True: from . import n; from ...o.p import (q)
def r(): yield from s; import\tt
raise u from v
"""
NO_NAMES = f"""
\"\"\"import /etc/passwd, ../w, ..., {"x" * 300}, 7
from ~/y import z
from import import from
import (
\"\"\"
"""


def imports_of(text, own):
    """Return what a text imports, by Python's own parser."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = own[: -node.level] if node.level else ()
            module = (*start, *(node.module.split(".") if node.module else ()))
            names |= {module} | {(*module, alias.name) for alias in node.names if alias.name != "*"}
    return names


def test_no_import_is_overlooked(tmp_path):
    own = tuple("abcdefgh")
    found = sources._imported_names
    (tmp_path / "tricky.py").write_text(TRICKY)
    assert found(tmp_path / "tricky.py", own) == imports_of(TRICKY, own)
    folders = [sources.PACKAGE / "bots", sources.PACKAGE / "learning"]
    folders += [Path(module.__file__).parent for module in (asyncio, numpy.ma)]
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    assert len(paths) > 100
    for path in paths:
        missing = imports_of(path.read_bytes(), own) - found(path, own)
        assert not missing, path


@pytest.mark.parametrize("content", [NO_NAMES.encode(), b"\xff\xfe", b"# coding: nonsense"])
def test_what_is_no_module_is_no_import(home, content):
    (home / "mine.py").write_text(KERNEL.format(imports="import mine_texts", number=1))
    (home / "mine_texts.py").write_text("A = 1\n")
    importlib.import_module("mine")
    before = digest("mine")
    (home / "mine_texts.py").write_bytes(content)
    assert digest("mine") != before


def test_a_module_of_a_package_depends_on_its_relative_imports(home):
    package = home / "mine_town"
    (package / "rules").mkdir(parents=True)
    for folder in (package, package / "rules"):
        (folder / "__init__.py").write_text("")
    imports = "from . import build\nfrom .. import numbers\nfrom ..data import A\n"
    (package / "rules" / "entry_points.py").write_text(KERNEL.format(imports=imports, number=1))
    (package / "rules" / "build.py").write_text("")
    (package / "numbers.py").write_text("")
    (package / "data.py").write_text("A = 1\n")
    module = "mine_town.rules.entry_points"
    assert changes(module, package / "rules" / "build.py", "B = 1\n")
    assert changes(module, package / "numbers.py", "B = 1\n")
    assert changes(module, package / "data.py", "A = 2\n")
    assert changes(module, package / "__init__.py", "B = 1\n")
    assert not changes(module, package / "render.py", "B = 1\n")


def test_an_installed_package_depends_on_itself_alone(home, monkeypatch):
    site = home / "site-packages"
    (site / "mine_installed").mkdir(parents=True)
    monkeypatch.syspath_prepend(site)
    (site / "mine_installed" / "__init__.py").write_text("")
    imports = "import mine_library, mine_installed.parts"
    (site / "mine_installed" / "game.py").write_text(KERNEL.format(imports=imports, number=1))
    (site / "mine_installed" / "parts.py").write_text("")
    (site / "mine_library.py").write_text("")
    assert changes("mine_installed.game", site / "mine_installed" / "parts.py", "A = 1\n")
    assert not changes("mine_installed.game", site / "mine_library.py", "A = 1\n")


def test_files_that_import_each_other_end(home):
    (home / "mine_a.py").write_text(KERNEL.format(imports="import mine_b", number=1))
    (home / "mine_b.py").write_text("import mine_a\n")
    assert len(digest("mine_a")) == 16


def test_a_label_changes_with_the_name_and_the_source_of_a_kernel(home):
    text = KERNEL.format(imports="", number=1)
    (home / "mine_x.py").write_text(text + text.replace("play", "other"))
    module = importlib.import_module("mine_x")
    first = sources.kernels_label(module.play)
    assert sources.kernels_label(module.play, None) == first != sources.kernels_label(module.other)


def weighing(weight, label):
    @kernel(label=label)
    def value(x):
        return weight * x

    return value


@pytest.mark.compiled
def test_kernels_of_a_factory_have_the_labels_that_it_gave_them():
    one, two = (sources.kernels_label(weighing(weight, f"{weight}")) for weight in (1, 2))
    assert sources.TYPED != one != two != sources.TYPED
    assert sources.kernels_label(weighing(1, "")) == sources.TYPED
    assert sources.kernels_label(weighing(1, sources.TYPED)) == sources.TYPED


def typed(text):
    """Return the kernel ``play`` of a notebook's cell."""
    names = {"__name__": "__main__"}
    exec(compile(text, "/tmp/ipykernel_9/123.py", "exec"), names)
    return names["play"]


def test_what_is_made_from_a_typed_kernel_has_a_label_that_says_so(home):
    (home / "mine.py").write_text(KERNEL.format(imports="", number=1))
    module = importlib.import_module("mine")
    cells = [typed(KERNEL.format(imports="", number=number)) for number in (1, 2)]
    assert [sources.home_digest(cell) for cell in cells] == ["", ""]
    for given in (cells[:1], cells[1:], [module.play, cells[0]], [cells[0], None, module.play]):
        assert sources.kernels_label(*given) == sources.TYPED
    assert sources.kernels_label(module.play) != sources.TYPED
    assert sources.kernels_label() == sources.kernels_label(None) == ""


def made(number):
    def add(x):
        return x + number

    return add


def test_a_kernel_is_cached_if_its_sources_and_its_label_tell_it_apart(tmp_path, monkeypatch):
    monkeypatch.setenv("SPRAWL_ENV_CACHE", str(tmp_path))
    cell = typed(KERNEL.format(imports="", number=1))
    assert _folder(typed, "").parent == tmp_path
    assert _folder(made(1), "added 1") != _folder(made(1), "added 2") is not None
    assert _folder(made(1), "") is None
    assert _folder(cell, "") is _folder(cell, "cell") is None
    assert _folder(made(1), f"lots {sources.TYPED}") is None


def reloaded(home, module, edited, text):
    """Write a file, reload the module; return whether the kernel's digest is as before."""
    play = module.play
    before = sources.home_digest(play)
    (home / edited).write_text(text)
    importlib.invalidate_caches()
    assert sources.home_digest(play) == before  # what was imported still runs
    if edited != "mine.py":
        importlib.reload(sys.modules["mine_numbers"])
    module = importlib.reload(module)
    assert module.play is not play
    return sources.home_digest(module.play) == before


@pytest.mark.parametrize("edited", ["mine.py", "mine_numbers.py"])
def test_kernels_of_a_module_that_was_reloaded_after_an_edit_have_no_digest(home, edited):
    texts = {
        "mine.py": KERNEL.format(imports="import mine_numbers", number=1),
        "mine_numbers.py": "A = 1\n",
    }
    for name, text in texts.items():
        (home / name).write_text(text)
    module = importlib.import_module("mine")
    assert reloaded(home, module, edited, texts[edited])  # nothing has changed
    assert not reloaded(home, module, edited, f"{texts[edited]}\nB = 1\n")
    assert sources.home_digest(module.play) == ""
    assert sources.kernels_label(module.play) == sources.TYPED
    assert _folder(module.play, "") is None
    forget()
    assert len(sources.home_digest(module.play)) == 16  # as a new process has it


@pytest.mark.parametrize(
    ("run", "marked"),
    [(runpy.run_module, True), (runpy.run_module, False), (runpy.run_path, True)],
)
def test_a_program_in_a_package_depends_on_the_modules_that_it_imports(home, run, marked):
    package = home / "mine_pkg" / "towns"
    package.mkdir(parents=True)
    for folder in (package.parent, package) if marked else ():
        (folder / "__init__.py").write_text("")
    imports = "from mine_pkg.rules import A\nfrom mine_pkg.towns import more"
    (package / "game.py").write_text(KERNEL.format(imports=imports, number=1))
    (package.parent / "rules.py").write_text("A = 1\n")
    (package / "more.py").write_text("")
    name = str(package / "game.py") if run is runpy.run_path else "mine_pkg.towns.game"

    def digest():
        forget()
        return sources.home_digest(run(name, run_name="__main__")["play"])

    first = digest()
    assert digest() == first
    (package.parent / "rules.py").write_text("A = 2\n")
    second = digest()
    (package / "more.py").write_text("B = 2\n")
    assert len({first, second, digest()}) == 3


def test_a_script_in_a_package_depends_on_what_lies_beside_it(home, monkeypatch):
    package = home / "mine_pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "game.py").write_text(KERNEL.format(imports="import mine_numbers", number=1))
    (package / "mine_numbers.py").write_text("A = 1\n")
    monkeypatch.syspath_prepend(package)

    def digest():
        forget()
        names = runpy.run_path(str(package / "game.py"), run_name="__main__")
        return sources.home_digest(names["play"])

    first = digest()
    (package / "mine_numbers.py").write_text("A = 2\n")
    assert digest() != first


@pytest.fixture
def package(tmp_path):
    """A package with two games, a heuristic and a bot."""
    root = tmp_path / "town"
    files = {
        "__init__.py": "from town.bots import greedy",
        "kernels/bits.py": "",
        "core/state.py": "",
        "games/__init__.py": "",
        "games/towers/rules/build.py": "",
        "games/towers/data/cards.toml": "",
        "games/towers/render.py": "",
        "games/ports/entry_points.py": "",
        "bots/__init__.py": "",
        "bots/towers.py": "from town.games.towers.rules.build import may_build",
        "bots/greedy.py": "from town.bots import settings",
        "bots/settings.py": "",
        "bots/planner.py": "import town",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (tmp_path / "mine.py").write_text("from town.games.towers.rules import build\n")
    return root


KERNELS = (
    "kernels/bits.py",
    "core/state.py",
    "games/towers/rules/build.py",
    "games/ports/entry_points.py",
    "bots/towers.py",
    "bots/greedy.py",
    "bots/planner.py",
    "../mine.py",
)
ALL = set(KERNELS)
TOWERS = {"games/towers/rules/build.py", "bots/towers.py", "../mine.py"}


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        ("kernels/bits.py", ALL),
        ("core/state.py", ALL),
        ("core/numbers.toml", ALL),
        ("games/towers/rules/build.py", TOWERS),
        ("games/towers/constants.py", TOWERS),
        ("games/towers/data/cards.toml", TOWERS),
        ("games/towers/render.py", set()),
        ("games/towers/changes.py", set()),
        ("games/towers/questions.py", set()),
        ("games/towers/README.md", set()),
        ("games/ports/entry_points.py", {"games/ports/entry_points.py"}),
        ("bots/towers.py", {"bots/towers.py"}),
        ("bots/settings.py", {"bots/greedy.py"}),
        ("__init__.py", set()),
        ("../mine.py", {"../mine.py"}),
    ],
)
def test_a_kernel_depends_on_what_all_share_on_its_game_and_on_what_it_imports(
    package, edited, expected
):
    def digests():
        forget()
        found = {}
        for name in KERNELS:
            file = (package / name).resolve()
            found[name] = sources._file_digest.__wrapped__(file, package.parent, package)
        return found

    before = digests()
    (package / edited).write_text("A = 2\n")
    after = digests()
    assert {name for name in KERNELS if before[name] != after[name]} == expected


# Prints the cache folder of each kernel that is compiled for a game, and that its file defines.
FOLDERS = """
import json
import sprawl_env
from sprawl_env.bots import mcts
from sprawl_env.bots.greedy import best_action, greedy_kernel, score_heuristic
from sprawl_env.bots.mcts import search_kernel
from sprawl_env.bots.planner import compare_kernel, rank_kernel
from sprawl_env.core.batch import _work_kernel
from sprawl_env.core.registry import game_names, heuristic_of, rules_of
from sprawl_env.kernels import bits

folders = {"shared": bits.lowest, "bots": mcts.best_child}
for name in game_names():
    rules = rules_of(name)
    heuristic = heuristic_of(rules)
    made = {
        "play": rules.kernels.play,
        "batch": _work_kernel(rules),
        "scores": score_heuristic(rules).rate,
        "heuristic": heuristic.value or heuristic.rate,
        "choose": best_action(rules),
        "greedy": greedy_kernel(rules),
        "planner": compare_kernel(rules),
        "candidates": rank_kernel(rules),
        "mcts": search_kernel(rules, False),
        "mcts widen": search_kernel(rules, True),
    }
    folders |= {f"{name} {what}": kernel for what, kernel in made.items()}
print(json.dumps({
    what: [kernel._cache.cache_path, kernel.part._cache.cache_path]
    for what, kernel in folders.items()
}))
"""
SCORES = """
import sprawl_env
game = sprawl_env.game("{game}")
games = game.empty(1)
print(game.kernels.scores.__module__, game.scores(games, 0).sum())
"""


def outcome(code, root, folder):
    """Return what a program prints, to stdout and stderr, with the package in ``root``."""
    return run_code(code, root, SPRAWL_ENV_CACHE=str(folder))


@pytest.fixture
def copied(tmp_path):
    """A folder with a copy of this package."""
    skipped = shutil.ignore_patterns("__pycache__", "agents")
    shutil.copytree(sources.PACKAGE, tmp_path / "a" / "sprawl_env", ignore=skipped)
    return tmp_path / "a"


def append(path):
    path.write_text(path.read_text() + "\n_ADDED = 1\n")


@pytest.mark.slow
@pytest.mark.compiled
def test_an_edit_in_a_game_or_its_heuristic_changes_the_folders_of_that_game_alone(
    copied, tmp_path
):
    def changed(file=None):
        before = json.loads(outcome(FOLDERS, copied, tmp_path / "cache")[0])
        append(copied / "sprawl_env" / file)
        after = json.loads(outcome(FOLDERS, copied, tmp_path / "cache")[0])
        for what in before:
            assert (before[what][0] == after[what][0]) == (before[what][1] == after[what][1])
        return {what for what in before if before[what] != after[what]}, set(before)

    rules, every = changed("games/tower_up/constants.py")
    own = {what for what in every if what.startswith("tower_up")}
    assert rules == own
    heuristic, _ = changed("bots/heuristics/tower_up.py")
    assert heuristic == own - {"tower_up play", "tower_up batch", "tower_up scores"}
    assert changed("core/rewards.py")[0] == every
    assert changed("kernels/bits.py")[0] == every
    assert changed("games/tower_up/render.py")[0] == set()


@pytest.mark.compiled
def test_a_game_that_was_not_edited_is_loaded_and_two_installs_share_it(copied, tmp_path):
    cache = tmp_path / "cache"
    scores = {game: SCORES.format(game=game) for game in ("tower_up", "ginkgopolis")}
    cold = {game: outcome(code, copied, cache) for game, code in scores.items()}
    assert all("compiling" in notice for _, notice in cold.values())
    other = tmp_path / "b"
    shutil.copytree(copied, other)
    for game, code in scores.items():
        assert outcome(code, other, cache) == (cold[game][0], "")
    append(copied / "sprawl_env" / "games" / "tower_up" / "constants.py")
    assert outcome(scores["ginkgopolis"], copied, cache)[1] == ""
    assert "compiling" in outcome(scores["tower_up"], copied, cache)[1]
    assert outcome(scores["tower_up"], other, cache)[1] == ""  # the other install is unchanged
