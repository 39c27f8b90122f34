"""learning/collecting.py, learning/datasets.py: whole games as rows, on disk and back."""

import hashlib
import io
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sprawl_env
from experiments import dataset as command
from sprawl_env.arena import entrants
from sprawl_env.arena.games import play_games
from sprawl_env.bots import names
from sprawl_env.bots.policy import checkpoint
from sprawl_env.bots.random import RandomBot
from sprawl_env.core.errors import SprawlError
from sprawl_env.core.folders import locked_folder
from sprawl_env.core.registry import rules_of
from sprawl_env.core.rewards import REWARDS
from sprawl_env.core.state import NOT_OVER, clone
from sprawl_env.learning import collect, datasets, load_dataset, write_dataset
from sprawl_env.learning.collecting import Decisions
from tests.commands import call, hide, refused

LINE_UPS = [
    ("tower_up", ["greedy", "random"]),
    ("tower_up", ["random"] * 3),
    ("ginkgopolis", ["random"]),
    ("ginkgopolis", ["random"] * 3),
    ("urban_sprawl", ["random"] * 2),
]


class Seer:
    """Chooses by what it sees, to the byte."""

    name = "seer"
    needs_observations = True
    needs_states = False

    def seed(self, seed):
        self.calls = 0

    def act(self, observations, masks, states):
        assert observations.dtype == np.float32
        sums = [int(np.frombuffer(row.tobytes(), np.uint8).sum()) for row in observations]
        legal = [np.flatnonzero(mask) for mask in masks]
        return np.array([own[total % own.size] for own, total in zip(legal, sums, strict=True)])


def names_in(folder):
    """The names of a folder's files, but for the lock."""
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def final_rewards(reward, scores, standings, seat):
    """The reward of a seat for the whole game, from its end."""
    others = np.delete(standings, seat)
    if reward == "winner":
        winners = (standings == standings.max()).sum()
        if standings[seat] < standings.max():
            return -1 / len(others)
        return 1 / winners - (winners - 1) / winners / len(others) if winners > 1 else 1.0
    if reward == "rank":
        return ((others < standings[seat]).sum() - (others > standings[seat]).sum()) / len(others)
    return scores[seat] - np.delete(scores, seat).mean()


def check_replays(game, found, seed, reward):
    """Play the actions of each game from its deal; every row is what is found then."""
    numbers = np.empty(game.observation_size, np.int8)
    for number in np.unique(found.games):
        rows = np.flatnonzero(found.games == number)
        assert rows.tolist() == list(range(rows[0], rows[-1] + 1))
        assert found.plies[rows].tolist() == list(range(len(rows)))
        deal = int(number) // game.num_seats
        games, now = clone(game.deal(deal + 1, seed), slice(deal, deal + 1)), []
        for row in rows:
            seat = int(games["to_play"][0])
            assert found.seats[row] == seat
            assert (int(found.bots[row]) + number) % game.num_seats == seat
            assert np.array_equal(found.masks[row], game.legal_actions(games))
            assert np.array_equal(found.observations[row], game.observe(games, 0, seat, numbers))
            now.append(game.scores(games, 0))
            game.play(games, 0, int(found.actions[row]))
        assert games["over"][0] != NOT_OVER
        scores, standings = game.scores(games, 0), game.standings(games, 0)
        for row, before in zip(rows, now, strict=True):
            seat = found.seats[row]
            if reward == "score":
                expected = scores[seat] - before[seat]
            elif reward == "lead":
                expected = final_rewards("margin", scores - before, standings, seat)
            else:
                expected = final_rewards(reward, scores, standings, seat)
            assert found.returns[row] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("name", "line_up"), LINE_UPS)
def test_rows_are_whole_games_that_can_be_replayed_from_their_deals(name, line_up):
    game = sprawl_env.game(name, num_players=len(line_up))
    num_games = len(line_up) + (name != "urban_sprawl")  # rounded up; its games are long
    parts = list(collect(game, line_up, num_games, seed=5, batch=len(line_up)))
    assert len(parts) == -(-num_games // len(line_up))
    for part in parts:
        check_replays(game, part, 5, "winner")
    games = np.unique(np.concatenate([part.games for part in parts]))
    assert games.tolist() == list(range(len(parts) * len(line_up)))


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("name", "seats"), [("tower_up", 3), ("ginkgopolis", 1)])
def test_returns_are_what_the_end_of_the_game_pays(name, seats, reward):
    game = sprawl_env.game(name, num_players=seats)
    (found,) = collect(game, ["random"] * seats, seats, reward=reward)
    check_replays(game, found, 0, reward)
    assert found.returns.any()


