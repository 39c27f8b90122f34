"""Execute the notebooks in place and check that their outputs can be published.

Example::

    python -m experiments.notebooks                            # make notebooks
    python -m experiments.notebooks notebooks/1_tour.ipynb
    python -m experiments.notebooks --out somewhere            # writes copies to another folder

Each notebook runs in a new kernel of this Python, in an empty folder.  The written file holds the
outputs without anything that changes from run to run or depends on the machine, such as times,
versions and paths.  A notebook that fails, warns, leaves files behind or shows such a thing is not
written.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, Final

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from traitlets.config import Config as Traits
from tyro.conf import Positional

from sprawl_env.console import console, run
from sprawl_env.core.errors import InvalidOption, SprawlError
from sprawl_env.core.files import is_running, write_atomically

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / "notebooks"
FORMAT: Final = 4
METADATA: Final = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
PREFIX: Final = "sprawl-notebook-"  # of temporary folders; the number of the process follows
MOST_BYTES: Final = 1_000_000  # largest file that GitHub displays
MOST_PICTURE: Final = 140_000  # as base64: 105 KB
PATHS: Final = re.compile(r"(?:^|[\s'\"(=])(/(?:home|root|work|tmp|var|opt|Users)/\S*|[A-Z]:\\\S*)")
ADDRESSES: Final = re.compile(r"\bat 0x[0-9a-f]{6,}")
ANSI: Final = "\x1b["


class NotebookError(SprawlError):
    """A notebook that fails, or whose outputs cannot be published."""


@dataclass(frozen=True)
class Config:
    """Which notebooks to execute, and how."""

    files: Positional[tuple[Path, ...]] = ()
    """notebooks; default: all notebooks of this checkout"""
    out: Path | None = None
    """folder for the executed notebooks; default: in place"""
    seconds: int = 600
    """time limit of a cell"""


def texts(output: Any) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of everything in an output."""
    if output["output_type"] == "stream":
        yield output["name"], output["text"]
    elif output["output_type"] == "error":
        yield "error", f"{output['ename']}: {output['evalue']}"
    else:
        yield from ((kind, str(data)) for kind, data in output["data"].items())


def faults(notebook: Any) -> Iterator[str]:
    """Yield what is wrong with an executed notebook, one line per fault."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, start=1):
        where = f"cell {cell.get('id', number)}"
        if cell["execution_count"] != number:
            yield f"{where}: expected execution count {number}, got {cell['execution_count']}"
        if set(cell["metadata"]) - {"tags"}:
            yield f"{where}: expected no metadata but tags, got {', '.join(cell['metadata'])}"
        for output in cell["outputs"]:
            for kind, text in texts(output):
                yield from (f"{where}: {fault}" for fault in faults_of(kind, text))
    if not any(cell["outputs"] for cell in cells):
        yield "expected outputs, got none"
    size = len(nbformat.writes(notebook).encode())
    if size > MOST_BYTES:
        yield f"expected at most {MOST_BYTES:,} bytes, got {size:,}"


def faults_of(kind: str, text: str) -> Iterator[str]:
    """Yield what is wrong with one text of an output."""
    if kind in {"stderr", "error"}:
        yield f"expected no {kind}, got {text.strip().splitlines()[-1]!r}"
    if kind.startswith("image/") and len(text) > MOST_PICTURE:
        yield f"expected a picture of at most {MOST_PICTURE:,} characters, got {len(text):,}"
    if kind == "image/png":
        return
    if path := PATHS.search(text):
        yield f"expected no path of a machine, got {path[1]!r}"
    if address := ADDRESSES.search(text):
        yield f"expected no address of memory, got {address[0]!r}"
    if ANSI in text:
        yield "expected plain text, got control codes of a terminal"


def tidy(notebook: Any) -> None:
    """Remove metadata that changes from run to run."""
    notebook["metadata"] = METADATA
    for cell in notebook["cells"]:
        cell["metadata"] = {k: v for k, v in cell["metadata"].items() if k == "tags"}
        for output in cell.get("outputs", []):
            if "metadata" in output:
                output["metadata"] = {}


def remove_abandoned() -> None:
    """Delete the temporary folders of processes that no longer run."""
    for path in Path(gettempdir()).glob(f"{PREFIX}*"):
        number = path.name.removeprefix(PREFIX).partition("-")[0]
        if number.isdecimal() and not is_running(int(number)):
            shutil.rmtree(path, ignore_errors=True)


def execute(notebook: Any, seconds: int, progress: Progress, task: Any) -> None:
    """Execute a notebook in an empty folder; its old outputs are replaced.

    Raises:
        NotebookError: a cell fails or exceeds the time limit, or files are left behind.
    """
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "SPRAWL_ENV_QUIET": "1",
    }
    remove_abandoned()
    with TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-") as temporary:
        folder = Path(temporary) / "empty"
        folder.mkdir()
        kernel = {  # without encryption kernels warn; the file would stay if this were killed
            "transport_encryption": "auto",
            "connection_file": str(Path(temporary) / "kernel.json"),
        }
        client = NotebookClient(
            notebook,
            timeout=seconds,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(folder)}},
            config=Traits({"KernelManager": kernel}),
            on_cell_complete=lambda **_: progress.advance(task),
        )
        try:
            client.execute(env=environment, stderr=subprocess.DEVNULL)  # the kernel's own messages
        except CellExecutionError as error:
            raise NotebookError(f"{error.ename}: {error.evalue}") from None
        except (CellTimeoutError, DeadKernelError) as error:
            raise NotebookError(str(error).splitlines()[0]) from None
        left = sorted(path.name for path in folder.iterdir())
    if left:
        raise NotebookError(f"expected no files left behind, got {', '.join(left)}")


def process(path: Path, config: Config, progress: Progress) -> None:
    """Execute a notebook, check its outputs and write it.

    Raises:
        NotebookError: the notebook cannot be read, fails, or has outputs that cannot be published.
    """
    try:
        notebook = nbformat.read(path, as_version=FORMAT)
    except OSError as error:
        raise NotebookError(f"cannot be read: {error.strerror}") from None
    except (ValueError, nbformat.ValidationError):
        raise NotebookError("is not a notebook") from None
    count = sum(cell["cell_type"] == "code" for cell in notebook["cells"])
    task = progress.add_task(path.name, total=count)
    execute(notebook, config.seconds, progress, task)
    tidy(notebook)
    found = list(faults(notebook))
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise NotebookError(f"{found[0]}{more}")
    target = path if config.out is None else config.out / path.name
    write_atomically(target, nbformat.writes(notebook) + "\n")


def main(config: Config) -> None:
    """Execute the notebooks.

    Raises:
        NotebookError: one fails or has outputs that cannot be published; the message names it.
        InvalidOption: an option is invalid.
    """
    if config.seconds < 1:
        raise InvalidOption(f"seconds={config.seconds}: expected a whole number from 1")
    files = list(config.files) or sorted(FOLDER.glob("*.ipynb"))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console()) as progress:
        for path in files:
            try:
                process(path, config, progress)
            except NotebookError as error:
                raise NotebookError(f"{path.name}: {error}") from None


if __name__ == "__main__":
    run(main, Config)
