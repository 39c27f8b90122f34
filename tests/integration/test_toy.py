"""The example *Lots* copied into a folder of the user's: every part of the package takes it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from examples import lots
from sprawl_env.kernels.compile import JIT

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
BOTS = ("score_greedy:ScoreGreedy", "monte_carlo:MonteCarlo", "epsilon_greedy:EpsilonGreedy")
HEURISTIC = ", heuristic=HEURISTIC"


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the example, as a user has it."""
    shutil.copy(EXAMPLES / "lots.py", tmp_path)
    shutil.copytree(EXAMPLES / "bots", tmp_path / "bots")
    return tmp_path


def start(folder, *words, code=None, **environment):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "SPRAWL_ENV_QUIET": "1", **environment}
    command = [sys.executable, *(("-c", code) if code else words)]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=500, check=False
    )


def run(folder, *words, **arguments):
    """Run Python in the folder and return what it prints."""
    done = start(folder, *words, **arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def script(folder, text):
    """Run a script of the user's, as a file: spawned processes import it."""
    (folder / "script.py").write_text(text)
    return run(folder, "script.py")


def test_the_example_is_short_and_runs(folder):
    assert len((EXAMPLES / "lots.py").read_text().splitlines()) <= 300
    shown = run(folder, "lots.py")
    assert shown.count("> seat") == 6
    assert "points: [" in shown


SPAWNED = """
import multiprocessing, pickle, sys
import sprawl_env
{imports}

def dealt(game):
    return game.name, game.options, game.deal(2, 5).tobytes(), sprawl_env.game("lots").num_actions

if __name__ == "__main__":
    game = sprawl_env.game("lots", num_players=3)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(dealt, (game,)) == dealt(game)
    print("same")
"""


def test_it_pickles_into_a_spawned_process(folder):
    assert script(folder, SPAWNED.format(imports="import lots")) == "same\n"


def test_a_game_in_the_main_script_pickles_into_a_spawned_process(folder):
    rules, _, _ = (folder / "lots.py").read_text().partition("def main():")
    assert script(folder, SPAWNED.format(imports=rules)) == "same\n"


def test_it_pickles_by_path_into_a_process_that_has_never_heard_of_it(folder):
    dump = "import pickle, sys, sprawl_env, lots\n"
    dump += "open('game', 'wb').write(pickle.dumps(sprawl_env.game('lots')))"
    run(folder, code=dump)
    load = "import pickle; game = pickle.load(open('game', 'rb')); print(game, game.deal(1).ply)"
    assert run(folder, code=load) == "sprawl_env.game('lots', num_players=2) [0]\n"


MADE = """
import gymnasium, numpy as np, pettingzoo, warnings
warnings.simplefilter("error", UserWarning)
env = gymnasium.make("lots:sprawl_env/Lots-v0", num_players=3, seat=1)
_, info = env.reset(seed=0)
ended = False
while not ended:
    action = int(np.flatnonzero(info["action_mask"])[0])
    _, reward, terminated, truncated, info = env.step(action)
    ended = terminated or truncated
print(info["scores"].tolist(), reward)
zoo = pettingzoo.make("aec", "sprawl_env/lots-v0", num_players=3, render_mode="ansi")
zoo.reset(seed=0)
print(zoo.render())
"""


def test_gymnasium_and_pettingzoo_make_it(folder):
    scores, *board = run(folder, code=MADE).splitlines()
    assert re.fullmatch(r"\[\d+, \d+, \d+\] -?[\d.]+", scores)
    assert board[0] == "Free lots: 6, cards left: 3"
    assert len(board) == 4


@pytest.mark.long
@pytest.mark.parametrize("heuristic", [True, False])
def test_it_is_evaluated_with_and_without_a_heuristic(folder, heuristic):
    if not heuristic:
        text = (folder / "lots.py").read_text()
        assert HEURISTIC in text
        (folder / "lots.py").write_text(text.replace(HEURISTIC, ""))
    run(
        folder, "-m", "sprawl_env", "evaluate", "--game", "lots:RULES", "--bots", "greedy",
        "random", "--games", "200", "--out", "result.json",
    )  # fmt: skip
    result = json.loads((folder / "result.json").read_text())
    assert result["config"]["game"] == "lots:RULES"
    assert result["lines"][0]["wins"] > 0.6


@pytest.mark.parametrize("bot", BOTS)
def test_the_example_bots_beat_random_play(folder, bot):
    run(
        folder, "-m", "sprawl_env", "evaluate", "--game", "lots:RULES", "--bots", f"bots.{bot}",
        "random", "--games", "120", "--out", "result.json",
    )  # fmt: skip
    assert json.loads((folder / "result.json").read_text())["lines"][0]["wins"] > 0.55


def test_the_example_bot_for_tower_up_beats_random_play(folder):
    run(
        folder, "-m", "sprawl_env", "evaluate", "--game", "tower_up", "--bots",
        "bots.roofer:Roofer", "random", "--games", "40" if JIT else "2", "--out", "result.json",
    )  # fmt: skip
    assert json.loads((folder / "result.json").read_text())["lines"][0]["wins"] >= (
        0.8 if JIT else 0
    )


@pytest.mark.parametrize(
    "path", sorted((EXAMPLES / "bots").glob("*.py")), ids=lambda path: path.stem
)
def test_the_example_bots_are_short(path):
    assert 20 <= len(path.read_text().splitlines()) <= 45


@pytest.mark.long
def test_a_tournament_of_spawned_workers_and_its_replays(folder):
    run(
        folder, "-m", "sprawl_env", "tournament", "--game", "lots:RULES", "--bots", "greedy",
        "random", "bots.score_greedy:ScoreGreedy", "--games", "4", "--processes", "2",
        "--replays", "--out", "result",
    )  # fmt: skip
    replay = str(next((folder / "result" / "replays").glob("*.jsonl")))
    verify = ("-m", "sprawl_env", "replay", "verify", replay)
    assert "verified" in run(folder, *verify, "--rules", "lots:RULES")
    unknown = start(folder, *verify)
    assert unknown.returncode != 0
    assert "unknown game 'lots'" in unknown.stderr
    shown = run(
        folder, "-m", "sprawl_env", "replay", "show", replay, "--boards", "--rules", "lots:RULES"
    )
    assert "build a " in shown
    run(
        folder, "-m", "sprawl_env", "replay", "html", replay, "-o", "page.html", "--rules",
        "lots:RULES",
    )  # fmt: skip
    assert "<html" in (folder / "page.html").read_text()


BY_NAME = """
import lots, sprawl_env
if __name__ == "__main__":
    played = sprawl_env.tournament("lots", ["greedy", "random"], num_games=4, processes=2)
    print(type(played).__name__)
"""


def test_a_tournament_by_name_from_a_script(folder):
    assert script(folder, BY_NAME).endswith("Tournament\n")


@pytest.mark.long
@pytest.mark.skipif(not JIT, reason="trains")
@pytest.mark.parametrize("heuristic", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_it_trains_in_two_processes_and_its_run_is_taken(folder, heuristic):
    pytest.importorskip("sb3_contrib")
    if not heuristic:
        text = (folder / "lots.py").read_text()
        (folder / "lots.py").write_text(text.replace(HEURISTIC, ""))
    small = "total_steps=2048, max_minutes=0, num_envs=16, num_steps=16, batch_size=64, width=8"
    small += ", trunk=16, num_epochs=1, imitation=1000, imitation_epochs=1, checkpoint_every=512"
    small += ", evaluation_games=40"
    script(
        folder,
        "import lots, sprawl_env\n"
        "if __name__ == '__main__':\n"
        f"    run = sprawl_env.train('lots', {small}, processes=2, name='it')\n"
        "    assert run.finished\n",
    )
    config = json.loads((folder / "runs" / "it" / "config.json").read_text())["config"]
    assert config["game"] == "lots:RULES"
    shown = run(
        folder, "-m", "sprawl_env", "evaluate", "--game", "lots:RULES", "--bots",
        "checkpoint:runs/it", "random", "--games", "20",
    )  # fmt: skip
    assert "checkpoint:runs/it" in shown
    assert_its_run_is_taken(folder)


def assert_its_run_is_taken(folder):
    """Fit, export and measure a run; the curve is drawn again by a process that has not trained."""

    def command(*words):
        return run(folder, "-m", *words, "--game", "lots:RULES")

    assert "written" in command("experiments.outcomes", "runs/it", "runs/fitted", "--games", "40")
    told = command("experiments.export", "runs/it", "agents/lots/own", "--own-games", "0")
    assert told.startswith("agent:lots/own: agents/lots/own")
    (folder / "curve.py").write_text(CURVE)
    for words in (("runs/it",), ()):
        assert " decisions | 1 |" in command("curve", *words, "--out", "runs/c", "--games", "20")
    refused = start(folder, "-m", "curve", "--out", "runs/c", "--game", "tower_up")
    assert "is of lots" in refused.stderr


CURVE = """
from experiments import curves
from sprawl_env.console import run
curves.AXES = {"decisions": (2000,), "minutes": (2,)}  # the run is short
run(curves.main, curves.Config)
"""


@pytest.mark.skipif(not JIT, reason="trains")
@pytest.mark.slow
def test_the_training_command_takes_an_import_path(folder):
    pytest.importorskip("sb3_contrib")
    shown = run(
        folder, "-m", "experiments.train", "--game", "lots:RULES", "--num-players", "2",
        "--max-minutes", "1", "--evaluation-games", "400",
    )  # fmt: skip
    assert "policy: checkpoint:runs" in shown
    result = json.loads(next((folder / "runs").glob("*/evaluation.json")).read_text())
    assert result["results"]["random"][0]["wins"] > 0.6


CHECKED = """
from sprawl_env.testing import check_game
if __name__ == "__main__":
    print(check_game("lots:RULES", num_games=2))
"""


def test_check_game_spawns_a_process_from_a_script(folder):
    assert script(folder, CHECKED).startswith("lots(num_players=2): 21 checks passed in 2 games")


# ------------------------------------------------------------------------------------ pages


def test_it_is_played_without_pictures_and_no_hidden_card_is_shown(folder, monkeypatch):
    import sprawl_env
    from sprawl_env.play.session import Session
    from sprawl_env.render.board import seen_text

    session = Session(sprawl_env.game("lots", num_players=3), ("human", "random", "greedy"), (), 3)
    clicked = 0
    while not session.over:
        if session.to_play != 0:
            session.advance()
            continue
        view = session.view(0)
        cards = zip(lots.KIND_NAMES, session.games.hand[0][0], strict=True)
        held = [name for name, count in cards for _ in range(count)]
        text = seen_text(session.game, session.games, 0, 0)
        assert f"holds {' '.join(held)}" in text
        if session.games.ply[0] == 0:
            assert text.count("holds ? ?") == 2
        for action, says in view["actions"]:
            assert f'data-actions="{action}"' in view["parts"][-1]["svg"]
            assert says in view["parts"][-1]["svg"]
        clicked += 1
        session.play(0, view["actions"][0][0])
    assert clicked == 2
    assert "holds ?" not in seen_text(session.game, session.games, 0, 0)
    assert session.view(0)["points"] == session.game.scores(session.games, 0).tolist()


def test_it_is_played_in_the_terminal_saved_and_loaded(folder, capsys):
    import sprawl_env
    from sprawl_env.play.session import Session
    from sprawl_env.play.terminal import play_in_terminal

    game = sprawl_env.game("lots")
    session = Session(game, ("human", "greedy"), ("greedy",), 3)

    answers = iter(["save begun", "hint"])

    def answer(prompt):
        return next(answers, str(int(game.legal_actions(session.games).argmax())))

    play_in_terminal(session, folder, answer)
    shown = capsys.readouterr().out
    assert "saved as" in shown
    assert "greedy would play" in shown
    assert "The game is over; scores:" in shown
    session.load(folder / "begun.jsonl")
    assert session.games.ply[0] == 0


def test_the_server_of_the_page_takes_it(folder):
    pytest.importorskip("starlette")
    pytest.importorskip("httpx2")
    from starlette.testclient import TestClient

    import sprawl_env
    from sprawl_env.play.server import PlayServer
    from sprawl_env.play.session import Session

    host = "127.0.0.1:8765"
    session = Session(sprawl_env.game("lots"), ("human", "random"), (), 1)
    client = TestClient(PlayServer(session, "token", folder).app(), base_url=f"http://{host}")
    while not session.over:
        view = client.get("/token/api/view").json()
        what, body = (
            ("play", {"action": view["actions"][0][0]}) if view["mine"] else ("advance", {})
        )
        answer = client.post(
            f"/token/api/{what}",
            json={**body, "version": view["version"]},
            headers={"Origin": f"http://{host}"},
        )
        assert answer.status_code == 200, answer.text
    assert "<svg" in client.get("/token/api/view").json()["parts"][0]["svg"]
    assert client.get("/token/replay.html").status_code == 200


def test_a_picture_of_the_text_board_does_not_depend_on_hidden_cards():
    import sprawl_env
    from sprawl_env.render.board import picture_of

    game = sprawl_env.game("lots", num_players=3)
    for seed in range(10):
        games = game.deal(1, seed)
        game.play(games, 0, int(game.legal_actions(games).argmax()))
        for seat in range(3):
            trial = games.copy()
            game.redeal_hidden(trial, 0, seed + 1, seat)
            drawn = [picture_of(game, each, 0, seat).svg() for each in (games, trial)]
            assert drawn[0] == drawn[1]


# ------------------------------------------------------------------------------------ the cache

PARTS = """
import numpy as np
import {module} as game_module
import sprawl_env
from sprawl_env.kernels.rng import combine
game = sprawl_env.game("lots")
vec = sprawl_env.make_vec(game, num_envs=1, seed=1, reward="score")
_, masks, _ = vec.reset()
total = 0.0
for _ in range(6):
    total += float(vec.step([int(masks[0].argmax())]).rewards.sum())
games = game.deal(1, 1)
print(total, game.scores(games, 0).tolist())
"""


@pytest.mark.long
@pytest.mark.skipif(not JIT, reason="needs compiled kernels")
@pytest.mark.parametrize("package", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_edited_game_is_compiled_again(tmp_path, package):
    """The points of a park are in a file of their own, which defines no kernel."""
    text = (EXAMPLES / "lots.py").read_text()
    text = text.replace("return parks + houses", "return points.PARK * parks + houses")
    home = tmp_path / "town" if package else tmp_path
    home.mkdir(exist_ok=True)
    if package:
        (home / "__init__.py").write_text("")
    imports = "from . import points" if package else "import points"
    (home / "lots.py").write_text(
        text.replace("import numpy as np", f"import numpy as np\n{imports}", 1)
    )
    code = PARTS.format(module="town.lots" if package else "lots")
    cache = str(tmp_path / "cache")

    # Byte code is current for Python if the source has its size and second, as these may have.
    settings = {
        "SPRAWL_ENV_CACHE": cache,
        "SPRAWL_ENV_QUIET": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }

    def played(park):
        (home / "points.py").write_text(f"PARK = {park}\n")
        shown = start(tmp_path, code=code, **settings)
        assert shown.returncode == 0, shown.stderr
        return shown.stdout, "compiling the rules" in shown.stderr

    first, compiled = played(1)
    assert compiled
    (home / "notes.py").write_text("")  # a file that the game does not import
    assert played(1) == (first, False)
    dear, compiled = played(7)
    assert compiled
    assert dear != first
    assert played(1) == (first, False)


# -------------------------------------------------------------------------------- reachable states


CHANCES = 60  # seeds tried for each action, so that every card is drawn


def reachable_by_the_rules(seats):
    """Return all states as (hands, supply, streets), by a second opinion on the rules."""

    kinds = range(lots.KINDS)

    def drawn(hands, supply, seat):
        if not any(supply):
            yield hands, supply
        for kind in kinds:
            if supply[kind]:
                more = [list(hand) for hand in hands]
                more[seat][kind] += 1
                left = tuple(n - (k == kind) for k, n in enumerate(supply))
                yield tuple(map(tuple, more)), left

    dealt = {(((0,) * lots.KINDS,) * seats, (lots.COPIES,) * lots.KINDS)}
    for seat in range(seats):
        for _ in range(lots.HAND):
            dealt = {after for hands, supply in dealt for after in drawn(hands, supply, seat)}
    layer = {(hands, supply, ((),) * seats) for hands, supply in dealt}
    found = set(layer)
    for ply in range(lots.CITY):
        seat, after = ply % seats, set()
        for hands, supply, streets in layer:
            for kind in kinds:
                if hands[seat][kind]:
                    rest = [list(hand) for hand in hands]
                    rest[seat][kind] -= 1
                    built = [*streets]
                    built[seat] = (*streets[seat], kind)
                    for final in drawn(tuple(map(tuple, rest)), supply, seat):
                        after.add((*final, tuple(built)))
        layer = after
        found |= layer
    return found


def reachable_by_the_kernels(seats):
    """Return all states, from the openings on, every action with many random numbers."""
    import sprawl_env
    from sprawl_env.core.state import NOT_OVER, clone
    from sprawl_env.kernels.rng import seed_state

    game = sprawl_env.game("lots", num_players=seats)

    def key(games):
        hands, supply, streets = games.hand[0], games.supply[0], games.street[0]
        rows = [tuple(row[row != lots.FREE].tolist()) for row in streets[:seats]]
        return tuple(map(tuple, hands[:seats].tolist())), tuple(supply.tolist()), tuple(rows)

    openings = [game.deal(1, seed) for seed in range(8000)]
    found = {key(games): games for games in openings}
    waiting = list(found.values())
    while waiting:
        games = waiting.pop()
        if games.over[0] != NOT_OVER:
            continue
        for action in np.flatnonzero(game.legal_actions(games)).tolist():
            for seed in range(CHANCES if games.supply[0].any() else 1):
                trial = clone(games)
                seed_state(trial[0], seed)
                game.kernels.play(game.tables, trial, 0, action)
                if key(trial) not in found:
                    found[key(trial)] = trial
                    waiting.append(trial)
    return set(found)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3])
def test_the_number_of_reachable_states_is_the_documented_one(seats):

    found = reachable_by_the_kernels(seats)
    assert found == reachable_by_the_rules(seats)
    words = {2: "two", 3: "three"}
    assert re.search(rf"{len(found):,}\D*with {words[seats]}", lots.__doc__.replace("\n", " "))
