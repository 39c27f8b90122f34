"""Play a game yourself, against bots or with others at the same screen.

    python -m experiments.play --game tower_up --seats human greedy
    python -m experiments.play --game ginkgopolis --seats human mcts:sims=200 greedy --port 0
    python -m experiments.play --load runs/play/tower_up.jsonl --seats human greedy --terminal

A page opens in the browser, served to this machine alone; ``--terminal`` plays in the terminal.
Ctrl-C ends it; a game that shall last must be saved before.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sprawl_env.console import fail, parse_options, run, say
from sprawl_env.core.errors import InvalidOption
from sprawl_env.core.game import Game
from sprawl_env.core.registry import game as make_game
from sprawl_env.kernels.rng import MAX_SEED
from sprawl_env.play.session import HUMAN, Session, game_of
from sprawl_env.play.terminal import play_in_terminal

HOST: Final = "127.0.0.1"
MOST_PORT: Final = 65_535


@dataclass(frozen=True)
class Config:
    """What to play, who sits where."""

    game: str = "tower_up"
    """tower_up, ginkgopolis or urban_sprawl"""
    seats: tuple[str, ...] = (HUMAN, "greedy")
    """human or a bot for each seat: random, greedy, mcts:sims=400, checkpoint:PATH, module:Class"""
    options: tuple[str, ...] = ()
    """the game's options, name=value"""
    seed: int | None = None
    """of the first deal and of the bots; default: by chance"""
    hints: tuple[str, ...] = ("greedy", "mcts:sims=100")
    """bots that may be asked for advice"""
    load: Path | None = None
    """go on with a saved replay (.jsonl) or position (.json); it decides game and options"""
    saves: Path = Path("runs/play")
    """the folder that games are saved in"""
    port: int = 8765
    """of the page; 0: any free one"""
    open: bool = True
    """open the page in the browser, where there is one"""
    terminal: bool = False
    """play in the terminal"""


def new_session(config: Config) -> Session:
    """Return the game asked for.

    Raises:
        SprawlError: anything that cannot be.
    """
    if config.seed is not None and not 0 <= config.seed <= MAX_SEED:
        raise InvalidOption(f"seed={config.seed}: expected a whole number 0..2**63-1")
    session = Session(
        _game(config),
        config.seats,
        config.hints,
        secrets.randbelow(MAX_SEED) if config.seed is None else config.seed,
    )
    if config.load is not None:
        session.load(config.load)
    return session


def _game(config: Config) -> Game:
    options = parse_options(config.options)
    if config.load is None:
        return make_game(config.game, num_players=len(config.seats), **options)
    if options:
        raise InvalidOption("options: with --load the saved game decides them")
    return game_of(config.load)


def _socket(port: int) -> socket.socket:
    """Return a socket of this machine alone.

    Raises:
        InvalidOption: the port cannot be had.
    """
    if not 0 <= port <= MOST_PORT:
        raise InvalidOption(f"port={port}: expected 0..{MOST_PORT}")
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # a port that was in use a moment ago can be had again
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        raise InvalidOption(
            f"port={port}: {error.strerror}: choose another, or 0 for any free one"
        ) from None
    return listening


def _has_browser() -> bool:
    """Whether a window can be opened; a text browser would take the terminal."""
    shown = {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    return sys.platform in {"darwin", "win32"} or bool(shown)


def serve(session: Session, config: Config) -> None:
    """Serve the page until Ctrl-C.

    Raises:
        InvalidOption: a library is missing or the port cannot be had.
    """
    try:
        import uvicorn  # noqa: PLC0415 - the terminal does without

        from sprawl_env.play.server import PlayServer, new_token  # noqa: PLC0415
    except ImportError as error:
        raise InvalidOption(
            f"{error.name} is not installed: pip install 'sprawl-env[play]', or use --terminal"
        ) from None
    token = new_token()
    app = PlayServer(session, token, config.saves).app()
    listening = _socket(config.port)
    url = f"http://{HOST}:{listening.getsockname()[1]}/{token}/"
    say(f"{session.game.title} is ready: {url}")
    say("Ctrl-C ends it.")
    if config.open and _has_browser():
        webbrowser.open(url)
    settings = uvicorn.Config(
        app, log_level="warning", lifespan="off", server_header=False, timeout_graceful_shutdown=2
    )
    uvicorn.Server(settings).run(sockets=[listening])


def main(config: Config) -> None:
    """Play."""
    session = new_session(config)
    try:
        if config.terminal:
            play_in_terminal(session, config.saves)
        else:
            serve(session, config)
    except KeyboardInterrupt:
        if config.terminal:
            fail("stopped")


if __name__ == "__main__":
    run(main, Config)
