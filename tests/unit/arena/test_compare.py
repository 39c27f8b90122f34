"""arena/compare.py: whether two runs agree."""

import json
from dataclasses import asdict

import pytest

import sprawl_env
from sprawl_env import __main__ as command_line
from sprawl_env.arena.compare import compare
from sprawl_env.arena.journal import Journal
from sprawl_env.core.errors import InvalidOption, PositionError
from sprawl_env.core.extras import MissingExtra
from tests.commands import call, hide


def game(deal, share, scores=(10, 8), rotation=0, bots=("a", "b")):
    shares = [float(share), 1 - float(share)]
    return {
        "deal": deal,
        "rotation": rotation,
        "bots": list(bots),
        "shares": shares,
        "scores": None if scores is None else list(scores),
    }


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def found(tmp_path, mine, theirs):
    return compare(write(tmp_path / "mine.jsonl", mine), write(tmp_path / "theirs.jsonl", theirs))


def test_the_same_games_are_identical(tmp_path):
    rows = [game(deal, deal % 2) for deal in range(10)]
    same = found(tmp_path, rows, rows[::-1])
    assert same.identical
    assert same.agree
    assert (same.pairs, same.equal, same.only_mine, same.only_theirs) == (10, 10, 0, 0)
    assert same.verdict.startswith("identical")
    assert found(tmp_path, rows, rows[:9]).verdict.startswith("too few deals to tell")
    rows = [game(deal, deal % 2) for deal in range(30)]
    assert found(tmp_path, rows, rows[:20]).verdict.startswith("they agree")


def test_differences_are_averaged_over_each_deal_and_seat(tmp_path):
    mine = [
        game(deal, 1.0, (10, 8), rotation, ("a", "b") if rotation == 0 else ("b", "a"))
        for deal in range(4)
        for rotation in (0, 1)
    ]
    theirs = [{**row, "shares": [1.0, 0.0], "scores": [12, 8]} for row in mine]
    theirs[0] = {**theirs[0], "shares": [0.0, 1.0]}
    a, b = found(tmp_path, mine, theirs).differences
    assert (a.bot, a.deals, a.mine, a.theirs, a.wins) == ("a", 4, 0.5, 0.375, -0.125)
    assert a.score == 1  # two more in one of its two seats
    assert b.wins == 0.125
    # Deals differ by -0.5, 0, 0, 0: standard deviation 0.25, of four deals.
    assert a.wins_error == pytest.approx(1.96 * 0.25 / 2, rel=1e-3)
    assert a.agree  # four deals are too few to tell


def test_a_frame_has_a_row_for_each_bot_and_without_polars_names_the_extra(tmp_path, monkeypatch):
    pytest.importorskip("polars")
    mine = [game(deal, 1) for deal in range(4)]
    both = found(tmp_path, mine, [{**row, "scores": [12, 8]} for row in mine])
    frame = both.frame()
    assert frame.rows(named=True) == [asdict(each) for each in both.differences]
    assert frame["bot"].to_list() == ["a", "b"]
    assert frame["score"].to_list() == [2, 0]
    hide(monkeypatch, "polars")
    with pytest.raises(MissingExtra, match=r"frame\(\) needs polars.*'sprawl-env\[analysis\]'"):
        both.frame()


def test_scores_that_differ_in_every_deal_are_told(tmp_path):
    mine = [game(deal, deal % 2) for deal in range(20)]
    theirs = [{**row, "scores": [12, 8]} for row in mine]
    a, b = found(tmp_path, mine, theirs).differences
    assert (a.wins, a.agree, b.agree) == (0, False, True)


def test_few_deals_that_differ_by_chance_are_no_verdict(tmp_path):
    mine = [game(deal, 1) for deal in range(3)]
    few = found(tmp_path, mine, [game(deal, 0) for deal in range(3)])
    assert few.table().columns[4]._cells == ["-100.0%", "+100.0%"]  # no spread, no interval
    assert few.agree
    assert few.verdict.startswith("too few deals to tell")


def test_runs_that_differ_are_told_and_by_the_exit_code(tmp_path, capsys):
    mine = write(tmp_path / "mine.jsonl", [game(deal, deal % 5 == 0) for deal in range(60)])
    theirs = write(tmp_path / "theirs.jsonl", [game(deal, deal % 5 != 0) for deal in range(60)])
    with pytest.raises(SystemExit) as end:
        command_line.main(["compare", str(mine), str(theirs)])
    assert end.value.code == 1
    said = capsys.readouterr().out
    assert "they differ: a, b" in said
    assert "+60.0% ± " in said
    assert command_line.main(["compare", str(mine), str(mine)]) == 0


