"""kernels/cache.py: which files the kernels of a user's game depend on."""

import importlib
import sys

import pytest

from sprawl_env.kernels import cache

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


def digest(module):
    """Return the digest of a module's kernel, as a new process would."""
    for cached in (cache._closure_digest, cache._resolved):
        cached.cache_clear()
    return cache.home_digest(importlib.import_module(module).play)


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


def test_a_module_of_a_package_depends_on_its_relative_imports(home):
    package = home / "mine_town"
    (package / "rules").mkdir(parents=True)
    for folder in (package, package / "rules"):
        (folder / "__init__.py").write_text("")
    imports = "from . import build\nfrom .. import numbers\nfrom ..data import A\n"
    (package / "rules" / "verbs.py").write_text(KERNEL.format(imports=imports, number=1))
    (package / "rules" / "build.py").write_text("")
    (package / "numbers.py").write_text("")
    (package / "data.py").write_text("A = 1\n")
    module = "mine_town.rules.verbs"
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


def test_kernels_of_this_package_have_no_digest_of_their_own():
    from sprawl_env.kernels import bits

    kernels = [bits.lowest, None]
    function = getattr(bits.lowest, "py_func", bits.lowest)
    assert cache.home_digest(function) == ""
    assert cache.kernels_label(*kernels) == ""


def test_a_label_changes_with_the_name_and_the_source_of_a_kernel(home):
    text = KERNEL.format(imports="", number=1)
    (home / "mine_x.py").write_text(text + text.replace("play", "other"))
    module = importlib.import_module("mine_x")
    first = cache.kernels_label(module.play)
    assert (
        len({first, cache.kernels_label(module.other), cache.kernels_label(module.play, None)}) == 2
    )