@pytest.mark.parametrize(
    "line_up", [["random", "random"], ["greedy", "random"], [Seer(), "greedy"]]
)
def test_the_games_are_those_of_play_games(line_up):
    game = sprawl_env.game("tower_up")
    results = play_games(game, line_up, 6, seed=2, batch=4)
    parts = list(collect(game, line_up, 6, seed=2, batch=4))
    found = Decisions(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    assert np.bincount(found.games).tolist() == results.plies.tolist()
    for number, bot in {(int(g), int(b)) for g, b in zip(found.games, found.bots, strict=True)}:
        own = (found.games == number) & (found.bots == bot)
        assert set(found.returns[own].tolist()) == {2 * results.wins[number, bot] - 1}
        assert set(found.seats[own].tolist()) == {int(results.seats[number, bot])}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"game": "tower"}, "unknown game 'tower'"),
        ({"line_up": ["random"]}, "tower_up: line_up: expected 2 bots, one a seat, got 1"),
        ({"line_up": "random"}, "line_up='random': expected a list of bots"),
        ({"line_up": ["random", "gredy"]}, "unknown bot 'gredy'"),
        ({"line_up": [Seer, "random"]}, "bot 'seer'|Seer"),
        ({"num_games": 0}, "num_games=0: expected a whole number from 1"),
        ({"num_games": 10**18}, r"needs [\d,]+ bytes, this machine has [\d,]+$"),
        ({"reward": "win"}, "unknown reward 'win'"),
        ({"seed": -1}, "seed -1"),
        ({"floors": 3}, "tower_up got an unexpected keyword argument 'floors'"),
    ],
)
def test_what_does_not_fit_is_refused_before_a_game_is_played(tmp_path, change, says):
    given = {"game": "tower_up", "line_up": ["random", "random"], "num_games": 2, **change}
    first = given.pop("game"), given.pop("line_up"), given.pop("num_games")
    with pytest.raises(SprawlError, match=says):
        collect(*first, **given)
    with pytest.raises(SprawlError, match=says):
        write_dataset(tmp_path / "data", *first, **given)
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------- on disk


def written(folder, **settings):
    given = {"num_games": 5, "games_per_shard": 2, "seed": 3, **settings}
    return write_dataset(folder, "tower_up", ["random", "random"], given.pop("num_games"), **given)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return written(tmp_path_factory.mktemp("data") / "set").folder


@pytest.fixture
def folder(made, tmp_path):
    """A copy of a dataset, to damage."""
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_a_shard_holds_the_games_of_its_seed(made):
    found = load_dataset(made, sprawl_env.game("tower_up"))
    assert [len(np.unique(part.games)) for part in found] == [2, 2, 2]
    assert found.num_decisions == sum(len(part.actions) for part in found)
    game = sprawl_env.game("tower_up")
    assert np.array_equal(found.scales, game.observation_layout.scales)
    for shard, part in zip(found.about["shards"], found, strict=True):
        (again,) = collect(game, ["random", "random"], 2, seed=shard["seed"])
        again = again._replace(games=again.games + shard["first_game"])
        assert all(np.array_equal(a, b) for a, b in zip(part, again, strict=True))
    with np.load(made / "shard-00001.npz") as file:
        assert list(file) == list(Decisions._fields) == list(datasets.COLUMNS)
        assert file["games"].min() == 2


def test_an_interrupted_dataset_goes_on_and_ends_with_the_same_bytes(made, tmp_path, monkeypatch):
    whole = datasets._write_shard

    def interrupted(folder, game, bots, about, number):
        if number == 1:
            raise KeyboardInterrupt
        return whole(folder, game, bots, about, number)

    monkeypatch.setattr(datasets, "_write_shard", interrupted)
    with pytest.raises(KeyboardInterrupt):
        written(tmp_path / "set")
    with pytest.raises(datasets.DatasetError, match=r"has 2 of 6 games: run the command"):
        load_dataset(tmp_path / "set")
    first = (tmp_path / "set" / "shard-00000.npz").stat().st_mtime_ns
    monkeypatch.setattr(datasets, "_write_shard", whole)
    written(tmp_path / "set")
    for path in made.iterdir():
        assert path.read_bytes() == (tmp_path / "set" / path.name).read_bytes(), path.name
    assert (tmp_path / "set" / "shard-00000.npz").stat().st_mtime_ns == first


