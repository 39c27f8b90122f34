"""The commands: one-line errors, whole files, optional libraries, runs that can be killed.

Bad input is tested in this process; one test for each command starts a real one.
"""

import importlib
import importlib.metadata
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
import pytest

import sprawl_env.__main__
from experiments import benchmark, train
from sprawl_env import replays
from sprawl_env.commands import warmup
from sprawl_env.console import USAGE_ERROR, run, say
from sprawl_env.core import extras
from sprawl_env.core.errors import UnknownName
from tests.commands import ROOT, call, command, finish, hide, refused, run_code

TINY = [
    "--num-envs",
    "16",
    "--num-steps",
    "8",
    "--batch-size",
    "64",
    "--num-epochs",
    "1",
    "--width",
    "8",
    "--trunk",
    "16",
    "--imitation",
    "0",
    "--max-minutes",
    "0",
    "--processes",
    "1",
]
OWN = "examples.lots:RULES"
WARM_UP = f"""
from sprawl_env.__main__ import main
if __name__ == "__main__":
    main(["warmup", "--game", "{OWN}", "--bots"])
"""
PLAY_WARM = f"""
import numpy as np
import sprawl_env
from sprawl_env.bots.names import make_bot

game = sprawl_env.game("{OWN}")
vec = sprawl_env.make_vec(game, 4)
vec.reset()
vec.step(vec.sample_actions())
games = game.deal(1)
names = "greedy planner:playouts=2 mcts:sims=2 mcts:sims=2,widen=1 search:agent=uniform,sims=2"
for name in names.split():
    bot, mask = make_bot(name, game), game.legal_actions(games, 0)
    seen = game.observe(games, 0, int(games["to_play"][0]))[None]
    game.play(games, 0, int(bot.act(seen, mask[None], games)[0]))
while games["over"][0] == 0:
    game.play(games, 0, int(np.argmax(game.legal_actions(games, 0))))
game.scores(games, 0), game.standings(games, 0)
print("played")
"""
ALL_EXTRAS = [library for libraries in extras.EXTRAS.values() for library in libraries]


# -------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--game", "tower"], "unknown game 'tower'"),
        (["--preset", "quik"], "unknown preset 'quik' (did you mean 'quick'?)"),
        (["--seed", "3", "--preset=quik"], "unknown preset 'quik' (did you mean 'quick'?)"),
        (["--options", "objectives=all"], "expected one of random, start"),
        (["--options", "floors=4"], "tower_up got an unexpected keyword argument 'floors'"),
        (["--options", "floors"], "expected name=value"),
        (["--num-players", "7"], "expected a whole number 2..4"),
        (["--batch-size", "99999999"], "expected at most num_envs"),
        (["--processes", "3"], "expected a multiple of processes=3"),
        (["--expert", "gredy"], "unknown bot 'gredy'"),
        (["--gamma", "1.5"], "gamma=1.5: expected 0..1"),
        (["--reward", "win"], "unknown reward 'win'"),
        (["--resume", "nowhere"], "expected a run's folder"),
    ],
)
def test_bad_input_of_training_is_one_line_and_leaves_nothing_behind(
    tmp_path, monkeypatch, capsys, arguments, says
):
    pytest.importorskip("sb3_contrib")
    monkeypatch.chdir(tmp_path)
    assert says in refused(capsys, *arguments, main=train.main)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("flag", ["--preset", "--resume", "--seed"])