@pytest.mark.parametrize(
    ("bots", "changed", "agree"), [(2, 5, True), (2, 7, False), (6, 7, True), (6, 9, False)]
)
def test_the_verdict_is_about_all_figures_at_once(tmp_path, bots, changed, agree):
    pairs = [(f"a{k}", f"b{k}") for k in range(bots // 2)]
    mine = [game(deal, 1, bots=pair) for pair in pairs for deal in range(100)]
    lost = [game(deal, 0, bots=pairs[0]) for deal in range(changed)]
    both = found(tmp_path, mine, [*lost, *mine[changed:]])
    first = both.differences[0]
    assert abs(first.wins) > first.wins_error  # its own interval excludes 0
    assert both.agree == first.agree == agree
    assert both.verdict == (
        "they agree: no bot's wins or scores differ by more than chance (95%)"
        if agree
        else "they differ: a0, b0"
    )


def test_games_are_paired_by_deal_seats_and_bots(tmp_path):
    mine = [game(0, 1), game(1, 1), game(1, 1, rotation=1, bots=("b", "a"))]
    theirs = [game(1, 0), game(1, 0, rotation=1, bots=("b", "a")), game(2, 1), game(3, 1)]
    both = found(tmp_path, mine, theirs)
    assert (both.pairs, both.equal, both.only_mine, both.only_theirs) == (2, 0, 1, 2)
    with pytest.raises(InvalidOption, match="no games in common"):
        found(tmp_path, [game(0, 1)], [game(0, 1, bots=("a", "c"))])


def test_bots_named_in_another_order_sat_in_the_same_seats(tmp_path):
    mine = [game(0, 1), game(0, 0, rotation=1, bots=("b", "a"))]
    theirs = [game(0, 0, bots=("b", "a")), game(0, 1, rotation=1)]
    assert found(tmp_path, mine, theirs).identical


def test_games_of_equal_bots_are_paired_in_order_of_rotation(tmp_path):
    mine = [game(0, rotation == 1, rotation=rotation, bots=("b", "b")) for rotation in (0, 1)]
    theirs = [{**row, "rotation": row["rotation"] + 1} for row in mine]
    assert found(tmp_path, mine, theirs[::-1]).identical


def test_deals_of_another_seed_are_other_deals(tmp_path):
    zero, one, old = ([{**seed, **game(4, 1)}] for seed in ({"seed": 0}, {"seed": 1}, {}))
    with pytest.raises(InvalidOption, match="with seed 0 and with seed 1: expected the same seed"):
        found(tmp_path, zero, one)
    both = found(tmp_path, zero + one, one)
    assert (both.pairs, both.only_mine, both.differences[0].deals) == (1, 1, 1)
    assert found(tmp_path, zero + one, one + zero).differences[0].deals == 2
    assert found(tmp_path, zero, old).identical
    assert found(tmp_path, old, one).identical
    with pytest.raises(InvalidOption, match="several seeds, and some without one: expected a seed"):
        found(tmp_path, zero + one, old)


def folder(path, rows, **changed):
    config = {"game": "tower_up", "num_players": 2, "options": [], "seed": 0, "bots": ["a"]}
    path.mkdir()
    (path / "config.json").write_text(json.dumps({"config": {**config, **changed}}))
    write(path / "results.jsonl", rows)
    return path


@pytest.mark.parametrize(
    "changed",
    [{"game": "ginkgopolis"}, {"num_players": 3}, {"options": ["max_turns=9"]}, {"seed": 1}],
)
def test_tournaments_of_other_deals_are_refused(tmp_path, changed):
    mine = folder(tmp_path / "mine", [game(0, 1)])
    assert compare(mine, folder(tmp_path / "same", [game(0, 1)], bots=["b"])).identical
    with pytest.raises(InvalidOption, match=f"played with {next(iter(changed))}=.*: expected the"):
        compare(mine, folder(tmp_path / "other", [game(0, 1)], **changed))


def test_a_tournaments_folder_says_its_seed(tmp_path):
    mine = folder(tmp_path / "mine", [game(0, 1)], seed=3)
    assert compare(mine, write(tmp_path / "same.jsonl", [{"seed": 3, **game(0, 1)}])).identical
    with pytest.raises(InvalidOption, match="seed 3 and with seed 4"):
        compare(mine, write(tmp_path / "other.jsonl", [{"seed": 4, **game(0, 1)}]))
    (mine / "config.json").write_text("{}")
    with pytest.raises(PositionError, match=r"expected the config\.json of a tournament"):
        compare(mine, mine)


@pytest.mark.parametrize("file", ["config.json", "report.json"])
def test_a_tournaments_file_of_games_says_its_game_and_seed(tmp_path, file):
    rows = [{"line_up": 0, **game(0, 1)}]
    mine = folder(tmp_path / "mine", rows, seed=3)
    other = folder(tmp_path / "other", rows, seed=4)
    chess = folder(tmp_path / "ginkgopolis", rows, seed=3, game="ginkgopolis")
    for path in (mine, other, chess):
        (path / "config.json").rename(path / file)
    games = [path / "results.jsonl" for path in (mine, other, chess)]
    assert compare(games[0], mine).identical
    for one in (mine, games[0]):
        for two in (other, games[1]):
            with pytest.raises(InvalidOption, match="played with seed=3 and seed=4"):
                compare(one, two)
        with pytest.raises(InvalidOption, match=r"game='?tower_up'? and game='?ginkgopolis"):
            compare(one, games[2])


def test_a_comparison_says_that_a_seed_is_not_known(tmp_path, capsys):
    known = write(tmp_path / "known.jsonl", [{"seed": 3, **game(0, 1)}])
    moved = write(tmp_path / "moved.jsonl", [game(0, 1)])
    assert compare(known, known).seeds_known
    assert not compare(known, moved).seeds_known
    out, _ = call(capsys, "compare", str(known), str(moved))
    assert "a run does not say the seed of its deals" in out
    out, _ = call(capsys, "compare", str(known), str(known))
    assert "seed" not in out


def test_only_a_line_feed_ends_a_line(tmp_path):
    name = "one\u2028two\u0085three\x1c"
    rows = [game(deal, 1, bots=("a", name)) for deal in range(3)]
    Journal(tmp_path / "results.jsonl", lambda row: True).append(rows)
    assert "\u2028" in (tmp_path / "results.jsonl").read_text(encoding="utf-8")
    same = compare(tmp_path / "results.jsonl", tmp_path / "results.jsonl")
    assert same.identical
    assert {each.bot for each in same.differences} == {"a", name}


def test_a_forfeit_counts_its_shares_only(tmp_path):
    both = found(tmp_path, [game(0, 1), game(1, 0)], [game(0, 1, None), game(1, 0, (20, 8))])
    a, b = both.differences
    assert (a.wins, a.score, b.score) == (0, 10, 0)


def test_few_deals_with_scores_do_not_tell_runs_apart(tmp_path):
    mine = [game(0, 1), *(game(deal, 1, None) for deal in range(1, 20))]
    a, b = found(tmp_path, mine, [{**mine[0], "scores": [11, 8]}, *mine[1:]]).differences
    assert (a.deals, a.score, a.agree, b.agree) == (20, 1, True, True)


@pytest.mark.parametrize(
    "row",
    [
        {"deal": 0},
        [],
        1,
        {"deal": 0, "bots": ["a"], "shares": [1.0]},
        {**game(0, 1), "shares": [1.0]},
        {**game(0, 1), "shares": [2.0, -1.0]},
        {**game(0, 1), "scores": [1]},
        {**game(0, 1), "scores": [1, 10**12]},
        {**game(0, 1), "rotation": "x"},
        {**game(0, 1), "seed": None},
        {**game(0, 1), "bots": []},
    ],
)
def test_a_line_that_is_no_game_is_named(tmp_path, row):
    with pytest.raises(PositionError, match=r"^theirs\.jsonl: line 2: expected a game with deal"):
        found(tmp_path, [game(1, 1)], [game(1, 1), row])


def test_other_files_are_refused_in_one_line(tmp_path):
    mine = write(tmp_path / "mine.jsonl", [game(0, 1)])
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for other, says in (
        (write(tmp_path / "empty.jsonl", []), "has no games"),
        (write(tmp_path / "twice.jsonl", [game(0, 1), game(0, 0)]), "line 2: the same deal"),
        (tmp_path / "missing", "cannot be read"),
        (tmp_path / "bytes", "cannot be read: not UTF-8 text"),
        (tmp_path, "cannot be read"),
    ):
        with pytest.raises(PositionError, match=says) as error:
            compare(mine, other)
        assert "\n" not in str(error.value)


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [1, 2, 3])
def test_an_evaluation_writes_the_rows_that_compare_reads(seats, tmp_path):
    name = "ginkgopolis"
    bots = ["greedy", "random"] if seats < 3 else ["greedy", "random", "random"]
    runs = [
        sprawl_env.evaluate(name, bots, num_games=6, seed=seed, num_players=seats)
        for seed in (0, 0, 1)
    ]
    paths = [write(tmp_path / f"{k}.jsonl", run.rows()) for k, run in enumerate(runs)]
    assert compare(paths[0], paths[1]).identical
    with pytest.raises(InvalidOption, match="expected the same seed"):
        compare(paths[0], paths[2])
    rows = runs[0].rows()
    for changes, says in (
        ({"game": "tower_up"}, "game='ginkgopolis' and game='tower_up': expected the same game"),
        ({"options": ["a=b"]}, "expected the same options"),
        ({"line_up": 0}, "a tournament and an evaluation, which have other deals"),
    ):
        changed = write(tmp_path / "changed.jsonl", [{**row, **changes} for row in rows])
        with pytest.raises(InvalidOption, match=says):
            compare(paths[0], changed)
    old = [{k: v for k, v in row.items() if k not in ("game", "options")} for row in rows]
    assert compare(paths[0], write(tmp_path / "old.jsonl", old)).identical
    greedy = compare(paths[0], paths[1]).differences[0]
    assert greedy.bot == "greedy"
    assert greedy.mine == pytest.approx(runs[0].lines[0].wins)
    rows = runs[0].rows()
    assert len(rows) == (12 if seats == 1 else 6)
    assert {tuple(row["bots"]) for row in rows} == {
        1: {("greedy",), ("random",)},
        2: {("greedy", "random"), ("random", "greedy")},
        3: {
            ("greedy", "random", "random"),
            ("random", "greedy", "random"),
            ("random", "random", "greedy"),
        },
    }[seats]