@pytest.fixture
def training(tmp_path, monkeypatch):
    """A run with a checkpoint, which is a random bot; a function that adds another one."""
    run, whole = tmp_path / "run", names.make_bot

    def train(step):
        folder = run / "checkpoints" / f"step-000000000{step}"
        folder.mkdir(parents=True)
        (folder / checkpoint.WEIGHTS).write_bytes(b"%d" % step)

    def make(name, game, seed=0):
        return whole("random" if name.startswith("checkpoint:") else name, game, seed)

    def weights(agent, game):
        path = Path(agent.removeprefix("checkpoint:")) / checkpoint.WEIGHTS
        if not path.is_file():
            raise checkpoint.CheckpointError("none")
        return checkpoint.Checkpoint(path, {"sha256": path.read_text()}, {})

    monkeypatch.setattr(names, "make_bot", make)
    monkeypatch.setattr(entrants, "checkpoint_of", weights)
    train(1)
    return f"checkpoint:{run}", train


def interrupt(monkeypatch, number):
    """Let writing datasets stop before a shard, once."""
    whole = datasets._write_shard

    def interrupted(folder, game, bots, about, k):
        if k == number:
            monkeypatch.setattr(datasets, "_write_shard", whole)
            raise KeyboardInterrupt
        return whole(folder, game, bots, about, k)

    monkeypatch.setattr(datasets, "_write_shard", interrupted)