def test_a_flag_without_its_value_is_named(capsys, flag):
    pytest.importorskip("torch")
    with pytest.raises(SystemExit) as ended:
        train.main([flag])
    assert ended.value.code == USAGE_ERROR
    assert f"Missing value for argument '{flag}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["evaluate", "--game", "tower"], "unknown game 'tower'"),
        (["evaluate", "--game", "no_module:RULES"], "no module 'no_module'"),
        (["evaluate", "--game", "tests.toy:NAME"], "expected a GameRules, got str"),
        (["evaluate", "--bots", "gredy", "random"], "unknown bot 'gredy'"),
        (["evaluate", "--bots", "greedy"], "expected 2"),
        (["evaluate", "--bots"], "bots: expected at least one"),
        (["evaluate", "--bots", "checkpoint:nowhere", "random"], "no such folder"),
        (["evaluate", "--bots", "agent:tower_up/nobody", "random"], "no such agent"),
        (["evaluate", "--games", "0"], "games=0: expected a whole number from 1"),
        (["evaluate", "--seed", "-1"], "expected a whole number 0.."),
        (["evaluate", "--out", "."], "expected a file, this is a folder"),
        (["evaluate", "--out", "/dev/null/result.json"], "cannot be written"),
        (["warmup", "--game", "chess"], "unknown game 'chess'"),
        (["warmup", "--game", "tower_up", "chess"], "unknown game 'chess'"),
        (["data", "chess"], "unknown game 'chess'"),
        (["data", "tower_up", "chess"], "unknown game 'chess'"),
        (["data", "tower_up", "--overlay", "nowhere"], "does not exist"),
        (["play", "--game", "tower"], "unknown game 'tower'"),
        (["play", "--seats", "greedy", "random"], "'human' among them"),
        (["play", "--seats", "human", "gredy"], "unknown bot 'gredy'"),
        (["play", "--port", "70000"], "port=70000: expected 0..65535"),
        (["replay", "verify", "nowhere.jsonl"], "cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing_behind(
    tmp_path, monkeypatch, capsys, arguments, says
):
    monkeypatch.chdir(tmp_path)
    if arguments[0] == "play":
        pytest.importorskip("starlette")
    assert says in refused(capsys, *arguments)
    assert list(tmp_path.iterdir()) == []


def test_bad_input_of_the_benchmark_is_one_line(monkeypatch, capsys, tmp_path):
    def main(arguments):
        run(benchmark.main, benchmark.Config, arguments=arguments)

    monkeypatch.chdir(tmp_path)
    assert "unknown game 'chess'" in refused(capsys, "--games", "chess", main=main)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [[], ["evalute"], ["evaluate", "--gmes", "3"], ["replay"], ["data", "--overlay"]]
)
def test_wrong_usage_exits_with_2_and_without_a_traceback(capsys, arguments):
    out, err = call(capsys, *arguments, code=2)
    assert "Traceback" not in out + err
    assert "--help" in out + err
    assert len((out + err).splitlines()) < 30


# --------------------------------------------------------------------------------------- output


@dataclass(frozen=True)
class Says:
    """Says one line."""

    line: str = "\u22121 tile, torch:robot:make"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_output_of_any_encoding_shows_every_text(monkeypatch, encoding):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    run(lambda command: say(command.line), Says, arguments=[])
    minus = "\u2212" if encoding == "utf-8" else r"\u2212"
    assert written.getvalue().decode(encoding).strip() == f"{minus}1 tile, torch:robot:make"


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_command_works_where_its_output_is_closed(monkeypatch, closed):
    monkeypatch.setattr(sys, closed, None)
    run(lambda command: say(command.line), Says, arguments=[])

    def refuse(command):
        raise UnknownName(command.line)

    with pytest.raises(SystemExit) as left:
        run(refuse, Says, arguments=[])
    assert left.value.code == 2
    getattr(sys, closed).close()


# ----------------------------------------------------------------------- help, speed, the script


# The name of a command is that of its module.
COMMANDS = [[module.__name__.rpartition(".")[2]] for module in sprawl_env.__main__.MODULES.values()]
REPLAY = ["verify", "show", "html", "gif"]


