"""The web server of the page on which one plays; it serves this machine only.

Security:

- Every path starts with a random token.
- A request's ``Host`` must be 127.0.0.1 or localhost.
- A request that changes something, or asks for a preview, must have the page's own ``Origin``, and
  must name the version of the game that the page shows.
- Data from a request is never executed, imported or used as a path.  Actions are numbers that must
  be legal; the names of hints and saved games must be in a list of the server's.
- A request's body is limited in size and time; :mod:`sprawl_env.play.connections` limits the
  connections and headers.
- A refused request gets one line of JSON, ``{"error": ...}``, and its connection is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sprawl_env.core.errors import SprawlError
from sprawl_env.play.guide import sections_of
from sprawl_env.play.saves import SavedGames, saves_in, seats_of
from sprawl_env.play.session import NotNow, Session
from sprawl_env.replays.page import WEB as REPLAY_WEB
from sprawl_env.replays.page import page

T = TypeVar("T")
HOSTS: Final = ("127.0.0.1", "localhost")
MAX_BYTES: Final = 4096  # largest body of a request
BODY_SECONDS: Final = 10.0  # from the end of a request's header to the end of its body
WEB: Final = Path(__file__).parent / "web"
FILES: Final = {
    "": (WEB / "play.html", "text/html"),
    "page.css": (REPLAY_WEB / "page.css", "text/css"),
    "parts.js": (REPLAY_WEB / "parts.js", "text/javascript"),
    "play.css": (WEB / "play.css", "text/css"),
    "play.js": (WEB / "play.js", "text/javascript"),
    "review.js": (WEB / "review.js", "text/javascript"),
}
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FORBIDDEN: Final = 403
NO_TOKEN: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The address is not complete</title></head><body>
<h1>The address is not complete</h1>
<p>The page is at the whole address that the command <code>sprawl-env play</code> printed in the
terminal, with the letters and digits after the number of the port. Copy all of it.</p>
</body></html>
"""
Body = dict[str, Any]


class Refused(HTTPException):
    """A request that the server refuses."""


def new_token() -> str:
    """Return a random token of 192 bits."""
    return secrets.token_urlsafe(24)