def test_a_dataset_does_not_mix_the_checkpoints_of_a_run(training, tmp_path, monkeypatch):
    bot, train = training

    def write():
        return write_dataset(tmp_path / "set", "tower_up", [bot, "random"], 4, games_per_shard=2)

    interrupt(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        write()
    about = json.loads((tmp_path / "set" / "dataset.json").read_text())
    newest = tmp_path / "run" / "checkpoints" / "step-0000000001"
    assert about["line_up"] == [bot, "random"]
    assert about["pinned"] == {bot: f"checkpoint:{newest}", "random": "random"}
    train(2)
    with pytest.raises(SprawlError, match=f"has games of {bot} before its code or weights changed"):
        write()
    (tmp_path / "run" / "checkpoints" / "step-0000000002" / checkpoint.WEIGHTS).unlink()
    (tmp_path / "run" / "checkpoints" / "step-0000000002").rmdir()
    assert write().num_shards == 2
    train(2)
    with pytest.raises(SprawlError, match="before its code or weights changed"):
        write()


def test_a_dataset_of_bots_as_objects_does_not_mix_cards(tmp_path, monkeypatch):
    cards = tmp_path / "cards"
    shutil.copytree(rules_of("tower_up").data_folder, cards)

    def write():
        bots = [RandomBot(), Seer()]
        return write_dataset(
            tmp_path / "set", "tower_up", bots, 4, games_per_shard=2, data=str(cards)
        )

    interrupt(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        write()
    file = min(cards.glob("*.toml"))
    was = file.read_text()
    file.write_text(was + "\n# another\n")
    with pytest.raises(SprawlError, match=r"has games of random \(bot 0\) before its code"):
        write()
    file.write_text(was)
    assert write().num_shards == 2


def test_a_dataset_of_an_earlier_version_is_read_but_not_continued(made, folder, monkeypatch):
    edit(folder, lambda about: [about.pop(name) for name in ("made_of", "pinned")])
    assert load_dataset(folder).num_decisions == load_dataset(made).num_decisions
    assert written(folder).num_shards == 3  # nothing was left to play
    edit(folder, lambda about: about["shards"].pop())
    with pytest.raises(SprawlError, match="does not say what its bots were made of: choose"):
        written(folder)


def test_a_shard_that_could_not_be_read_is_refused_and_the_folder_can_be_used(
    made, tmp_path, monkeypatch
):
    sizes = [path.stat().st_size for path in sorted(made.glob("shard-*"))]
    monkeypatch.setattr(datasets, "MOST_BYTES", max(sizes))
    with pytest.raises(SprawlError, match=r"games_per_shard=6: a shard has .* use fewer games"):
        written(tmp_path / "set", games_per_shard=6)
    assert names_in(tmp_path / "set") == []
    assert written(tmp_path / "set").num_shards == len(sizes)
    whole = datasets.npz
    monkeypatch.setattr(datasets, "npz", lambda part: whole(part) * (1 + 9 * (part.games[0] > 1)))
    with pytest.raises(SprawlError, match="games_per_shard=2: a shard has"):
        written(tmp_path / "other")
    assert names_in(tmp_path / "other") == [
        "dataset.json",
        "shard-00000.npz",
    ]  # a whole shard stays


def test_one_process_at_a_time_writes_a_dataset(made, tmp_path):
    folder = tmp_path / "set"
    with (
        locked_folder(folder, "a", "b"),
        pytest.raises(SprawlError, match=r"set': another process is writing to it"),
    ):
        written(folder)
    assert names_in(folder) == []
    assert written(folder).num_decisions == load_dataset(made).num_decisions


def test_a_folder_with_something_else_is_left_alone(folder):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(SprawlError, match="has a dataset with another 'seed'"):
        written(folder, seed=4)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (folder / "dataset.json").unlink()
    with pytest.raises(SprawlError, match="expected a new or empty folder"):
        written(folder)
    with pytest.raises(SprawlError, match="folder="):
        written(folder / "README.md" / "below")


def edit(folder, change):
    about = json.loads((folder / "dataset.json").read_text())
    change(about)
    (folder / "dataset.json").write_text(json.dumps(about))


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def replace_shard(folder, **columns):
    """Write another first shard, with the SHA-256 that belongs to it."""
    with np.load(folder / "shard-00000.npz") as file:
        kept = {name: file[name] for name in file}
    content = io.BytesIO()
    np.savez(content, **{k: v for k, v in {**kept, **columns}.items() if v is not None})
    (folder / "shard-00000.npz").write_bytes(content.getvalue())
    digest = hashlib.sha256(content.getvalue()).hexdigest()
    edit(folder, lambda about: about["shards"][0].update(sha256=digest))


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (lambda f: (f / "dataset.json").unlink(), "cannot read dataset.json: No such file"),
        (lambda f: (f / "dataset.json").write_text('{"format":'), "dataset.json is damaged"),
        (lambda f: (f / "dataset.json").write_text("{}"), "expected format 1"),
        (lambda f: edit(f, lambda a: a.pop("scales")), "dataset.json is damaged: 'scales'"),
        (lambda f: edit(f, lambda a: a.update(seed="x")), "dataset.json is damaged: 'seed'"),
        (lambda f: edit(f, lambda a: a["scales"].pop()), "dataset.json is damaged: sizes"),
        (lambda f: edit(f, lambda a: a.update(made_of=3)), "dataset.json is damaged: 'made_of'"),
        (
            lambda f: edit(f, lambda a: a.update(pinned={"random": 3})),
            "dataset.json is damaged: 'pinned'",
        ),
        (
            lambda f: edit(f, lambda a: a["shards"][0].update(file="../x.npz")),
            "dataset.json is damaged: shard 0",
        ),
        (lambda f: (f / "shard-00000.npz").unlink(), "shard-00000.npz: cannot be read: No such"),
        (lambda f: flip(f / "shard-00000.npz"), "shard-00000.npz is damaged: its SHA-256"),
        (lambda f: (f / "shard-00000.npz").write_bytes(b""), "is damaged: its SHA-256"),
        (lambda f: replace_shard(f, masks=None), "shard-00000.npz is damaged"),
        (
            lambda f: replace_shard(f, masks=np.zeros((3, 3), np.int8)),
            "is damaged: masks: expected",
        ),
        (lambda f: replace_shard(f, seats=np.array([{}])), "shard-00000.npz is damaged"),
    ],
)
def test_damage_is_one_line(folder, harm, says):
    harm(folder)
    with pytest.raises(datasets.DatasetError) as caught:
        list(load_dataset(folder))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_dataset_of_another_game_is_refused(made):
    with pytest.raises(datasets.DatasetError, match="num_players is 2, the game's is 3"):
        load_dataset(made, sprawl_env.game("tower_up", num_players=3))
    with pytest.raises(datasets.DatasetError, match="game is 'tower_up'"):
        load_dataset(made, sprawl_env.game("ginkgopolis"))


def keys_of(parts):
    return [key for part in parts for key in zip(part.games, part.plies, strict=True)]


