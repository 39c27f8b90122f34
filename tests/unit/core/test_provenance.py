"""core/provenance.py: what is saved with every result."""

import importlib.util
import re
import shutil
import subprocess

import pytest

from sprawl_env.core import provenance

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(folder, *words):
    """Return what git prints in a folder."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def copy_in(tmp_path):
    """A repository with a commit, and a function that puts the module into one of its folders."""
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text(".venv\n")
    git(tmp_path, "add", ".gitignore")
    git(tmp_path, "commit", "-qm", "somebody's")

    def copy(folder):
        place = tmp_path / folder / "sprawl_env" / "core" / "provenance.py"
        place.parent.mkdir(parents=True)
        shutil.copy(provenance.__file__, place)
        spec = importlib.util.spec_from_file_location("copied_provenance", place)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    yield copy


@pytest.mark.parametrize("folder", [".venv/lib/python3/site-packages", "", "vendored"])
def test_a_package_in_somebody_elses_repository_has_no_commit(copy_in, folder):
    assert copy_in(folder).commit() is None


def test_a_package_has_the_commit_of_its_own_checkout(copy_in, tmp_path):
    module = copy_in("")
    git(tmp_path, "add", "sprawl_env")
    git(tmp_path, "commit", "-qm", "ours")
    assert module.commit() == git(tmp_path, "rev-parse", "HEAD")
    assert re.fullmatch("[0-9a-f]{40}", module.provenance()["commit"])


def test_without_git_there_is_no_commit(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert provenance.commit() is None
