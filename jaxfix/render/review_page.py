"""The page of a review: the frame that a server hands out, and a report that is complete in itself."""

import base64
import hashlib
import json
import pkgutil
from collections.abc import Mapping

STYLES = ("palette.css", "uplot.min.css", "review.css")
SCRIPTS = ("uplot.min.js", "review.js")
LICENCES = ("uplot.LICENSE", "review.LICENSES")


def asset(name: str) -> bytes:
    """One of the files that the page is made of."""
    raw = pkgutil.get_data("jaxfix.render", f"assets/{name}")
    assert raw is not None
    return raw


def frame() -> bytes:
    """The page as a server hands it out: nothing of the user's is in it."""
    styles = "\n".join(f'<link rel="stylesheet" href="/assets/{name}">' for name in STYLES)
    scripts = "\n".join(f'<script src="/assets/{name}" defer></script>' for name in SCRIPTS)
    return _DOCUMENT.format(title="jaxfix review", head=f"{styles}\n{scripts}", body="").encode()


def report(document: Mapping[str, object]) -> str:
    """The whole page with `document` in it; a browser loads nothing else, and runs nothing but what it came with."""
    style = "".join(asset(name).decode() for name in STYLES)
    script = "\n".join(_without_end(asset(name).decode()) for name in SCRIPTS)
    licences = "\n\n".join(asset(name).decode() for name in LICENCES).replace("--", "- -")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>'
    body = (
        f'<script type="application/json" id="data">{embedded(document)}</script>\n'
        f"<!--\n{licences}\n-->\n<script>{script}</script>\n"
    )
    return _DOCUMENT.format(title="jaxfix report", head=head, body=body)


def embedded(value: object) -> str:
    """JSON that no HTML parser takes for a tag, a comment or the end of a script, and no script for the end of a line.

    All that is not ASCII is escaped, U+2028 among it.
    """
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _without_end(script: str) -> str:
    """The script without what would end its element: in a string or a pattern, which is where they are, `<\\/` is the
    same."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


_DOCUMENT = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>{title}</title>
{head}
</head>
<body>
<div id="root"></div>
<noscript><p>This page needs its script; `jaxfix apply --diff` shows the same on a terminal.</p></noscript>
{body}</body>
</html>
"""
