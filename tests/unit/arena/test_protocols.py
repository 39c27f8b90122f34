"""arena/protocols.py: fixed benchmarks, whose games and hash do not depend on who plays them."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

import sprawl_env
from sprawl_env.__main__ import main as command
from sprawl_env.arena import protocols
from sprawl_env.arena.evaluation import Evaluation, Line
from sprawl_env.arena.games import Results
from sprawl_env.arena.protocols import find_protocol, protocol_names, run_protocol
from sprawl_env.bots.random import RandomBot
from sprawl_env.core.errors import InvalidOption, UnknownName
from tests.commands import refused

V0 = "1cf998f8a65df9ea596a0dbb08f0099fe85ef050e00b02fb7831903667f09cf5"


class Mine(RandomBot):
    name = "mine"


def cases():
    content = protocols._content()
    return [
        (name, game, each["num_players"])
        for name, given in content.items()
        for game, tables in given.items()
        if isinstance(tables, list)
        for each in tables
    ]


@pytest.fixture(scope="module")
def found():
    return run_protocol("tower_up", "greedy", name="check", processes=1)


def test_v0_never_changes():
    text = json.dumps(protocols._content()["v0"], sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest() == V0


@pytest.mark.parametrize("case", cases(), ids=str)
def test_every_match_has_whole_rotations_in_every_part(case):
    protocol = find_protocol(*case)
    game = sprawl_env.game(protocol.game, num_players=protocol.num_players)
    assert protocol.matches
    for match in protocol.matches:
        assert match.games % protocol.num_players == 0
        assert match.games // protocol.num_players >= protocol.parts
        assert (match.opponent == "") == (protocol.num_players == 1)
        if match.opponent:
            sprawl_env.make_bot(match.opponent, game)


def test_a_result_has_a_line_for_each_match(found):
    assert [line.games for line in found.lines] == [20, 20]
    assert found.lines[0].wins > 0.9  # against random
    assert found.lines[1].wins == 0.5  # against itself
    assert found.milliseconds > 0
    assert found.frame()["against"].to_list() == ["random", "greedy"]
    assert found.to_json()["lines"][0]["against"] == "random"


def test_rows_name_the_measured_bot_and_its_opponent(found):
    rows = found.rows()
    assert len(rows) == 40
    assert all(row["bots"][row["rotation"]] == protocols.MEASURED for row in rows)
    assert {row["against"] for row in rows} == {"random", "greedy"}
    assert sum(row["shares"][row["rotation"]] for row in rows[:20]) / 20 == found.lines[0].wins


def test_the_hash_is_of_the_games_and_not_of_who_plays_them(found):
    again = run_protocol("tower_up", "greedy", name="check", processes=2)
    assert again.sha256 == found.sha256
    assert again.lines == found.lines
    rows = found.rows()
    without = [{name: row[name] for name in row if name != "seed"} for row in rows]
    assert protocols.hash_of(found.protocol, without) == found.sha256
    rows[7]["scores"][0] += 1
    assert protocols.hash_of(found.protocol, rows) != found.sha256


def test_another_bot_has_another_hash_and_may_be_an_object(found):
    other = run_protocol("tower_up", Mine(0), name="check", processes=1)
    assert other.bot == "mine"
    assert other.sha256 != found.sha256
    assert other.lines[1].wins < 0.1


def test_all_matches_are_played_by_the_checkpoint_that_was_the_newest_at_first(
    tmp_path, monkeypatch
):
    run, played, timed = tmp_path / "run", [], []
    newest = run / "checkpoints" / "step-0000000001"
    newest.mkdir(parents=True)
    example = find_protocol("check", "tower_up", 2)

    def evaluates(game, bots, **settings):
        played.append(bots[0])
        (run / "checkpoints" / f"step-000000000{len(played) + 1}").mkdir()  # the run goes on
        line = Line(bots[0], 2, 0.5, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)
        other = replace(line, bot=bots[1])
        results = Results(*(np.zeros((0, 2)),) * 4, *(np.zeros(0),) * 4)
        return Evaluation("tower_up", "title", 2, (), tuple(bots), 0, 0, 1, (line, other), results)

    def made(bot, game):
        timed.append(bot)
        return RandomBot(0)

    monkeypatch.setattr(protocols, "evaluate", evaluates)
    monkeypatch.setattr(protocols, "guarded_bot", made)
    monkeypatch.setattr(protocols, "positions_of", lambda game, number, seed: ([], []))
    monkeypatch.setattr(protocols, "milliseconds_of", lambda *given: [1.0])
    found = run_protocol("tower_up", f"checkpoint:{run}", name="check")
    assert played == [f"checkpoint:{newest}"] * len(example.matches)
    assert timed == played[:1]
    assert {found.bot, *(line.bot for line in found.lines)} == {f"checkpoint:{run}"}
    for match, each in zip(example.matches, found.evaluations, strict=True):
        assert each.bots == (f"checkpoint:{run}", match.opponent)
        assert [line.bot for line in each.lines] == list(each.bots)


def test_one_seat_plays_against_the_automaton():
    found = run_protocol("ginkgopolis", "greedy", name="check", num_players=1, processes=1)
    (line,) = found.lines
    assert line.games == 20
    assert found.to_json()["lines"][0]["against"] == protocols.AUTOMATON
    assert found.rows()[0]["bots"] == [protocols.MEASURED]


def test_what_a_protocol_does_not_have_is_refused():
    with pytest.raises(UnknownName, match="v00"):
        run_protocol("tower_up", "greedy", name="v00")
    with pytest.raises(UnknownName, match="game 'chess': expected tower_up"):
        find_protocol("v0", "chess", 2)
    with pytest.raises(InvalidOption, match="num_players=3: expected 2, 4"):
        find_protocol("v0", "tower_up", 3)
    assert "v0" in protocol_names()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--bots greedy random", "expected one bot, got 2"),
        ("--bots greedy --games 10 --seed 3", "fixes games, seed: expected none"),
        ("--bots greedy --num-players 3", "num_players=3: expected"),
        ("--bots nobody", "unknown bot 'nobody'"),
    ],
)
def test_the_command_refuses_what_the_protocol_fixes(words, message, capsys):
    assert message in refused(capsys, "evaluate", "--protocol", "check", *words.split())


def test_the_command_prints_the_table_and_the_hash(found, capsys, tmp_path):
    out, results = tmp_path / "found.json", tmp_path / "games.jsonl"
    words = f"--protocol check --bots greedy --processes 1 --out {out} --results {results}"
    command(["evaluate", *words.split()])
    printed = capsys.readouterr().out
    assert found.sha256 in printed
    assert "protocol check" in printed
    assert json.loads(out.read_text())["sha256"] == found.sha256
    assert len(results.read_text().splitlines()) == 40