@pytest.mark.parametrize("width", ["80", "120"])
@pytest.mark.parametrize("words", [[], *COMMANDS, *(["replay", each] for each in REPLAY)])
def test_every_help_fits_the_screen(capsys, monkeypatch, words, width):
    monkeypatch.setenv("COLUMNS", width)
    with pytest.raises(SystemExit) as left:
        sprawl_env.__main__.main([*words, "--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    assert f"usage: {' '.join(['sprawl-env', *words])} " in shown
    assert "{None}" not in shown
    options = shown[shown.index("options ") :].splitlines()  # the terminal wraps what is above
    assert len(options) > 2
    assert max(map(len, options)) <= int(width)


def test_the_console_script_is_the_command_line():
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="sprawl-env")
    assert script.value == "sprawl_env.__main__:main"
    assert script.load() is sprawl_env.__main__.main


def test_help_and_import_load_no_optional_library():
    code = (
        "import sys, sprawl_env\n"
        "early = [n for n in ('sprawl_env.bots',) if n in sys.modules]\n"
        "import sprawl_env.__main__ as m\n"
        "early += [n for n in ('sprawl_env.arena', 'sprawl_env.learning') if n in sys.modules]\n"
        "try: m.main(['play', '--help'])\n"
        "except SystemExit: pass\n"
        f"print('LOADED', early, [n for n in {ALL_EXTRAS} if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "LOADED [] []", done.stderr


# ------------------------------------------------------------------------------ missing libraries


def test_play_names_the_extra_that_it_needs(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    hide(monkeypatch, "starlette")
    assert refused(capsys, "play") == (
        "error: sprawl-env play needs starlette, which is not installed: "
        "pip install 'sprawl-env[play]'\n"
    )
    hide(monkeypatch, "starlette", "uvicorn")
    assert "needs starlette and uvicorn, which are not installed" in refused(capsys, "play")


def test_training_names_the_extra_that_it_needs(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    hide(monkeypatch, "sb3_contrib", "torch")
    err = refused(capsys, main=train.main)
    assert err.startswith("error: sprawl_env.train needs torch and sb3-contrib, which are not")
    assert "pip install 'sprawl-env[train]'" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("module", "hidden", "says"),
    [
        ("adapters.sb3", ["stable_baselines3"], "stable-baselines3, .*'sprawl-env\\[train\\]'"),
        ("adapters.sb3", ["torch"], "stable-baselines3, .*'sprawl-env\\[train\\]'"),
        ("adapters.torchrl", ["torchrl"], "torchrl, .*'sprawl-env\\[torchrl\\]'"),
        ("adapters.torchrl", ["torchrl", "tensordict"], "torchrl, .*'sprawl-env\\[torchrl\\]'"),
        ("adapters.torchrl", ["tensordict"], "torchrl, .*'sprawl-env\\[torchrl\\]'"),
        ("adapters.torchrl", ["torch"], "torchrl, .*'sprawl-env\\[torchrl\\]'"),
        ("adapters.open_spiel", ["pyspiel"], "open_spiel, .*'sprawl-env\\[open_spiel\\]'"),
        ("learning.curves", ["tensorboard"], "tensorboard, .*'sprawl-env\\[train\\]'"),
    ],
)
def test_a_module_names_the_extra_that_it_needs(monkeypatch, module, hidden, says):
    monkeypatch.delitem(sys.modules, f"sprawl_env.{module}", raising=False)
    for name in [name for name in sys.modules if name.startswith(("stable_baselines3", "torchrl"))]:
        monkeypatch.delitem(sys.modules, name)  # they import what is hidden
    hide(monkeypatch, *hidden)
    with pytest.raises(extras.MissingExtra, match=f"^sprawl_env.{module} needs {says}$") as error:
        importlib.import_module(f"sprawl_env.{module}")
    assert "\n" not in str(error.value)


def test_trained_agents_play_without_torch(monkeypatch, capsys):
    hide(monkeypatch, *extras.EXTRAS["train"])
    bots = ("search:agent=tower_up/quick,sims=2", "agent:tower_up/quick")
    words = ("--game", "tower_up", "--games", "2", "--bots", *bots)
    assert "agent:tower_up/quick" in call(capsys, "evaluate", *words).out
    assert "torch" not in sys.modules


def test_a_library_that_is_damaged_is_named_with_the_reason(monkeypatch):
    def broken(name):
        raise ImportError("libtorch.so: cannot open shared object file")

    monkeypatch.setattr(extras.importlib, "import_module", broken)
    monkeypatch.setattr(extras, "missing", lambda modules: [])
    with pytest.raises(extras.MissingExtra, match=r"cannot be imported \(libtorch.so: cannot"):
        extras.require("torch", "a trained policy")


def test_every_extra_is_declared_in_the_project():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["optional-dependencies"]
    for extra, libraries in extras.EXTRAS.items():
        names = {extras._INSTALLED_AS.get(library, library) for library in libraries}
        assert names == {re.split("[>;<]", word)[0] for word in declared[extra]}


@pytest.mark.compiled
def test_without_extras_bots_that_need_no_torch_play(tmp_path):
    code = (
        "import sys\n"
        "from sprawl_env.__main__ import main\n"
        "from tests.commands import without\n"
        f"sys.meta_path[:] = without(*{ALL_EXTRAS})\n"
        "if __name__ == '__main__':\n"
        "    main(['evaluate', '--bots', 'greedy', 'random', '--games', '4'])\n"
        "    main('tournament --games 2 --processes 1 --out t'.split())\n"
        "    main(['data', 'tower_up'])\n"
    )
    (tmp_path / "bare.py").write_text(code)
    out, _ = finish(command("bare", cwd=tmp_path))
    note = "note: the report has no openskill ratings and no picture: openskill and matplotlib are"
    assert out.index(note) < out.index("report: ")
    assert "pip install 'sprawl-env[analysis]'" in out
    report = json.loads((tmp_path / "t" / "report.json").read_text())
    assert all(line["elo"] and line["mu"] is None for line in report["bots"])
    files = {path.name for path in (tmp_path / "t").iterdir()}
    assert {"report.md", "report.html"} < files
    assert "report.png" not in files
    assert "report.png" not in (tmp_path / "t" / "report.md").read_text()
    assert "<img" not in (tmp_path / "t" / "report.html").read_text()


# ------------------------------------------------------------------------------------ data folders


@pytest.fixture
def changed_cards(tmp_path):
    """A folder with a file of cards, and a game of Tower Up that was played with them."""
    packaged = sprawl_env.game("tower_up").rules.data_folder / "cards.toml"
    text = packaged.read_text().replace("grey", "?").replace("white", "grey").replace("?", "white")
    folder = tmp_path / "cards"
    folder.mkdir()
    (folder / "cards.toml").write_text(text)
    game = sprawl_env.game("tower_up", data=folder, max_turns=3)
    (tmp_path / "game.jsonl").write_text(replays.dump(replays.record_random(game, 1)))
    return folder


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["verify"], "1 game verified"),
        (["show"], "scores: "),
        (["html"], "game.html: "),
        pytest.param(["gif", "--width", "200"], "game.gif: ", marks=pytest.mark.compiled),
    ],
    ids=REPLAY,
)
def test_a_replay_with_changed_cards_needs_their_folder(changed_cards, capsys, words, says):
    if "gif" in words:
        pytest.importorskip("PIL")
    folder = changed_cards.parent
    action = ["replay", *words, folder / "game.jsonl"]
    assert "error: " in call(capsys, *action, code=2).err
    assert {path.name for path in folder.iterdir()} == {"cards", "game.jsonl"}
    assert says in call(capsys, *action, "--data", changed_cards).out