class PlayServer:
    """Handles the page's requests, one at a time.

    Args:
        session: the session that is played.
        token: first part of every path.
        saves: folder of saved games.
    """

    def __init__(self, session: Session, token: str, saves: Path) -> None:
        self._session, self._token, self._saves = session, token, saves
        self._listed = SavedGames(session.game)
        self._seat = session.humans[0]  # the seat whose view is shown
        self._lock = threading.Lock()
        self._waiting: set[asyncio.Future[Any]] = set()  # answers of threads
        self._handlers: dict[str, Callable[[Body], Body | None]] = {
            "play": self._play,
            "advance": self._advance,
            "undo": self._undo,
            "hand_over": self._hand_over,
            "deal": self._deal,
            "save": self._save,
            "load": self._load,
            "hint": self._hint,
        }
        self._lookups: dict[str, Callable[[Body], Body]] = {
            "at": self._at,
            "preview": self._preview,
            "review": self._review,
        }
        self._reads: dict[str, Callable[[], Body]] = {
            "view": self._view,
            "saves": self._list_saves,
            "guide": self._guide,
        }

    def app(self) -> Starlette:
        """Return the ASGI application."""
        return Starlette(
            routes=[
                Route("/{token}/api/{what}", self._api, methods=["GET", "POST"]),
                Route("/{token}/replay.html", self._replay, methods=["GET"]),
                Route("/{token}/{name}", self._file, methods=["GET"]),
                Route("/{token}/", self._file, methods=["GET"]),
                Route("/", _without_token, methods=["GET"]),
            ],
            exception_handlers={HTTPException: _refuse, 404: _refuse, 405: _refuse, 500: _failed},
        )

    # ---------------------------------------------------------------------------------- requests

    def _check(self, request: Request) -> None:
        """Check the host and the token of a request, and that a GET has no body.

        Raises:
            Refused: one of them is wrong.
        """
        host = request.headers.get("host", "")
        if host.rpartition(":")[0] not in HOSTS and host not in HOSTS:
            raise Refused(403, "forbidden: use the address that the command printed")
        token = request.path_params["token"].encode()
        if not hmac.compare_digest(token, self._token.encode()):
            raise Refused(403, "forbidden: use the address that the command printed")
        length = request.headers.get("content-length", "0")
        if request.method == "GET" and (length != "0" or "transfer-encoding" in request.headers):
            raise Refused(400, "expected no body")

    async def _file(self, request: Request) -> Response:
        self._check(request)
        name = request.path_params.get("name", "")
        if name not in FILES:
            raise Refused(404, "not found")
        path, kind = FILES[name]
        headers = {**HEADERS, "Content-Security-Policy": POLICY}
        return Response(path.read_bytes(), media_type=kind, headers=headers)

    async def _replay(self, request: Request) -> Response:
        """Return the replay page of the finished game; it shows all hidden information."""
        self._check(request)
        text = await self._in_thread(self._replay_page)
        return Response(text, media_type="text/html", headers=HEADERS)

    def _replay_page(self) -> str:
        with self._lock:
            if not self._session.over:
                raise Refused(409, "the replay is available when the game is over")
            try:
                played = self._session.replay()
            except NotNow as error:
                raise Refused(409, str(error)) from None
        return page(played, data=self._session.game.data_folder)

    async def _api(self, request: Request) -> Response:
        self._check(request)
        what = request.path_params["what"]
        if request.method == "GET":
            if what not in self._reads:
                raise Refused(404, "not found")
            return await self._in_thread(self._read, what)
        if what not in self._handlers and what not in self._lookups:
            raise Refused(404, "not found")
        origin, host = request.headers.get("origin"), request.headers["host"]
        if origin != f"http://{host}":
            raise Refused(403, "forbidden: expected a request from the page")
        body = await _body(request)
        return await self._in_thread(self._handle, what, body)

    async def _in_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function in a thread, and return what it returns or raise what it raises.

        The thread ends with the program: after Ctrl-C nobody waits for a bot that is thinking.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def finish(give: Callable[[Any], None], value: Any) -> None:
            if not future.done():  # it is if nobody waits any more
                give(value)

        def work() -> None:
            give: Callable[[Any], None] = future.set_result
            try:
                value: Any = function(*arguments)
            except Exception as error:
                give, value = future.set_exception, error
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(finish, give, value)

        threading.Thread(target=work, daemon=True).start()
        self._waiting.add(future)
        try:
            return await future
        finally:
            self._waiting.discard(future)

    def leave(self) -> None:
        """Answer the requests that wait for a bot: the server ends."""
        for future in self._waiting:
            if not future.done():
                future.set_exception(Refused(503, "the page has ended"))

    def _read(self, what: str) -> Response:
        with self._lock:
            found = self._reads[what]()
        return JSONResponse(found, headers=HEADERS)

    def _list_saves(self) -> Body:
        """Return the saved games of this game, and why those that cannot be loaded cannot."""
        found = [self._listed.of(self._saves / name) for name in saves_in(self._saves)]
        return {"saves": [saved._asdict() for saved in found if saved is not None]}

    def _handle(self, what: str, body: Body) -> Response:
        with self._lock:
            if body.get("version") != self._session.version:
                if what == "preview":  # it was asked before a decision, and is of no use any more
                    return JSONResponse({"preview": None}, headers=HEADERS)
                raise Refused(409, "the game has changed since the page was updated")
            shown = self._session.version
            try:
                if what in self._lookups:
                    return JSONResponse(self._lookups[what](body), headers=HEADERS)
                more = self._handlers[what](body)
            except NotNow as error:
                raise Refused(409, str(error)) from None
            except SprawlError as error:
                raise Refused(422, str(error)) from None
            view = self._view(shown, body.get("log_of"))
            return JSONResponse({**view, **(more or {})}, headers=HEADERS)

    def _view(self, shown: int | None = None, log_of: object = None) -> Body:
        """Return what the page shows; without secrets the next person's view replaces the last.

        Args:
            shown: the version of the game that the page has shown.
            log_of: the seat whose log it has; if it is the same, only what has changed is sent.
        """
        session = self._session
        if session.to_play in session.humans and not session.is_curtained(self._seat):
            self._seat = session.to_play
        return session.view(self._seat, shown if log_of == self._seat else None)

    def _guide(self) -> Body:
        return {"sections": sections_of(self._session.game)}

    # ---------------------------------------------------------------------------------- handlers

    def _play(self, body: Body) -> None:
        self._session.play(self._seat, _field(body, "action", int))

    def _advance(self, body: Body) -> None:
        self._session.advance()

    def _undo(self, body: Body) -> None:
        self._session.undo(self._session.undoer(self._seat))

    def _hand_over(self, body: Body) -> None:
        """Show the view of the person who is to play next at the same screen."""
        if self._session.to_play not in self._session.humans:
            raise NotNow("it is not another person's turn")
        self._seat = self._session.to_play

    def _deal(self, body: Body) -> None:
        self._session.deal()  # the same person is at the screen

    def _save(self, body: Body) -> Body:
        path = self._session.save(self._saves, _field(body, "name", str))
        return {"says": f"saved as {path}{self._session.taken_back}"}

    def _load(self, body: Body) -> Body:
        name = _field(body, "name", str)
        if name not in saves_in(self._saves):
            raise NotNow("there is no such saved game")
        path = self._saves / name
        self._session.load(path)
        seats, says = seats_of(path), f"loaded {name}"
        if seats and seats != list(self._session.seats):
            says += f"; it was saved with {' '.join(seats)} in the seats"
        return {"says": says}

    def _hint(self, body: Body) -> Body:
        adviser = _field(body, "name", str)
        found = self._session.hint(self._seat, adviser)
        says = f"{self._session.called(adviser)} would play: {found[0].says}"
        return {"hint": [advice._asdict() for advice in found], "says": says}

    def _at(self, body: Body) -> Body:
        return self._session.at(self._seat, _field(body, "ply", int))

    def _preview(self, body: Body) -> Body:
        """Return what an action would change; the game stays as it is."""
        return {"preview": self._session.preview(self._seat, _field(body, "action", int))}

    def _review(self, body: Body) -> Body:
        """Return what an adviser says of a decision of the finished game."""
        name, ply = _field(body, "name", str), _field(body, "ply", int)
        return {"review": self._session.review(self._seat, name, ply)._asdict()}


