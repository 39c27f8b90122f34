"""The HTTP connections of the page's server: how many, how long and how large they may be."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, Final

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS: Final = 64  # at the same time; a browser opens 6
HEADER_SECONDS: Final = 10.0  # from a connection's first byte, or its start, to the end of a header
MAX_HEADER_BYTES: Final = 16_384
_SHUTDOWN_SECONDS: Final = 2


class LimitedConnection(H11Protocol):
    """A connection that is closed if there are too many, or if a request's header is too slow."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for the first header."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self._wait_for_header()

    def data_received(self, data: bytes) -> None:
        """Handle data; a header that has begun must be complete in time."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._timer is None:
            self._wait_for_header()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to wait."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_header(self) -> None:
        self._timer = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class PageServer(uvicorn.Server):
    """The server of an application.

    Args:
        app: the application.
        announce: called once the server accepts connections.
        leave: called when it ends.
    """

    def __init__(
        self,
        app: ASGIApp,
        announce: Callable[[], Any],
        leave: Callable[[], Any] = lambda: None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=LimitedConnection,
                ws="none",
                log_level="error",  # not what requests contain
                lifespan="off",
                server_header=False,
                timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
                h11_max_incomplete_event_size=MAX_HEADER_BYTES,
            )
        )
        self._announce, self._leave = announce, leave

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections, then say so."""
        await super().startup(sockets)
        if self.started:
            self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; requests that wait are answered first."""
        self._leave()
        await super().shutdown(sockets)