def test_the_tally_counts_the_rows_of_another_folder(tmp_path, capsys):
    def contracts(*words):
        lines = call(capsys, "data", "urban_sprawl", *words).out.splitlines()
        (line,) = [line for line in lines if line.startswith("town.toml contract")]
        return [int(cell) for cell in line.split()[2:]]  # by source, all, mixed

    text = (sprawl_env.game("urban_sprawl").rules.data_folder / "town.toml").read_text()
    ours = 'source = "public"\nours = ["effects"]\n'
    (tmp_path / "town.toml").write_text(text.replace(ours, 'source = "printed"\n', 2))
    printed, public, stand_in, rows, mixed = contracts()
    expected = [printed + 2, public - 2, stand_in, rows, mixed - 2]
    assert contracts("--overlay", tmp_path) == expected


# --------------------------------------------------------------------------------- real processes


@pytest.mark.compiled
def test_evaluation_prints_a_table_and_writes_json(tmp_path):
    out, _ = finish(
        command(
            "sprawl_env", "evaluate", "--bots", "greedy", "random", "--num-players", "3",
            "--games", "30", "--out", "result.json", cwd=tmp_path,
        )
    )  # fmt: skip
    assert "95% interval" in out
    result = json.loads((tmp_path / "result.json").read_text())
    lines = {line["bot"]: line for line in result["lines"]}
    assert lines["greedy"]["games"] == 30
    assert lines["greedy"]["wins"] + 2 * lines["random"]["wins"] == pytest.approx(1)
    assert lines["greedy"]["low"] <= lines["greedy"]["wins"] <= lines["greedy"]["high"]
    assert result["versions"]["numpy"] == np.__version__
    assert result["config"] == {
        "game": "tower_up", "bots": ["greedy", "random", "random"], "num_players": 3,
        "options": [], "num_games": 30, "seed": 0, "parts": 1,
    }  # fmt: skip


