"""The notebooks run, and what is committed shows their outputs and nothing of a machine."""

import ast
import copy
import inspect
import textwrap
from pkgutil import resolve_name

import pytest

pytest.importorskip("tyro")
pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

import nbformat

from experiments import notebooks
from sprawl_env.console import run
from tests.commands import ROOT, call, command, finish

FILES = sorted((ROOT / "notebooks").glob("*.ipynb"))
NAMES = [path.name for path in FILES]
PROJECT = ("sprawl_env", "experiments")
SLOW = {"2_anatomy.ipynb", "3_training.ipynb", "4_own_deck.ipynb", "5_search.ipynb"}


def load(path):
    return nbformat.read(path, as_version=4)


def test_there_are_five_in_order():
    assert [name[0] for name in NAMES] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_what_is_committed_was_executed_cleanly(path):
    committed = load(path)
    nbformat.validate(committed)
    assert list(notebooks.faults(committed)) == []
    assert path.read_text(encoding="utf-8") == nbformat.writes(committed) + "\n"
    tidied = copy.deepcopy(committed)
    notebooks.tidy(tidied)
    assert tidied == committed
    ids = [cell["id"] for cell in committed["cells"]]
    assert len(set(ids)) == len(ids)
    assert committed["cells"][0]["source"].startswith("# ")


def own_names(tree):
    """Return what a notebook imports from this project, by the name that it has there."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in PROJECT:
            for each in node.names:
                found[each.asname or each.name] = resolve_name(f"{node.module}.{each.name}")
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names if each.name in PROJECT]
            found |= {name: resolve_name(name) for name in names}
    return found


def bad_calls(code):
    """Yield the calls of this project's functions with arguments that they do not have."""
    tree = ast.parse(code)
    names = own_names(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id=name) if name in names:
                called = names[name]
            case ast.Attribute(value=ast.Name(id=name), attr=what) if name in names:
                called = getattr(names[name], what)
            case _:
                continue
        if any(isinstance(each, ast.Starred) for each in node.args):
            continue
        if any(each.arg is None for each in node.keywords):
            continue
        try:
            inspect.signature(called).bind(*node.args, **{k.arg: k for k in node.keywords})
        except TypeError as error:
            yield f"{ast.unparse(node)}: {error}"


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_the_calls_of_a_notebook_fit_the_functions(path):
    """The slow notebooks are not executed with every change of a function."""
    cells = [cell["source"] for cell in load(path)["cells"] if cell["cell_type"] == "code"]
    assert list(bad_calls("\n".join(cells))) == []


def test_a_call_that_does_not_fit_is_found():
    code = """
        import sprawl_env
        from experiments import show
        from sprawl_env.arena.evaluation import simultaneous as wider

        wider(3)
        show.command("x", nothing=1)
        wider(3, deals=9)
        sprawl_env.game("lots")
    """
    assert len(list(bad_calls(textwrap.dedent(code)))) == 2


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.slow] * (path.name in SLOW)) for path in FILES],
    ids=NAMES,
)
def test_a_notebook_runs_in_a_fresh_kernel_and_leaves_nothing_behind(path, tmp_path):
    before = path.read_bytes(), sorted(path.parent.iterdir())
    run = command("experiments.notebooks", str(path), "--out", "done", cwd=tmp_path)
    finish(run, seconds=880)
    assert [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()] == [
        f"done/{path.name}"
    ]
    executed = load(tmp_path / "done" / path.name)
    assert list(notebooks.faults(executed)) == []
    assert [cell["source"] for cell in executed["cells"]] == [
        cell["source"] for cell in load(path)["cells"]
    ]
    assert before == (path.read_bytes(), sorted(path.parent.iterdir()))


# --------------------------------------------------------------------- the command that runs them


def main(arguments):
    """The command in this process; the kernels are processes of their own."""
    run(notebooks.main, notebooks.Config, arguments=arguments)


def write(folder, *sources):
    """Write a notebook of code cells and return its path."""
    cells = [nbformat.v4.new_code_cell(source, id=f"c{k}") for k, source in enumerate(sources)]
    path = folder / "some.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_a_notebook_gets_its_outputs_in_place_and_the_same_each_time(tmp_path):
    path = write(tmp_path, "import sprawl_env\nprint(sprawl_env.__version__)", "6 * 7")
    finish(command("experiments.notebooks", path.name, cwd=tmp_path))
    first = path.read_bytes()
    assert list(notebooks.faults(load(path))) == []
    assert [cell["execution_count"] for cell in load(path)["cells"]] == [1, 2]
    assert load(path)["cells"][1]["outputs"][0]["data"]["text/plain"] == "42"
    finish(command("experiments.notebooks", path.name, cwd=tmp_path))
    assert path.read_bytes() == first
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import os; os._exit(3)", "ied"),
        ("import sys; print('careful', file=sys.stderr)", "expected no stderr, got 'careful'"),
        ("import warnings; warnings.warn('old')", "expected no stderr"),
        ("open('left.txt', 'w').close(); 1", "expected no files left behind, got left.txt"),
        ("import os; print(os.getcwd())", "expected no path of a machine"),
        ("object()", "expected no address of memory"),
        ("print('\\033[1mbold')", "expected plain text"),
        ("x = 1", "expected outputs, got none"),
    ],
)
def test_a_notebook_that_is_not_clean_is_refused_in_one_line_and_not_written(
    tmp_path, monkeypatch, capsys, source, says
):
    path = write(tmp_path, source)
    before = path.read_bytes()
    monkeypatch.chdir(tmp_path)
    _, err = call(capsys, path.name, main=main, code=2)
    assert err.startswith("error: some.ipynb: ")
    assert says in err
    assert err.count("\n") == 1
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none.ipynb"], "none.ipynb: cannot be read: No such file or directory"),
        (["text.ipynb"], "text.ipynb: is not a notebook"),
        (["--seconds", "0"], "seconds=0: expected a whole number from 1"),
    ],
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, capsys, arguments, says):
    (tmp_path / "text.ipynb").write_text("once upon a time")
    monkeypatch.chdir(tmp_path)
    _, err = call(capsys, *arguments, main=main, code=2)
    assert err == f"error: {says}\n"


def test_a_cell_that_takes_too_long_is_ended(tmp_path, monkeypatch, capsys):
    path = write(tmp_path, "import time\ntime.sleep(60)")
    monkeypatch.chdir(tmp_path)
    _, err = call(capsys, path.name, "--seconds", "1", main=main, code=2)
    assert err.startswith("error: some.ipynb: A cell timed out")
    assert err.count("\n") == 1


def test_old_outputs_large_pictures_and_other_metadata_are_faults():
    cell = nbformat.v4.new_code_cell("1", execution_count=2, metadata={"collapsed": True})
    picture = {"image/png": "A" * (notebooks.MOST_PICTURE + 1)}
    cell["outputs"] = [nbformat.v4.new_output("display_data", picture)]
    found = "\n".join(notebooks.faults(nbformat.v4.new_notebook(cells=[cell])))
    assert "expected execution count 1, got 2" in found
    assert "expected no metadata but tags, got collapsed" in found
    assert "expected a picture of at most" in found
    notebook = nbformat.v4.new_notebook(cells=[cell])
    notebooks.tidy(notebook)
    assert cell["metadata"] == {}
    assert notebook["metadata"] == notebooks.METADATA
