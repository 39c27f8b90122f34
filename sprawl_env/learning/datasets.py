"""Datasets on disk: a folder of compressed numpy files, a description and a card.

========================  ==========================================================================
``dataset.json``          what was played, and of each shard its file, size and SHA-256
``README.md``             the card: the same for people, with the columns
``shard-00000.npz`` ...   the columns of :class:`~sprawl_env.learning.collecting.Decisions`, whole
                          games; ``np.load`` reads them
========================  ==========================================================================

A shard is played from a seed of its own, so an interrupted :func:`write_dataset` continues after
its last complete shard, and the same arguments give the same shards, byte for byte.
"""

from __future__ import annotations

import hashlib
import io
import json
import shlex
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from sprawl_env.arena.entrants import made_of, made_of_kind, names_of, pinned
from sprawl_env.arena.evaluation import match_of
from sprawl_env.arena.games import seated
from sprawl_env.bots.protocol import Bot
from sprawl_env.console import count_bar, option_words
from sprawl_env.core.arguments import checked
from sprawl_env.core.checks import check_memory, check_seed, check_whole
from sprawl_env.core.errors import InvalidOption, SprawlError, printable
from sprawl_env.core.extras import require
from sprawl_env.core.files import (
    MOST_BYTES,
    fits,
    parse_json,
    read_bytes,
    read_text,
    remove_leftovers,
    write_atomically,
)
from sprawl_env.core.folders import LOCK, locked_folder
from sprawl_env.core.game import Game
from sprawl_env.core.provenance import code_digest, provenance
from sprawl_env.core.registry import as_game, game_word
from sprawl_env.core.rewards import reward_mode
from sprawl_env.core.rules import GameRules
from sprawl_env.core.words import counted
from sprawl_env.kernels.arrays import Floats
from sprawl_env.kernels.rng import combine
from sprawl_env.learning.collecting import Decisions, bytes_per_decision, collect

if TYPE_CHECKING:
    from sprawl_env.learning.torch_data import TorchDecisions

DESCRIPTION: Final = "dataset.json"
CARD: Final = "README.md"
FORMAT: Final = 1
LEVEL: Final = 1  # of zlib; higher levels take several times longer for a few percent
EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the time of files in a shard, so that equal data is equal
STREAM: Final = 3  # of the seeds of shards
COLUMNS: Final[Mapping[str, tuple[str, str]]] = {
    "observations": ("int8", "the features; times `scales` they are the float32 observation"),
    "masks": ("int8", "1 = legal"),
    "actions": ("int32", "the action that was played"),
    "seats": ("int8", "the seat that decided"),
    "bots": ("int8", "index in `line_up` of the bot that decided"),
    "returns": ("float32", "the seat's rewards from this decision to the end of the game, summed"),
    "games": ("int64", "number of the game in the dataset"),
    "plies": ("int32", "decisions made before in the game"),
}
"""Type and meaning of the columns of a shard."""

_SHARD: Final = {
    "file": str, "sha256": str, "seed": int, "first_game": int, "games": int, "decisions": int
}  # fmt: skip
_SHAPE: Final = {
    "format": int,
    "game": str,
    "num_players": int,
    "options": dict,
    "option_words": [str],
    "line_up": [str],
    "reward": str,
    "seed": int,
    "num_games": int,
    "games_per_shard": int,
    "layout": str,
    "observation_size": int,
    "num_actions": int,
    "scales": [float],
    "code": str,
    "provenance": dict,
    "shards": [_SHARD],
}
MADE: Final = "made_of"  # of a description: what each bot that has a name is made of
PINNED: Final = "pinned"  # of a description: the names by which they were made
_BY_BOT: Final = (MADE, PINNED)  # texts by the name of a bot; earlier versions do not have them


class DatasetError(SprawlError):
    """A dataset that is missing, incomplete, damaged, or of another game."""


