"""The command ``play``: play against bots, or with others at the same screen.

The page is served to this machine only.  The game is saved in the folder of saved games whenever a
person is to play; ``--resume`` continues what was saved last.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
import threading
import webbrowser
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

from tyro.conf import arg

from sprawl_env.bots.names import reads_more
from sprawl_env.bots.policy.agents import BEST, best_of
from sprawl_env.bots.ratings import ranked_search
from sprawl_env.commands.flags import Options, Switch, bots, file
from sprawl_env.console import parse_options, say, tracked
from sprawl_env.core.errors import InvalidOption, printable
from sprawl_env.core.extras import require_extra
from sprawl_env.core.game import Game
from sprawl_env.core.registry import game as make_game
from sprawl_env.core.registry import rules_of
from sprawl_env.core.words import counted
from sprawl_env.kernels.rng import MAX_SEED
from sprawl_env.play.saves import game_of, newest_in, seats_of
from sprawl_env.play.session import HUMAN, Session
from sprawl_env.play.terminal import play_in_terminal

HOST: Final = "127.0.0.1"
MOST_PORT: Final = 65_535
SEARCH: Final = "mcts:sims=100"  # gives hints in a game without a ranking
USUAL_GAME: Final = "tower_up"
USUAL_SEATS: Final = (HUMAN, "greedy")
HINTS: Final = "greedy, the mcts of the ranking, agent:best"


@dataclass(frozen=True)
class Play:
    """Play a game yourself, on a page that is served to this machine only, or in the terminal.

    Example: sprawl-env play --game ginkgopolis --seats human mcts:sims=200 greedy
    """

    game: Annotated[
        str | None,
        arg(
            help="name of the game, or module:RULES for a game of your own",
            metavar="GAME",
            help_behavior_hint=f"(default: {USUAL_GAME})",
        ),
    ] = None
    seats: Annotated[
        tuple[str, ...] | None, bots("human or a bot for each seat", " ".join(USUAL_SEATS))
    ] = None
    options: Options = ()
    seed: Annotated[
        int | None,
        arg(
            help="seed of the first deal and of the bots",
            metavar="N",
            help_behavior_hint="(default: random)",
        ),
    ] = None
    hints: Annotated[tuple[str, ...] | None, bots("bots that give hints", HINTS)] = None
    load: Annotated[
        Path | None,
        file("saved replay (.jsonl) or position (.json) to continue, with its options", "none"),
    ] = None
    resume: Switch = False
    """continue the game that was saved last, with its seats and options"""
    saves: Annotated[Path, arg(help="folder for saved games", metavar="PATH")] = Path("runs/play")
    port: Annotated[int, arg(help="port of the page; 0: any free one", metavar="N")] = 8765
    open: bool = True
    """open the page in the browser, if there is one"""
    terminal: Switch = False
    """play in the terminal"""


def new_session(command: Play) -> Session:
    """Return the session for a command.

    Raises:
        SprawlError: some value is not allowed, or the saved game cannot be read.
    """
    if command.seed is not None and not 0 <= command.seed <= MAX_SEED:
        raise InvalidOption(f"seed={command.seed}: expected a whole number 0..2**63-1")
    name = USUAL_GAME if command.game is None else rules_of(command.game).name  # it is registered
    if command.resume:
        command = _resumed(command)
    if command.load is None:
        seats = command.seats or USUAL_SEATS
        game = _new_game(command, seats)
    else:
        game = _saved_game(command, name)
        seats = command.seats or _saved_seats(command.load, game)
    session = Session(
        game,
        seats,
        default_hints(game) if command.hints is None else command.hints,
        secrets.randbelow(MAX_SEED) if command.seed is None else command.seed,
    )
    if command.load is not None:
        session.load(command.load)
    session.autosaves = command.saves
    return session


def _resumed(command: Play) -> Play:
    """Return the command that continues what was saved last.

    Raises:
        SprawlError: there is no saved game, it cannot be read, or another one was asked for.
    """
    if command.load is not None:
        raise InvalidOption("resume: --load names a saved game: use one of the two")
    path = newest_in(command.saves)
    seats = tuple(seats_of(path))
    if command.seats is not None:
        if seats and command.seats != seats:
            says = printable(" ".join(seats))
            raise InvalidOption(f"resume: {path.name} has the seats {says}: leave them out")
        return replace(command, load=path)
    if not seats:
        raise InvalidOption(f"resume: {path.name} is a position and names no seats: add --seats")
    _check_bots("resume", path, seats)
    return replace(command, load=path, seats=seats)


def _saved_seats(path: Path, game: Game) -> tuple[str, ...]:
    """Return the seats of a file that is loaded: its own, if a person plays one of them.

    Raises:
        SprawlError: they name a bot that reads or imports something, or none are known and the game
            has not as many seats as are usual.
    """
    seats = tuple(seats_of(path))
    if HUMAN in seats:
        _check_bots("load", path, seats)
        return seats
    if game.num_seats != len(USUAL_SEATS):
        raise InvalidOption(
            f"load: {path.name} has {counted(game.num_seats, 'seat')} and nobody plays one: add "
            f"--seats with {counted(game.num_seats, 'name')}, {HUMAN} among them"
        )
    return USUAL_SEATS


def _check_bots(flag: str, path: Path, seats: tuple[str, ...]) -> None:
    """Check that the seats of a saved game name no bot that reads or imports something.

    Raises:
        InvalidOption: one of them does.
    """
    more = [name for name in seats if name != HUMAN and reads_more(name)]
    if more:
        raise InvalidOption(
            f"{flag}: {path.name} has {printable(more[0])} in a seat, and no saved game decides "
            f"what is imported or read: add --seats {printable(' '.join(seats))}"
        )


def default_hints(game: Game) -> tuple[str, ...]:
    """Return the bots that give hints if none are named.

    They are greedy, the mcts of the game's ranking, and the strongest trained agent, if the game
    has one for its number of seats.
    """
    hints = ("greedy", ranked_search(game.name) or SEARCH)
    return hints if best_of(game.name, game) == BEST else (*hints, f"agent:{BEST}")


def _new_game(command: Play, seats: tuple[str, ...]) -> Game:
    """Return the game of a command that loads none.

    Raises:
        SprawlError: there is no such game or option, or not for so many seats.
    """
    name, count = command.game or USUAL_GAME, len(seats)
    allowed = rules_of(name).options["num_players"]
    if not allowed.low <= count <= allowed.high:
        raise InvalidOption(
            f"seats: expected {allowed.low}..{allowed.high} names for {name}, got {count}"
        )
    return make_game(name, num_players=count, **parse_options(command.options))


def _saved_game(command: Play, name: str) -> Game:
    """Return the game of the file that a command loads; its cards may be of a folder of data.

    Args:
        command: with ``load``.
        name: of the game that was asked for.

    Raises:
        SprawlError: the file cannot be read, or it is of another game.
    """
    path, options = command.load or Path(), parse_options(command.options)
    data = options.pop("data", None)
    if options:
        raise InvalidOption("options: a saved game has its own: expected at most data=FOLDER")
    found = game_of(path, None if data is None else Path(str(data)))
    if command.game is not None and name != found.name:
        how = "use --load PATH" if command.resume else "leave --game out"
        raise InvalidOption(
            f"{'resume' if command.resume else 'load'}: {path.name} is of {found.name}, not "
            f"{name}: {how}"
        )
    return found


def _socket(port: int) -> socket.socket:
    """Return a listening socket that only this machine can reach.

    Raises:
        InvalidOption: the port is not free or not allowed.
    """
    if not 0 <= port <= MOST_PORT:
        raise InvalidOption(f"port={port}: expected 0..{MOST_PORT}")
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # a port that was just closed is free
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise InvalidOption(
            f"port={port}: {error.strerror}: choose another, or 0 for any free one"
        ) from None
    return listening


def _has_browser() -> bool:
    """Return whether a graphical browser can be opened; a text browser would use the terminal."""
    shown = {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    return sys.platform in {"darwin", "win32"} or bool(shown)


def serve(session: Session, command: Play) -> None:
    """Serve the page until Ctrl-C.

    Raises:
        MissingExtra: a library is not installed.
        InvalidOption: the port is not free or not allowed.
    """
    require_extra("play", "sprawl-env play")
    from sprawl_env.play.connections import PageServer  # noqa: PLC0415 - imports uvicorn
    from sprawl_env.play.server import PlayServer, new_token  # noqa: PLC0415 - imports starlette

    count = len(session.seats) + len(session.hints)
    for _ in tracked(session.rehearse(), "compiling", count):
        pass  # what the first decisions need
    token = new_token()
    server = PlayServer(session, token, command.saves)
    with _socket(command.port) as listening:
        url = f"http://{HOST}:{listening.getsockname()[1]}/{token}/"

        def announce() -> None:
            say(f"{session.game.title} is ready: {url}")
            say("Ctrl-C ends it.")
            if command.open and _has_browser():
                threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()

        PageServer(server.app(), announce, server.leave).run(sockets=[listening])


def main(command: Play) -> None:
    """Run the command."""
    if not command.terminal:
        require_extra("play", "sprawl-env play")
    session = new_session(command)
    try:
        if command.terminal:
            play_in_terminal(session, command.saves)
        else:
            serve(session, command)
    except KeyboardInterrupt:  # ends the page as it should, a game at the terminal before its end
        if command.terminal:
            raise