@pytest.mark.parametrize("size", [7, 64, 10_000])
def test_batches_have_every_decision_once(made, size):
    found = load_dataset(made)
    in_order = keys_of(found)
    parts = list(found.batches(size))
    assert keys_of(parts) == in_order
    assert all(len(part.actions) == size for part in parts[:-1])
    shuffled = list(found.batches(size, seed=1))
    assert [len(part.actions) for part in shuffled] == [len(part.actions) for part in parts]
    assert keys_of(shuffled) != in_order
    assert sorted(keys_of(shuffled)) == in_order
    assert (
        keys_of(found.batches(size, seed=1))
        == keys_of(shuffled)
        != keys_of(found.batches(size, seed=2))
    )
    shares = [keys_of(found.batches(size, seed=1, part=k, num_parts=2)) for k in range(2)]
    assert all(shares)
    assert sorted(shares[0] + shares[1]) == in_order


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"batch_size": 0}, "batch_size=0: expected a whole number from 1"),
        ({"part": 2, "num_parts": 2}, r"part=2: expected a whole number 0\.\.1"),
        ({"num_parts": 0}, "num_parts=0: expected a whole number from 1"),
        ({"seed": -1}, "seed -1"),
    ],
)
def test_batches_refuse_numbers_out_of_range(made, settings, says):
    given = {"batch_size": 4, **settings}
    with pytest.raises(SprawlError, match=says):
        load_dataset(made).batches(given.pop("batch_size"), **given)


def test_a_shard_that_does_not_exist_is_refused(made):
    with pytest.raises(SprawlError, match=r"shard: number=3: expected a whole number 0\.\.2"):
        load_dataset(made).shard(3)


def test_torch_reads_the_same(made):
    torch = pytest.importorskip("torch")
    found = load_dataset(made)
    parts = list(found.batches(50, seed=1))
    loaded = list(torch.utils.data.DataLoader(found.torch(50, seed=1), batch_size=None))
    assert len(loaded) == len(parts)
    for tensors, part in zip(loaded, parts, strict=True):
        assert np.array_equal(tensors["observations"], part.observations * found.scales)
        assert tensors["observations"].dtype == tensors["returns"].dtype == torch.float32
        assert np.array_equal(tensors["masks"], part.masks == 1)
        assert tensors["actions"].dtype == torch.int64
        for name in ("actions", "seats", "bots", "returns", "games", "plies"):
            assert np.array_equal(tensors[name], getattr(part, name))


def test_the_workers_of_a_loader_of_torch_share_the_shards(made, monkeypatch):
    pytest.importorskip("torch")
    from sprawl_env.learning import torch_data

    def rows_of(tensors):
        return list(zip(tensors["games"].tolist(), tensors["plies"].tolist(), strict=True))

    found, shares = load_dataset(made), []
    for k in range(2):
        worker = SimpleNamespace(id=k, num_workers=2)
        monkeypatch.setattr(torch_data, "get_worker_info", lambda worker=worker: worker)
        shares.append([row for tensors in found.torch(50, seed=1) for row in rows_of(tensors)])
    assert all(shares)
    assert sorted(shares[0] + shares[1]) == keys_of(found)


def test_torch_need_not_be_installed_but_for_its_loader(made, monkeypatch):
    hide(monkeypatch, "torch")
    found = load_dataset(made)
    assert len(list(found)) == 3
    with pytest.raises(SprawlError, match=r"Dataset.torch\(\) needs torch, which is not installed"):
        found.torch(50)


# ------------------------------------------------------------------------------------ the command


def test_the_command_writes_a_dataset_and_its_card(tmp_path, capsys):
    words = ["--bots", "random", "--games", "4", "--options", "max_turns=50", "--reward", "lead"]
    out = call(capsys, tmp_path / "set", *words, main=command.main).out
    found = load_dataset(tmp_path / "set")
    assert f"{found.num_decisions:,} decisions of 4 games in 1 shard" in out
    card = (tmp_path / "set" / "README.md").read_text()
    for part in (
        "# Dataset of tower_up", "`max_turns=50`", "`random`, `random`", "| `lead` |",
        f"| decisions | {found.num_decisions:,} |", found.about["layout"], "numpy",
        "`python -m experiments.dataset data --game tower_up --num-players 2 --options "
        "max_turns=50 --bots random random --games 4 --reward lead --seed 0 "
        "--games-per-shard 512`",
        *(f"| `{name}` |" for name in Decisions._fields),
    ):  # fmt: skip
        assert part in card


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--bots", "gredy"], "unknown bot 'gredy'"),
        (["--bots", "random", "random", "random"], "expected 2 bots, one a seat, got 3"),
        (["--games", "0"], "num_games=0"),
        (["--games-per-shard", "0"], "games_per_shard=0"),
        (["--options", "floors=3"], "unexpected keyword argument"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing_behind(tmp_path, capsys, words, says):
    assert says in refused(capsys, tmp_path / "set", *words, main=command.main)
    assert list(tmp_path.iterdir()) == []