@dataclass(frozen=True)
class Dataset:
    """A dataset on disk; iterating over it reads one shard after the other.

    Attributes:
        folder: where it is.
        about: the content of ``dataset.json``.
    """

    folder: Path
    about: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        """Return one line: the folder, and how much it has."""
        games, decisions = self.about["num_games"], self.num_decisions
        return f"{self.folder}: {counted(decisions, 'decision')} of {counted(games, 'game')}"

    @property
    def num_decisions(self) -> int:
        """The number of rows of all shards."""
        return sum(shard["decisions"] for shard in self.about["shards"])

    @property
    def num_shards(self) -> int:
        """The number of shards."""
        return len(self.about["shards"])

    @property
    def scales(self) -> Floats:
        """The factors from int8 to float32 observations, float32 ``[observation_size]``."""
        return np.array(self.about["scales"], np.float32)

    def __iter__(self) -> Iterator[Decisions]:
        """Yield the decisions of each shard.

        Raises:
            DatasetError: a shard is missing or damaged.
        """
        return (self.shard(k) for k in range(self.num_shards))

    @checked
    def shard(self, number: int) -> Decisions:
        """Read and check one shard.

        Raises:
            InvalidOption: there is no such shard.
            DatasetError: it is missing or damaged.
        """
        number = check_whole("shard: number=", number, 0, self.num_shards - 1)
        return read_shard(self.folder, self.about, number)

    @checked
    def batches(
        self, batch_size: int, *, seed: int | None = None, part: int = 0, num_parts: int = 1
    ) -> Iterator[Decisions]:
        """Yield batches of decisions: each decision once, the last batch may be smaller.

        Args:
            batch_size: decisions of a batch.
            seed: shuffles the shards and the decisions inside a shard; None: the order on disk.
            part: which share of the shards to read, 0..num_parts-1.
            num_parts: number of shares, e.g. of the processes that read at the same time.

        Raises:
            InvalidOption: a number is not allowed.
            DatasetError: while reading, a shard is missing or damaged.
        """
        batch_size = check_whole("batch_size=", batch_size, 1)
        seed = None if seed is None else check_seed(seed)
        num_parts = check_whole("num_parts=", num_parts, 1)
        part = check_whole("part=", part, 0, num_parts - 1)
        return self._batches(batch_size, seed, slice(part, None, num_parts))

    def _batches(self, batch_size: int, seed: int | None, part: slice) -> Iterator[Decisions]:
        rng = None if seed is None else np.random.default_rng(seed)
        numbers = np.arange(self.num_shards) if rng is None else rng.permutation(self.num_shards)
        rest: Decisions | None = None  # fewer decisions than a batch
        for number in numbers[part].tolist():
            read = self.shard(number)
            size = len(read.actions)
            order = np.arange(size) if rng is None else rng.permutation(size)
            start = 0
            if rest is not None:
                start = min(size, batch_size - len(rest.actions))
                rest = _joined(rest, rows_of(read, order[:start]))
                if len(rest.actions) == batch_size:
                    yield rest
                    rest = None
            for k in range(start, size, batch_size):
                rows = rows_of(read, order[k : k + batch_size])
                if len(rows.actions) < batch_size:
                    rest = rows
                    break
                yield rows
        if rest is not None:
            yield rest

    @checked
    def torch(self, batch_size: int, *, seed: int | None = None) -> TorchDecisions:
        """Return the batches as an iterable dataset of torch, for a ``DataLoader`` or a loop.

        Args:
            batch_size: decisions of a batch.
            seed: shuffles as in :meth:`batches`; use another one in each epoch.

        Raises:
            InvalidOption: a number is not allowed.
            MissingExtra: torch is not installed.
        """
        self.batches(batch_size, seed=seed)  # checks
        require("torch", "Dataset.torch()")
        module = import_module("sprawl_env.learning.torch_data")
        made: TorchDecisions = module.TorchDecisions(self, batch_size, seed)
        return made


def columns_of(found: Decisions) -> dict[str, npt.NDArray[Any]]:
    """Return the columns by name."""
    return found._asdict()


def rows_of(found: Decisions, rows: npt.NDArray[np.int64]) -> Decisions:
    """Return copies of some rows."""
    return Decisions(**{name: column[rows] for name, column in columns_of(found).items()})


def _joined(first: Decisions, second: Decisions) -> Decisions:
    parts = columns_of(first), columns_of(second)
    return Decisions(**{name: np.concatenate([part[name] for part in parts]) for name in COLUMNS})


# --------------------------------------------------------------------------------------- reading


@checked
def load_dataset(folder: Path, game: Game | None = None) -> Dataset:
    """Return a dataset on disk; its shards are read when they are asked for.

    Args:
        folder: where :func:`write_dataset` wrote it.
        game: is compared with the dataset: name, number of seats, layout of the observations,
            number of actions.

    Raises:
        DatasetError: missing, not finished, damaged, or of another game.
    """
    about = read_description(folder)
    where = f"dataset {str(folder)!r}"
    played = sum(shard["games"] for shard in about["shards"])
    if played < about["num_games"]:
        raise DatasetError(
            f"{where}: has {played} of {about['num_games']} games: run the command or the call "
            f"that made it again, to finish it"
        )
    if game is not None:
        for name, own in _identity(game).items():
            if own != about[name]:
                raise DatasetError(f"{where}: {name} is {about[name]!r}, the game's is {own!r}")
    return Dataset(folder, about)


