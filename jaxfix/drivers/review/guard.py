"""Who may speak to the server: the page that it has handed out itself, in a browser whose owner has the link.

The token comes in the fragment of the link, which browsers send nowhere, and goes with each request in a header: no
cookie, which other servers of this machine would get too, and which a page elsewhere could make a browser send.
"""

import hmac
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jaxfix.source.frozen import frozen

LARGEST_BODY = 1_000_000
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@frozen
class Guard:
    """Lets through what may be answered, and gives every answer the headers that keep it here."""

    app: ASGIApp
    port: int
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # neither websockets nor a lifespan

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        await (refusal or self.app)(scope, receive, guarded)

    def _refusal(self, method: str, path: str, headers: Headers) -> PlainTextResponse | None:
        hosts = {f"127.0.0.1:{self.port}", f"localhost:{self.port}"}
        if headers.get("host") not in hosts:  # another name for this machine is how pages elsewhere get in
            return PlainTextResponse("not the name of this server", 421)
        if method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("not allowed", 405)
        if not path.startswith("/api/"):
            return None
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return PlainTextResponse("asked by another site", 403)
        if headers.get("origin", f"http://{headers['host']}") != f"http://{headers['host']}":
            return PlainTextResponse("asked by another site", 403)
        if not hmac.compare_digest(headers.get("authorization", "").encode(), f"Bearer {self.token}".encode()):
            return PlainTextResponse("this link belongs to another run of jaxfix: open the one in the terminal", 401)
        if method == "POST" and headers.get("content-type") != "application/json":
            return PlainTextResponse("not JSON", 415)
        if not headers.get("content-length", "0").isdecimal() or int(headers.get("content-length", "0")) > LARGEST_BODY:
            return PlainTextResponse("too long", 413)
        return None
