"""Bad calls in a child process: each is one line of the package's own, and no process dies."""

from tests.commands import ROOT, command, finish

SECONDS = 600  # a cold cache compiles first
LEAST = {  # bad calls of each group: arrays before a kernel sees them, edited masks, and so on
    "arrays:tower_up": 250,
    "arrays:ginkgopolis": 250,
    "arrays:urban_sprawl": 250,
    "numbers:tower_up": 250,
    "numbers:ginkgopolis": 250,
    "numbers:urban_sprawl": 250,
    "batches": 100,
    "environments": 150,
    "learners": 100,
}


def test_every_bad_call_is_refused_in_one_line_and_no_process_dies():
    out, _ = finish(command("tests.bad_calls", *LEAST, cwd=ROOT), seconds=SECONDS)
    found = {}
    for line in out.splitlines():
        if line.startswith("== "):
            found[line.removeprefix("== ")] = []
        else:
            found[list(found)[-1]].append(line)
    for group, least in LEAST.items():
        assert [line for line in found[group] if " | ok " not in line or "\\n" in line] == []
        assert len(found[group]) >= least, group