def _identity(game: Game) -> dict[str, Any]:
    """Return what of a game must match for a policy to read its data."""
    return {
        "game": game_word(game.rules),
        "num_players": game.num_seats,
        "layout": game.observation_layout.digest(),
        "observation_size": game.observation_size,
        "num_actions": game.num_actions,
    }


def read_description(folder: Path) -> dict[str, Any]:
    """Return the content of ``dataset.json`` after checking it.

    Raises:
        DatasetError: missing or damaged.
    """
    where = f"dataset {str(folder)!r}"
    try:
        about = parse_json(read_text(folder / DESCRIPTION))
    except OSError as error:
        raise DatasetError(f"{where}: cannot read {DESCRIPTION}: {error.strerror}") from None
    except ValueError as error:
        raise DatasetError(f"{where}: {DESCRIPTION} is damaged: {printable(str(error))}") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise DatasetError(f"{where}: {DESCRIPTION}: expected format {FORMAT}")
    for name, shape in _SHAPE.items():
        if not fits(about.get(name), shape):
            raise DatasetError(f"{where}: {DESCRIPTION} is damaged: {name!r}")
    for name in _BY_BOT:
        texts = about.get(name, {})
        if not isinstance(texts, dict) or not fits(list(texts.values()), [str]):
            raise DatasetError(f"{where}: {DESCRIPTION} is damaged: {name!r}")
    for k, shard in enumerate(about["shards"]):
        if shard["file"] != _file_of(k) or shard["games"] < 1 or shard["decisions"] < 0:
            raise DatasetError(f"{where}: {DESCRIPTION} is damaged: shard {k}")
    if len(about["scales"]) != about["observation_size"] or about["num_actions"] < 1:
        raise DatasetError(f"{where}: {DESCRIPTION} is damaged: sizes")
    return about


