"""Each page of the site in Chromium: links, console, requests, width. ``make site`` builds the site, and runs this."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.site.browser import Browser, failures
from toolkit.programs import Missing
from website.site import SITE, pages

pytestmark = pytest.mark.tools

WIDTH = 400
"""Pixels of a phone."""

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
        return {**read, "url": url, "failures": list(failures(browser.events, urlsplit(url).netloc))}


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


BROKEN = {
    "a link to no page": ('<a href="nowhere.html">a</a>', "nowhere.html does not exist"),
    "a link to no heading": ('<a href="#nothing">a</a>', "#nothing does not exist"),
    "an error in the console": ("<script>console.error('no')</script>", "console: no"),
    "an exception": ("<script>undefinedFunction()</script>", "exception: Uncaught"),
    "a picture that is missing": ('<img src="none.png">', "log: Failed to load resource"),
    "a picture from elsewhere": ('<img src="http://127.0.0.1:9/a.png">', "request to another host"),
    "a table that is too wide": (f"<table><tr>{'<td>word</td>' * 40}</tr></table>", "pixels wide, and the window"),
    "a list in a paragraph": ("<p>These:<br>- one<br>- two</p>", "Markdown that is not rendered"),
}


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve *folder* below a path, and yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder.parent))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/{folder.name}"
        server.shutdown()
        thread.join()


@pytest.fixture(name="browser", scope="module")
def _browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    try:
        started = Browser(tmp_path_factory.mktemp("profile"))
    except Missing as missing:
        pytest.exit(f"the pages are in build/site, but are not tested: {missing}", 1)
    with started as browser:
        yield browser


def test_every_page_has_working_links_and_no_errors_and_fits_a_phone(browser: Browser) -> None:
    built = {f"{file.relative_to(SITE)}" for file in SITE.rglob("*") if file.is_file()} - {"404.html"}
    with serving(SITE) as address:
        visits = [visit(browser, f"{address}/{file}") for file in built if file.endswith(".html")]

    assert len(visits) == len(pages()) + 2  # the Python reference, and the demo
    files = frozenset(f"{address}/{file}" for file in built if not file.endswith(".html"))
    assert not problems(visits, files), "\n".join(problems(visits, files))


@pytest.mark.parametrize(("body", "problem"), BROKEN.values(), ids=BROKEN)
def test_a_page_with_a_problem_is_found(browser: Browser, tmp_path: Path, body: str, problem: str) -> None:
    (tmp_path / "a.html").write_text(f'<!doctype html><link rel="icon" href="data:,"><h1>A page</h1>{body}')
    with serving(tmp_path) as address:
        (found, *_) = problems([visit(browser, f"{address}/a.html")])

    assert problem in found


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[Callable[[str], Any]]:
    """Open the page at *url*, and yield what evaluates an expression there."""
    with browser.tab() as session:
        browser.call("Page.navigate", session, url=url)
        browser.wait_for("Page.loadEventFired")
        yield partial(browser.evaluate, session)


@pytest.mark.parametrize(
    ("page", "language", "top"), [("index.html", "en", "Back to top"), ("README.zh.html", "zh", "回到页面顶部")]
)
def test_a_page_and_the_words_around_it_have_one_language(page: str, language: str, top: str) -> None:
    text = (SITE / page).read_text()

    assert f'<html lang="{language}"' in text
    assert top in text


SEARCH = """new Promise(found => {
  document.querySelector(".md-search__button").click()
  const look = setInterval(() => {
    const search = [...document.querySelectorAll("div")].find(each => each.shadowRoot)?.shadowRoot
    const result = search?.querySelector("[role=listbox] a")
    if (result) {
      clearInterval(look)
      found(result.href)
    }
    const field = search?.querySelector("input")
    if (field && !field.value && !search.querySelector("[role=status]")?.textContent.includes("Loading")) {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "WORD")
      field.dispatchEvent(new Event("input", {bubbles: true}))
    }
  }, 50)
  setTimeout(() => found("nothing"), 20000)
})"""


@pytest.mark.parametrize("from_files", [False, True], ids=["served", "from files"])
@pytest.mark.parametrize(("word", "page"), [("rollback", ".html"), ("限制", ".zh.html")], ids=["English", "Chinese"])
def test_the_search_finds_a_page(browser: Browser, word: str, page: str, *, from_files: bool) -> None:
    with (
        serving(SITE) as address,
        opened(browser, f"{SITE.as_uri() if from_files else address}/index.html") as evaluate,
    ):
        assert page in evaluate(SEARCH.replace("WORD", word))


COPIED = """new Promise(copied => {
  const look = setInterval(() => {
    const button = document.querySelector(".command [data-clipboard-target]")
    if (button) {
      clearInterval(look)
      copied([document.querySelector(button.dataset.clipboardTarget).innerText,
              document.querySelectorAll(".output [data-clipboard-target]").length])
    }
  }, 50)
})"""
"""What the button of the first command copies, and how many outputs have a button."""


def test_a_copy_of_a_block_is_a_command_without_its_output_and_a_cell_of_a_card_has_its_column(
    browser: Browser,
) -> None:
    with serving(SITE) as address, opened(browser, f"{address}/docs/reference/status.html") as evaluate:
        assert evaluate(COPIED) == [".venv/bin/myresource explain Failed\n", 0]
        assert evaluate("document.querySelector('td').dataset.name") == "field"
