"""CONTRIBUTING.md names files that there are."""

import re
from pathlib import Path

import pytest

from tests.suite import GAMES

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
PATHS = sorted(
    set(re.findall(r"`((?:sprawl_env|tests|examples|docs|\.ci)/[^`\s]*)`", TEXT))
    | set(re.findall(r"`([A-Za-z.]+\.(?:md|toml))`", TEXT))
)


@pytest.mark.parametrize("path", PATHS)
def test_every_path_exists_for_every_game(path):
    for name in GAMES if "<game>" in path else ("",):
        assert list(ROOT.glob(path.replace("<game>", name).rstrip("/"))), path


def test_every_make_target_exists():
    makefile = (ROOT / "Makefile").read_text()
    targets = {word for found in re.findall(r"`make ([a-z -]+)`", TEXT) for word in found.split()}
    assert targets
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


@pytest.mark.parametrize(
    "title",
    [
        "Mend a rule",
        "Add a card",
        "Add an effect verb",
        "Add a game",
        "Add a bot",
        "Add an adapter",
    ],
)
def test_there_is_a_checklist_for_each_kind_of_change(title):
    section = TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]
    assert section.count("- [ ] ") >= 4