def read_shard(folder: Path, about: Mapping[str, Any], number: int) -> Decisions:
    """Read one shard and check it against the description of its dataset.

    Raises:
        DatasetError: missing or damaged.
    """
    shard = about["shards"][number]
    where = f"dataset {str(folder)!r}: {shard['file']}"
    try:
        content = read_bytes(folder / shard["file"])
    except OSError as error:
        raise DatasetError(f"{where}: cannot be read: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest() != shard["sha256"]:
        raise DatasetError(
            f"{where} is damaged: its SHA-256 differs from the one in {DESCRIPTION}: copy it again"
        )
    columns: dict[str, Any] = {}
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            for name in COLUMNS:
                columns[name] = file[name]
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise DatasetError(f"{where} is damaged: {printable(str(error))}") from None
    for name, (kind, _) in COLUMNS.items():
        shape = (shard["decisions"], *_width(about, name))
        if columns[name].dtype != kind or columns[name].shape != shape:
            raise DatasetError(f"{where} is damaged: {name}: expected {kind} of shape {shape}")
    return Decisions(**columns)


def _width(about: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """Return the shape of one row of a column."""
    sizes = {"observations": "observation_size", "masks": "num_actions"}
    return (about[sizes[name]],) if name in sizes else ()


def _file_of(number: int) -> str:
    return f"shard-{number:05}.npz"


# --------------------------------------------------------------------------------------- writing


@checked
def write_dataset(
    folder: Path,
    game: str | GameRules | Game,
    line_up: Sequence[str | Bot | type[Bot]],
    num_games: int,
    *,
    reward: str = "winner",
    seed: int = 0,
    games_per_shard: int = 512,
    progress: bool = False,
    **options: Any,
) -> Dataset:
    """Play whole games between bots and write their decisions as a dataset.

    A call that was interrupted continues after its last complete shard, if it is repeated with the
    same arguments, the same code of the package and the same code and weights of the bots.

    Args:
        folder: of the dataset; made if it does not exist.
        game: a game's name or import path, its rules, or a game with its options chosen.
        line_up: one bot a seat, as a name, an instance or a class.
        num_games: rounded up to whole rotations of the seats.
        reward: ``"winner"``, ``"rank"``, ``"margin"``, ``"score"`` or ``"lead"``.
        seed: of the deals and the bots.
        games_per_shard: rounded up to whole rotations; their decisions are in memory together, and
            compressed they fill at most 1 GiB.
        progress: show a progress bar; without a terminal, a line a minute on standard error.
        **options: of the game, e.g. ``num_players=3``, unless ``game`` has them.

    Raises:
        SprawlError: as :func:`collect`; or the folder contains something else or cannot be
            written, or a shard is too large to be read again, or another process is writing there.
    """
    made = as_game(game, **options)
    fixed = line_up  # a run's folder means the same checkpoint for all shards
    if not isinstance(line_up, str):
        fixed = [pinned(bot) if isinstance(bot, str) else bot for bot in line_up]
    bots = seated(made, fixed, check_seed(seed))
    seats = made.num_seats
    total, each = (
        -(-check_whole(f"{name}=", number, 1) // seats) * seats
        for name, number in (("num_games", num_games), ("games_per_shard", games_per_shard))
    )
    check_memory("num_games", total, 1)
    check_memory("games_per_shard", min(each, total), bytes_per_decision(made))
    reward_mode(reward)
    settings = {
        "format": FORMAT,
        **_identity(made),
        "options": {name: made.options[name] for name in made.options},
        "option_words": list(option_words(made)),
        "line_up": names_of(line_up),
        "reward": reward,
        "seed": check_seed(seed),
        "num_games": total,
        "games_per_shard": each,
        "scales": made.observation_layout.scales.tolist(),
        "code": code_digest(),
        **_by_bot(line_up, fixed, made),
    }
    where = f"folder={str(folder)!r}"
    bar = count_bar(shown=progress)
    try:
        _check_free(folder)
        with locked_folder(folder, where, "another process is writing to it"), bar:
            about = _begun(folder, settings)
            begun = len(about["shards"])
            what = match_of(settings["line_up"])
            task = bar.add_task(what, total=total, completed=begun * each)
            for number in range(begun, -(-total // each)):
                about["shards"].append(_write_shard(folder, made, bots, about, number))
                write_atomically(folder / DESCRIPTION, json.dumps(about, indent=1))
                bar.advance(task, each)
            found = Dataset(folder, about)
            write_atomically(folder / CARD, card(found))
    except OSError as error:
        raise InvalidOption(f"{where}: {error.strerror}") from None
    return found


def _by_bot(
    line_up: Sequence[str | Bot | type[Bot]], fixed: Sequence[str | Bot | type[Bot]], game: Game
) -> dict[str, dict[str, str]]:
    """Return what a description says of the bots, of objects by their names and numbers.

    Args:
        line_up: the bots as they were given.
        fixed: the same with the newest checkpoints in place of runs.
        game: the game that they play.

    Raises:
        InvalidOption: a file of a bot cannot be read.
    """
    pairs = zip(line_up, fixed, strict=True)
    words = {bot: word for bot, word in pairs if isinstance(bot, str) and isinstance(word, str)}
    made = {bot: made_of(word, game) for bot, word in words.items()}
    for number, (bot, name) in enumerate(zip(line_up, names_of(line_up), strict=True)):
        if not isinstance(bot, str):
            made[f"{name} (bot {number})"] = made_of_kind(bot, game)
    return {MADE: made, PINNED: words}


def _check_free(folder: Path) -> None:
    """Check that a folder has a dataset or nothing, before anything is written there.

    Raises:
        InvalidOption: it contains something else.
        OSError: it cannot be read.
    """
    if (folder / DESCRIPTION).exists() or not folder.exists():
        return
    remove_leftovers(folder, DESCRIPTION)
    if any(path.name != LOCK for path in folder.iterdir()):
        raise InvalidOption(f"folder={str(folder)!r}: expected a new or empty folder")


def _begun(folder: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of a dataset in a folder, which is written if there is none.

    Raises:
        InvalidOption: the folder contains something else, or a dataset of other settings.
        DatasetError: its description is damaged.
        OSError: the folder cannot be written.
    """
    if (folder / DESCRIPTION).exists():
        about = read_description(folder)
        where = f"folder={str(folder)!r}"
        for name, value in settings.items():
            if name not in _BY_BOT and about[name] != value:
                raise InvalidOption(
                    f"{where}: has a dataset with another {name!r}: choose another folder"
                )
        _check_bots(where, about, settings)
        return about
    about = {**settings, "provenance": provenance(), "shards": []}
    write_atomically(folder / DESCRIPTION, json.dumps(about, indent=1))
    return about


def _check_bots(where: str, about: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Check that a dataset that goes on has the same code and weights of its bots.

    Raises:
        InvalidOption: they have changed, or a dataset that is not finished does not say them.
    """
    if MADE not in about:
        if sum(shard["games"] for shard in about["shards"]) < about["num_games"]:
            raise InvalidOption(
                f"{where}: does not say what its bots were made of: choose another folder"
            )
        return
    for bot, digest in settings[MADE].items():
        if about[MADE].get(bot) != digest:
            raise InvalidOption(
                f"{where}: has games of {bot} before its code or weights changed: choose another "
                f"folder"
            )


def _write_shard(
    folder: Path, game: Game, bots: Sequence[Bot], about: Mapping[str, Any], number: int
) -> dict[str, Any]:
    """Play the games of a shard and write it; returns its entry in the description.

    Raises:
        InvalidOption: it is too large to be read.  A dataset without another shard is deleted, so
            that the folder can be used again.
    """
    first = number * about["games_per_shard"]
    games = min(about["games_per_shard"], about["num_games"] - first)
    seed = int(combine(combine(about["seed"], number), STREAM))
    (found,) = collect(game, bots, games, reward=about["reward"], seed=seed, batch=games)
    content = npz(found._replace(games=found.games + first))
    if len(content) > MOST_BYTES:
        if number == 0:
            (folder / DESCRIPTION).unlink(missing_ok=True)
        raise InvalidOption(
            f"games_per_shard={about['games_per_shard']}: a shard has {len(content):,} bytes: "
            f"expected at most {MOST_BYTES:,}, use fewer games a shard"
        )
    write_atomically(folder / _file_of(number), content)
    return {
        "file": _file_of(number),
        "sha256": hashlib.sha256(content).hexdigest(),
        "seed": seed,
        "first_game": first,
        "games": games,
        "decisions": len(found.actions),
    }


def npz(found: Decisions) -> bytes:
    """Return decisions as the content of a compressed ``.npz`` file; equal data, equal bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as file:
        for name, column in columns_of(found).items():
            entry = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with file.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, column, allow_pickle=False)
    return content.getvalue()


# ------------------------------------------------------------------------------------------ card


def command_of(about: Mapping[str, Any]) -> str:
    """Return the command that makes a dataset with the same settings."""
    words = ["python", "-m", "experiments.dataset", "data", "--game", about["game"]]
    words += ["--num-players", str(about["num_players"])]
    words += ["--options", *about["option_words"]] if about["option_words"] else []
    words += ["--bots", *about["line_up"], "--games", str(about["num_games"])]
    words += ["--reward", about["reward"], "--seed", str(about["seed"])]
    return shlex.join([*words, "--games-per-shard", str(about["games_per_shard"])])


def card(dataset: Dataset) -> str:
    """Return the card of a dataset as Markdown."""
    about = dataset.about
    size = sum((dataset.folder / shard["file"]).stat().st_size for shard in about["shards"])
    found = about["provenance"]
    versions = [f"{library} {number}" for library, number in found.get("versions", {}).items()]
    facts = {
        "game": f"`{about['game']}`",
        "options": ", ".join(f"`{name}={value}`" for name, value in about["options"].items()),
        "bots (`line_up`)": ", ".join(f"`{name}`" for name in about["line_up"]),
        "games": f"{about['num_games']:,}, all played to the end; each deal with every rotation of "
        f"the seats",
        "decisions": f"{dataset.num_decisions:,}",
        "reward": f"`{about['reward']}`",
        "seed": str(about["seed"]),
        "shards": f"{dataset.num_shards}, {size / 1e6:,.1f} MB",
        "layout of the observations": f"`{about['layout']}`",
        "versions": ", ".join(versions),
        "commit, code": f"`{found.get('commit')}`, `{about['code']}`",
        "command": f"`{command_of(about)}`",
    }
    shapes = {
        name: ", ".join(["n", *(str(size) for size in _width(about, name))]) for name in COLUMNS
    }
    lines = [
        f"# Dataset of {about['game']}",
        "",
        "| | |",
        "| :-- | :-- |",
        *(f"| {key} | {value} |" for key, value in facts.items()),
        "",
        "## Columns",
        "",
        "A row is one decision. The rows of a game follow one another in the order of the plies.",
        "",
        "| column | type | meaning |",
        "| :-- | :-- | :-- |",
        *(
            f"| `{name}` | {kind} `[{shapes[name]}]` | {meaning} |"
            for name, (kind, meaning) in COLUMNS.items()
        ),
        "",
        f"`{DESCRIPTION}` has `scales`, and of each shard the file, the SHA-256, the seed and the",
        "number of its first game. Game `first_game + g` of a shard is dealt from",
        "`(seed, g // num_players)`; bot `k` sits on seat `(k + g) % num_players`.",
        "",
        "```python",
        "import sprawl_env.learning",
        "",
        'for part in sprawl_env.learning.load_dataset("."):  # or numpy.load("shard-00000.npz")',
        "    print(part.observations.shape, part.returns.mean())",
        "```",
        "",
    ]
    return "\n".join(printable(line) for line in lines)