@pytest.mark.compiled
def test_warm_up_and_tally(tmp_path):
    _, err = finish(command("sprawl_env", "warmup", cwd=tmp_path))
    assert "ready in" in err
    out, _ = finish(command("sprawl_env", "data", cwd=tmp_path))
    assert "stand-in" in out
    assert "cards.toml card" in out


@pytest.mark.parametrize("flags", [[], ["--bots"]])
def test_warm_up_runs_each_stage_of_a_game_and_its_bots_if_asked(monkeypatch, capsys, flags):
    ran, stages = [], [what for what, _ in warmup.stages(OWN)]

    def noted(name):
        return ((what, lambda what=what: ran.append((name, what))) for what in stages)

    monkeypatch.setattr(warmup, "usable_cores", lambda: 1)
    monkeypatch.setattr(warmup, "stages", noted)
    monkeypatch.setattr(warmup, "compile_bot", lambda name, bot, _: ran.append((name, bot)))
    assert "ready in" in call(capsys, "warmup", "--game", OWN, *flags).err
    assert ran == [(OWN, what) for what in (*stages, *(warmup.BOTS if flags else ()))]


@pytest.mark.long
@pytest.mark.compiled
def test_after_a_warm_up_no_process_compiles(tmp_path):
    def files():
        return {path for path in tmp_path.rglob("*") if path.is_file()}

    _, err = run_code(WARM_UP, ROOT, SPRAWL_ENV_CACHE=str(tmp_path))
    assert "compiling the rules" in err
    assert "ready in" in err
    warm = files()
    assert warm
    assert run_code(PLAY_WARM, ROOT, SPRAWL_ENV_CACHE=str(tmp_path)) == ("played\n", "")
    assert files() == warm


def test_play_in_the_terminal_ends_at_the_end_of_input(tmp_path):
    process = command("sprawl_env", "play", "--terminal", cwd=tmp_path, stdin=subprocess.DEVNULL)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0
    assert "Traceback" not in out + err
    assert "Tower Up" in out
    assert out.endswith("you> ")


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(
    "call",
    [
        'sprawl_env.evaluate("tower_up", ["random", "random"], num_games=8, parts=2)',
        'sprawl_env.train("tower_up", processes=2, imitation=0, evaluation_games=0)',
    ],
)
def test_a_script_without_a_guard_is_told_to_have_one(tmp_path, call):
    if "train" in call:
        pytest.importorskip("torch")
    script = tmp_path / "script.py"
    script.write_text(f"import sprawl_env\n{call}\n", encoding="utf-8")
    process = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert process.returncode == 1
    assert process.stderr.count("Traceback") == 1  # of the script itself
    assert process.stderr.rstrip().endswith("under if __name__ == '__main__':")


