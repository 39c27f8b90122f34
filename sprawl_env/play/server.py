"""The page to play on, served to this machine alone.

Every path begins with a random token.  A request must name 127.0.0.1 or localhost as its host, one
that changes anything must come from the page itself (``Origin``) and say at which version of the
game it aims.  Nothing of a request is ever run, opened or imported: actions are numbers that must
be legal, hints and saves are picked from lists.  Whatever is refused is one line of JSON,
``{"error": ...}``.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sprawl_env.core.errors import SprawlError
from sprawl_env.play.session import NotNow, Session, saves_in
from sprawl_env.replays.page import page, read_web

HOSTS: Final = ("127.0.0.1", "localhost")
MOST_BYTES: Final = 4096  # of a request's body
FILES: Final = {
    "": ("play.html", "text/html"),
    "page.css": ("page.css", "text/css"),
    "play.css": ("play.css", "text/css"),
    "play.js": ("play.js", "text/javascript"),
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
Body = dict[str, Any]


class Refused(HTTPException):
    """A request that is not answered."""


def new_token() -> str:
    """Return a token nobody can guess."""
    return secrets.token_urlsafe(24)


class PlayServer:
    """The requests of the page, one at a time.

    Args:
        session: the game.
        token: the first part of every path.
        saves: the folder that games are saved in.
    """

    def __init__(self, session: Session, token: str, saves: Path) -> None:
        self._session, self._token, self._saves = session, token, saves
        self._seat = session.humans[0]  # whose view is shown
        self._lock = threading.Lock()
        self._does: dict[str, Callable[[Body], Body | None]] = {
            "play": self._play,
            "advance": self._advance,
            "undo": self._undo,
            "look": self._look,
            "deal": self._deal,
            "save": self._save,
            "load": self._load,
            "hint": self._hint,
        }

    def app(self) -> Starlette:
        """Return the ASGI application."""
        return Starlette(
            routes=[
                Route("/{token}/api/{what}", self._api, methods=["GET", "POST"]),
                Route("/{token}/replay.html", self._replay, methods=["GET"]),
                Route("/{token}/{name}", self._file, methods=["GET"]),
                Route("/{token}/", self._file, methods=["GET"]),
            ],
            exception_handlers={HTTPException: _refuse, 404: _refuse, 405: _refuse, 500: _failed},
        )

    # ---------------------------------------------------------------------------------- requests

    def _check(self, request: Request) -> None:
        """Refuse whom the page is not for."""
        host = request.headers.get("host", "")
        if host.rpartition(":")[0] not in HOSTS and host not in HOSTS:
            raise Refused(403, "forbidden: expected the address that the command printed")
        token = request.path_params["token"].encode()
        if not hmac.compare_digest(token, self._token.encode()):
            raise Refused(403, "forbidden: expected the address that the command printed")

    async def _file(self, request: Request) -> Response:
        self._check(request)
        name = request.path_params.get("name", "")
        if name not in FILES:
            raise Refused(404, "not found")
        file, kind = FILES[name]
        headers = {**HEADERS, "Content-Security-Policy": POLICY}
        return Response(read_web(file), media_type=kind, headers=headers)

    async def _replay(self, request: Request) -> Response:
        """The finished game to step through; it shows everything, so not before the end."""
        self._check(request)
        text = await run_in_threadpool(self._replay_page)
        return Response(text, media_type="text/html", headers=HEADERS)

    def _replay_page(self) -> str:
        with self._lock:
            if not self._session.over:
                raise Refused(409, "the replay can be seen when the game is over")
            try:
                played = self._session.replay()
            except NotNow as error:
                raise Refused(409, str(error)) from None
        return page(played)

    async def _api(self, request: Request) -> Response:
        self._check(request)
        what = request.path_params["what"]
        if request.method == "GET":
            if what not in {"view", "saves"}:
                raise Refused(404, "not found")
            return await run_in_threadpool(self._read, what)
        if what not in self._does:
            raise Refused(404, "not found")
        origin, host = request.headers.get("origin"), request.headers["host"]
        if origin != f"http://{host}":
            raise Refused(403, "forbidden: expected a request of the page itself")
        body = await _body(request)
        return await run_in_threadpool(self._do, what, body)

    def _read(self, what: str) -> Response:
        with self._lock:
            found = self._view() if what == "view" else {"saves": saves_in(self._saves)}
        return JSONResponse(found, headers=HEADERS)

    def _do(self, what: str, body: Body) -> Response:
        with self._lock:
            if body.get("version") != self._session.version:
                raise Refused(409, "the game has moved on in the meantime")
            try:
                more = self._does[what](body)
            except NotNow as error:
                raise Refused(409, str(error)) from None
            except SprawlError as error:
                raise Refused(422, str(error)) from None
            return JSONResponse({**self._view(), **(more or {})}, headers=HEADERS)

    def _view(self) -> Body:
        return self._session.view(self._seat)

    # ------------------------------------------------------------------------- what it is asked

    def _play(self, body: Body) -> None:
        self._session.play(self._seat, _field(body, "action", int))

    def _advance(self, body: Body) -> None:
        self._session.advance()

    def _undo(self, body: Body) -> None:
        self._session.undo(self._seat)

    def _look(self, body: Body) -> None:
        """Turn the view to the next person at the same screen, whose decision it is."""
        if self._session.to_play not in self._session.humans:
            raise NotNow("no other person is to play")
        self._seat = self._session.to_play

    def _deal(self, body: Body) -> None:
        self._session.deal()
        self._seat = self._session.humans[0]

    def _save(self, body: Body) -> Body:
        path = self._session.save(self._saves, _field(body, "name", str))
        return {"says": f"saved as {path}"}

    def _load(self, body: Body) -> Body:
        name = _field(body, "name", str)
        if name not in saves_in(self._saves):
            raise NotNow("no such saved game")
        self._session.load(self._saves / name)
        self._seat = self._session.humans[0]
        return {"says": f"loaded {name}"}

    def _hint(self, body: Body) -> Body:
        adviser = _field(body, "name", str)
        found = self._session.hint(self._seat, adviser)
        return {"hint": found.action, "says": f"{adviser} would play: {found.says}"}


async def _body(request: Request) -> Body:
    """Return a request's JSON object."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Refused(415, "expected application/json")
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > MOST_BYTES:
            raise Refused(413, f"expected at most {MOST_BYTES} bytes")
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        raise Refused(400, "expected a JSON object") from None
    if not isinstance(body, dict):
        raise Refused(400, "expected a JSON object")
    return body


def _field(body: Body, name: str, kind: type) -> Any:
    """Return a field of a request.

    Raises:
        Refused: it is missing or of another type.
    """
    value = body.get(name)
    if type(value) is not kind:
        sort = {int: "a whole number", str: "text"}[kind]
        raise Refused(400, f"{name}: expected {sort}")
    return value


async def _refuse(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    says = error.detail if isinstance(error, HTTPException) else "failed"
    return JSONResponse({"error": says}, status_code=status, headers=HEADERS)


async def _failed(request: Request, error: Exception) -> Response:
    return JSONResponse(
        {"error": f"the server failed: {type(error).__name__}"}, status_code=500, headers=HEADERS
    )