async def _body(request: Request) -> Body:
    """Return the JSON object in a request's body.

    Raises:
        Refused: the body is no JSON object, is too long, takes too long, ends early or has another
            content type.
    """
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Refused(415, "expected application/json")
    content = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                content += part
                if len(content) > MAX_BYTES:
                    raise Refused(413, f"expected at most {MAX_BYTES} bytes")
    except TimeoutError:
        raise Refused(408, f"expected the body within {BODY_SECONDS:g} seconds") from None
    except ClientDisconnect:  # nobody reads the answer
        raise Refused(400, "expected a whole body") from None
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        raise Refused(400, "expected a JSON object") from None
    if not isinstance(body, dict):
        raise Refused(400, "expected a JSON object")
    return body


def _field(body: Body, name: str, kind: type) -> Any:
    """Return a field of a request's JSON object.

    Raises:
        Refused: the field is missing or has another type.
    """
    value = body.get(name)
    if type(value) is not kind:
        sort = {int: "a whole number", str: "text"}[kind]
        raise Refused(400, f"{name}: expected {sort}")
    return value


async def _without_token(request: Request) -> Response:
    """Return a page that says where the whole address is."""
    headers = {**HEADERS, "Content-Security-Policy": POLICY}
    return Response(NO_TOKEN, status_code=403, media_type="text/html", headers=headers)


async def _refuse(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == FORBIDDEN and "text/html" in request.headers.get("accept", ""):
        return await _without_token(request)
    reason = error.detail if isinstance(error, HTTPException) else "failed"
    headers = {**HEADERS, "Connection": "close"}  # a body that was not read is not waited for
    return JSONResponse({"error": reason}, status_code=status, headers=headers)


async def _failed(request: Request, error: Exception) -> Response:
    return JSONResponse(
        {"error": f"the server failed: {type(error).__name__}"}, status_code=500, headers=HEADERS
    )