@pytest.mark.slow
@pytest.mark.compiled
def test_training_survives_sigkill_and_goes_on(tmp_path):
    pytest.importorskip("sb3_contrib")
    run = tmp_path / "runs" / "mine"
    train = ["experiments.train", *TINY, "--name", "mine", "--checkpoint-every", "512"]
    train += ["--processes", "2"]
    train += ["--total-steps", "1000000", "--evaluation-games", "20"]
    first = command(*train, cwd=tmp_path)
    deadline = time.monotonic() + 200
    while len(list((run / "checkpoints").glob("step-*"))) < 3:
        assert time.monotonic() < deadline and first.poll() is None, first.stderr.read()
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    saved = sorted(p.name for p in (run / "checkpoints").glob("step-*"))
    newest = int(saved[-1].removeprefix("step-"))
    config = json.loads((run / "config.json").read_text())
    config["config"]["total_steps"] = newest + 1000  # so that the rest is short
    (run / "config.json").write_text(json.dumps(config))
    out, _ = finish(command("experiments.train", "--resume", str(run), cwd=tmp_path))
    assert f"at step {newest:,} of {newest + 1000:,}" in out
    after = sorted(int(p.name.removeprefix("step-")) for p in (run / "checkpoints").glob("step-*"))
    assert [s for s in after if s <= newest] == [int(s.removeprefix("step-")) for s in saved]
    assert after[-1] >= newest + 1000
    result = json.loads((run / "evaluation.json").read_text())
    assert {"random", "greedy"} == result["results"].keys()
    assert "95% interval" in (run / "evaluation.txt").read_text()
    again, _ = finish(command("experiments.train", "--resume", str(run), cwd=tmp_path))
    assert "100% done" in again


@pytest.mark.long
@pytest.mark.compiled
def test_resuming_passes_over_a_damaged_checkpoint(tmp_path):
    pytest.importorskip("sb3_contrib")
    run = tmp_path / "runs" / "mine"
    train = ["experiments.train", *TINY, "--name", "mine", "--checkpoint-every", "256"]
    finish(command(*train, "--total-steps", "600", "--evaluation-games", "0", cwd=tmp_path))
    newest = sorted((run / "checkpoints").glob("step-*"))[-1]
    weights = newest / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    out, _ = finish(command("experiments.train", "--resume", str(run), cwd=tmp_path))
    assert "skipped: " in out
    assert "resuming " in out
    _, err = finish(command(*train, cwd=tmp_path), code=2)
    assert "exists: resume it with --resume" in err


@pytest.mark.long
@pytest.mark.compiled
def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path):
    pytest.importorskip("sb3_contrib")
    train = ["experiments.train", *TINY, "--name", "mine", "--total-steps", "10000000"]
    process = command(*train, cwd=tmp_path)
    checkpoints = tmp_path / "runs" / "mine" / "checkpoints"
    deadline = time.monotonic() + 200
    while not list(checkpoints.glob("step-*")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, _ = finish(process)
    assert "resume with: python -m experiments.train --resume" in out
    assert len(list(checkpoints.glob("step-*"))) == 2


# -------------------------------------------------------------------------------------- intervals


def test_intervals_shrink_with_deals_and_stay_inside():
    from sprawl_env.arena.evaluation import interval

    for shares in (np.ones(50), np.zeros(50), np.tile([0.0, 1.0], 25), np.full(50, 0.5)):
        low, high = interval(shares)
        assert 0 <= low <= shares.mean() <= high <= 1
    wide = interval(np.tile([0.0, 1.0], 50))
    narrow = interval(np.tile([0.0, 1.0], 5000))
    assert narrow[1] - narrow[0] < (wide[1] - wide[0]) / 8
    assert interval(np.ones(50))[0] > 0.9
    assert interval(np.ones(1)) == interval(np.zeros(1)) == (0, 1)
