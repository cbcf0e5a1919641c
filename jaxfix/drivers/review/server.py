"""The server of a review: the page, what it is reported, and what it may ask for."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from jaxfix.drivers.review import document
from jaxfix.drivers.review.guard import LARGEST_BODY, Guard
from jaxfix.drivers.review.state import ReviewState, Stale
from jaxfix.drivers.workflow.decisions import Choice
from jaxfix.render import review_page
from jaxfix.render.paint import printable
from jaxfix.source.errors import UserError

_KINDS = {"js": "text/javascript", "css": "text/css"}
_SILENCE_S = 15.0
"""After which a listener hears that the server lives."""
Asked = dict[str, object]


class Malformed(Exception):
    """The page asks for nothing that there is."""


@dataclass(slots=True)
class Closing:
    """Says to all streams that the server ends."""

    is_closed: bool = False
    wakers: set[Callable[[], None]] = field(default_factory=set)

    def close(self) -> None:
        self.is_closed = True
        for wake in tuple(self.wakers):
            wake()


def application(review: ReviewState, port: int, token: str, closing: Closing) -> ASGIApp:
    """The server of one review."""
    acts: dict[str, Callable[[Asked], Asked]] = {
        "decide": lambda asked: _decide(review, asked),
        "undo": lambda asked: {"fixes": list(review.undo()), **document.state(review)},
        "edit": lambda asked: _state(review, partial(_edit, review, asked)),
        "forget": lambda asked: _state(review, partial(review.forget, _number(asked, "document"))),
        "plan": lambda asked: document.plan(review.plan()),
        "prove": lambda asked: _state(review, partial(review.prove, _text(asked, "digest"))),
        "cancel": lambda asked: _state(review, review.cancel),
        "write": lambda asked: _state(review, partial(review.write, _text(asked, "digest"))),
        "take-back": lambda asked: _state(review, partial(review.take_back, _number(asked, "number"))),
        "look": lambda asked: _state(review, review.look_again),
    }

    async def events(request: Request) -> Response:
        return await _stream(review, closing)

    documents = Documents(review)
    documents()  # before the first page asks
    routes = [
        Route("/", _frame, methods=["GET"]),
        Route("/assets/{name}", _asset, methods=["GET"]),
        Route("/api/document", _get(documents), methods=["GET"]),
        Route("/api/state", _get(lambda: document.state(review)), methods=["GET"]),
        Route("/api/events", events, methods=["GET"]),
        *(Route(f"/api/{name}", _act(act), methods=["POST"]) for name, act in acts.items()),
    ]
    return Guard(Starlette(routes=routes), port, token)


Endpoint = Callable[[Request], Awaitable[Response]]


def _get(work: Callable[[], Asked]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await _answer(work)

    return endpoint


def _act(act: Callable[[Asked], Asked]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST_BODY:
                return PlainTextResponse("too long", 413)
        try:
            asked = json.loads(body)
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            return PlainTextResponse("not a JSON object", 400)
        return await _answer(lambda: act(asked))

    return endpoint


async def _answer(work: Callable[[], Asked]) -> Response:
    """What `work` returns, done in a thread: the server keeps answering."""
    try:
        return JSONResponse(await run_in_threadpool(work))
    except Stale:
        return PlainTextResponse("the code was analysed again: decide again", 409)
    except Malformed as error:
        return PlainTextResponse(f"not understood: {error}", 400)
    except UserError as error:
        return PlainTextResponse(printable(str(error)), 422)
    except Exception as error:
        return PlainTextResponse(printable(f"a bug in jaxfix: {type(error).__name__}: {error}"), 500)


async def _frame(request: Request) -> Response:
    return Response(review_page.frame(), media_type="text/html; charset=utf-8")


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in (*review_page.STYLES, *review_page.SCRIPTS):
        return PlainTextResponse("no such file", 404)
    return Response(review_page.asset(name), media_type=f"{_KINDS[name.rpartition('.')[2]]}; charset=utf-8")


async def _stream(review: ReviewState, closing: Closing) -> Response:
    """The state, now and after each change; several changes may come as one."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # the server has just ended
            loop.call_soon_threadsafe(changed.set)

    async def events() -> AsyncIterator[str]:
        stop = review.listen(wake)
        closing.wakers.add(wake)
        try:
            while not closing.is_closed:
                changed.clear()
                now = await run_in_threadpool(document.state, review)
                yield f"data: {json.dumps(now)}\n\n"
                while not changed.is_set():
                    try:
                        await asyncio.wait_for(changed.wait(), _SILENCE_S)
                    except TimeoutError:
                        yield ": alive\n\n"
        finally:
            stop()
            closing.wakers.discard(wake)

    return StreamingResponse(events(), media_type="text/event-stream")


@dataclass(slots=True)
class Documents:
    """The document of a review, made once for each look: with many fixes that takes longer than to send it."""

    review: ReviewState
    _number: int = 0
    _made: Asked = field(default_factory=dict)

    def __call__(self) -> Asked:
        review = self.review
        with review.lock:
            if self._number != review.seen.number:
                self._made = document.document(review.seen, review.decisions, review.together, review.rerun, "review")
                self._number = review.seen.number
            return {**self._made, "choices": document.choices(review.seen, review.decisions)}


def _state(review: ReviewState, act: Callable[[], None]) -> Asked:
    act()
    return document.state(review)


def _decide(review: ReviewState, asked: Asked) -> Asked:
    fixes, choice = asked.get("fixes"), asked.get("choice")
    if not isinstance(fixes, list) or not all(type(fix) is int for fix in fixes):
        raise Malformed("`fixes` are numbers")
    if choice is not None and choice not in [each.value for each in Choice]:
        raise Malformed("no such choice")
    review.decide(_number(asked, "document"), fixes, None if choice is None else Choice(choice))
    return document.state(review)


def _edit(review: ReviewState, asked: Asked) -> None:
    text = None if asked.get("text") is None else _text(asked, "text")
    review.edit(_number(asked, "document"), _number(asked, "fix"), text)


def _number(asked: Asked, name: str) -> int:
    value = asked.get(name)
    if type(value) is not int:
        raise Malformed(f"`{name}` is a number")
    return value


def _text(asked: Asked, name: str) -> str:
    value = asked.get(name)
    if not isinstance(value, str):
        raise Malformed(f"`{name}` is a string")
    return value
