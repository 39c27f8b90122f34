"""The documents say what the code does."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import sprawl_env
from sprawl_env.commands import data
from sprawl_env.kernels.compile import JIT
from sprawl_env.kernels.sources import _PICTURES
from tests.suite import GAMES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def page(name):
    return (ROOT / "sprawl_env" / "games" / name / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_a_games_page_has_the_codes_own_tables_and_options(name):
    game = sprawl_env.game(name)
    assert game.actions.markdown() in page(name)
    assert game.observation_layout.markdown() in page(name)
    for option in game.rules.options:
        assert f"| `{option}` |" in page(name)


@pytest.mark.parametrize("name", GAMES)
def test_a_games_page_counts_its_stand_ins(name):
    tally = data.tally(name).splitlines()[-1].split()
    in_page = re.findall(r"^\|.*\| *(\d*) *\| *(\d*) *\| *(\d*) *\|$", page(name), re.MULTILINE)
    sums = [sum(int(row[k] or 0) for row in in_page) for k in range(3)]
    assert sums == [int(x) for x in tally[1:4]]


@pytest.mark.skipif(not JIT, reason="plays many games")
@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.DOTALL))
def test_the_readmes_code_runs_as_written(code, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_readme_names_the_two_commands_and_every_experiment():
    assert "make train" in README
    assert "make test" in README
    found = [
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for path in (ROOT / "experiments").rglob("*.py")
        if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
        and (path.stem == "__main__" or path.parent.name == "experiments")
    ]
    assert len(found) > 15
    for name in found:
        assert re.search(rf"{re.escape(name.removesuffix('.__main__'))}(?![\w.])", README), name


def test_the_version_is_the_same_everywhere():
    version = sprawl_env.__version__
    assert f"\nversion: {version}\n" in CITATION
    assert f"version = {{{version}}}" in (ROOT / "docs" / "citing.md").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)(.*)$", changes, re.MULTILINE)
    assert newest[1] == version
    assert ("date-released" in CITATION) == ("unreleased" not in newest[2])
    assert PROJECT["project"]["dynamic"] == ["version", "readme"]


def test_the_page_on_pypi_names_the_places_that_it_cannot_link_to():
    urls = PROJECT["project"]["urls"]
    assert {"Homepage", "Documentation", "Source", "Changelog"} <= urls.keys()


def test_every_library_that_make_setup_asks_for_has_a_pinned_version():
    pinned = {plain(line) for line in (ROOT / "constraints.txt").read_text().splitlines()[1:]}
    asked = [*PROJECT["build-system"]["requires"], *PROJECT["project"]["dependencies"]]
    extras = PROJECT["project"]["optional-dependencies"]
    (every,) = extras["all"]
    for extra in re.search(r"\[(.*)\]", every)[1].split(","):
        asked += [word for word in extras[extra] if not word.startswith("sprawl-env[")]
    assert {plain(word) for word in asked} <= pinned


def plain(requirement):
    """Return the name in a requirement as pip compares it."""
    return re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-")


@pytest.mark.long
def test_a_wheel_contains_the_package_and_its_agents_and_no_more(tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if ".dist-info/" not in name}
        (about,) = (name for name in opened.namelist() if name.endswith("/METADATA"))
        metadata = opened.read(about).decode()
    found = subprocess.run(
        ["git", "ls-files", "sprawl_env", "agents"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    tracked = {re.sub("^agents/", "sprawl_env/agents/", name) for name in found.stdout.split()}
    assert names == tracked
    assert "Description-Content-Type: text/markdown" in metadata
    links = re.findall(r"\]\(([^)#]+)", metadata)
    assert len(links) > 40
    assert all(link.startswith("https://") for link in links)


def test_contracts_keep_kernels_from_all_modules_that_their_digest_leaves_out():
    contracts = {each["name"]: each for each in PROJECT["tool"]["importlinter"]["contracts"]}
    forbidden = contracts["pictures and words are used through the game only"]
    levels = {
        each["containers"][0]: [set(level.split(" | ")) for level in each["layers"]]
        for each in contracts.values()
        if each["name"].startswith("levels inside")
    }
    for game in GAMES:
        own = levels[f"sprawl_env.games.{game}"]
        above = set().union(*own[: own.index({"rules"})])
        for path in (ROOT / "sprawl_env" / "games" / game).glob("*.py"):
            if _PICTURES.fullmatch(path.name):
                names = {f"sprawl_env.games.{place}.{path.stem}" for place in (game, "*")}
                assert names & set(forbidden["forbidden_modules"]), path
                assert path.stem in above, path


def test_the_readme_is_short_and_says_once_that_it_is_unofficial():
    assert len(README.splitlines()) <= 150
    assert README.count("unofficial") == 1


def test_no_page_names_a_path_of_a_machine():
    pages = (path for folder in ("sprawl_env", "docs") for path in (ROOT / folder).rglob("*.md"))
    for path in [*ROOT.glob("*.md"), *pages]:
        assert not re.search(r"/(home|root|work|tmp|Users)/", path.read_text(encoding="utf-8"))


def test_hosted_ci_and_pre_commit_run_what_ci_runs():
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    lines = re.findall(r"^make (.+)$", ci, re.MULTILINE)
    words = [word for line in lines for word in line.split()]
    targets = {word for word in words if not word.startswith("-") and "=" not in word}
    assert "LONG=1" in words
    targets.add("test-long")
    hosted = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    (job,) = hosted["jobs"].values()
    assert job["steps"][-1]["run"] == ".ci/run"
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    committed = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = [hook["entry"] for repo in committed["repos"] for hook in repo["hooks"]]
    targets.remove("setup")  # a part of every other target
    assert sorted(hooks) == sorted(f"make {target}" for target in targets)
