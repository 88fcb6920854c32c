"""A visit of a page of the site, in a browser as wide as a phone, and the problems of the page."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.site.browser import Browser

WIDTH = 400
"""Pixels."""

_READ = """({
  links: [...document.querySelectorAll("a[href], link[rel=next], link[rel=prev]")].map(each => each.href),
  anchors: [...document.querySelectorAll("[id], a[name]")].map(each => each.id || each.name),
  width: document.documentElement.scrollWidth,
  room: document.documentElement.clientWidth,
  unread: [...document.querySelectorAll("body :is(p, li, td)")]
    .filter(each => !each.closest("nav"))
    .map(each => [...each.childNodes].map(part => part.tagName == "BR" ? "\\n" : part.nodeType == 3 ? part.data : "x"))
    .map(parts => parts.join(""))
    .filter(text => /^ *([-*] |[|#>]|[0-9]+[.] |```)|[\\]][(]|[*]{2}/m.test(text)),
})"""
"""What a page has; *unread* is text that should have been a list, a table, a heading, code, a link, or bold."""


Visit = dict[str, Any]
"""What the browser found on a page: the above, its ``url``, and the ``failures`` while it loaded."""


def visit(browser: Browser, url: str) -> Visit:
    """Open the page at *url*."""
    with browser.tab() as session:
        browser.call(
            "Emulation.setDeviceMetricsOverride", session, width=WIDTH, height=800, deviceScaleFactor=1, mobile=False
        )
        browser.call("Page.navigate", session, url=url)
        browser.wait_for("Page.loadEventFired")
        read = browser.evaluate(session, f"document.fonts.ready.then(() => {_READ})")
        return {**read, "url": url, "failures": list(_failures(browser.events, urlsplit(url).netloc))}


def problems(visits: list[Visit], files: frozenset[str] = frozenset()) -> list[str]:
    """Return the problems of the pages; *files* are the URLs of what a link can name besides them."""
    anchors = {each["url"]: {"", *each["anchors"]} for each in visits} | {url: {""} for url in files}
    return [f"{urlsplit(each['url']).path}: {problem}" for each in visits for problem in _problems(each, anchors)]


def _problems(page: Visit, anchors: dict[str, set[str]]) -> Iterator[str]:
    yield from page["failures"]
    for link in dict.fromkeys(page["links"]):
        target, _, anchor = link.partition("#")
        if urlsplit(link).netloc == urlsplit(page["url"]).netloc and unquote(anchor) not in anchors.get(target, ()):
            yield f"{link} does not exist"
    if page["width"] > page["room"]:
        yield f"it is {page['width']} pixels wide, and the window {page['room']}"
    yield from (f"Markdown that is not rendered: {text[:80]}" for text in page["unread"])


def _failures(events: list[dict[str, Any]], host: str) -> Iterator[str]:
    """Yield the errors of the console, failed requests, and requests to hosts other than *host*."""
    for event in events:
        match event:
            case {"method": "Runtime.consoleAPICalled", "params": {"type": "error", "args": arguments}}:
                yield f"console: {arguments[0].get('value')}"
            case {"method": "Runtime.exceptionThrown", "params": {"exceptionDetails": details}}:
                yield f"exception: {details['text']} {details.get('exception', {}).get('description', '')}"
            case {"method": "Log.entryAdded", "params": {"entry": {"level": "error", "text": text}}}:
                yield f"log: {text}"
            case {"method": "Network.requestWillBeSent", "params": {"request": {"url": url}}}:
                if urlsplit(url).scheme in {"http", "https"} and urlsplit(url).netloc != host:
                    yield f"request to another host: {url}"
