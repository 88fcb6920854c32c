"""The page of development mode in Chromium, as a person uses it. ``make test-tools ONLY=tests/page``."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from metahook.envtest.process import free_port
from tests.cli.command import call
from tests.service.operator import FORKED, served
from tests.site.browser import Browser, failures
from toolkit.programs import Missing, skip
from toolkit.waiting import eventually

pytestmark = pytest.mark.tools

EXAMPLE = "examples/web.yaml"
GREETING = Path("metahook/examples/greeting")
KEYS = {"Tab": 9, "Enter": 13, " ": 32, "End": 35, "ArrowLeft": 37, "ArrowDown": 40}
"""Keys, and their codes. Source: the Windows virtual-key codes."""
CONTROL = 2
"""The bit of Ctrl among the modifiers. Source: DevTools protocol, Input.dispatchKeyEvent."""
DESKTOP, PHONE = 1440, 390
"""Widths in pixels."""


class Page:
    """The page in a tab of the *browser*."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session

    def js(self, expression: str) -> Any:
        """Return the value of *expression*."""
        return self._browser.evaluate(self._session, expression)

    def requests(self) -> list[str]:
        """Return the addresses that the page has asked for."""
        sent = [each for each in self._browser.events if each["method"] == "Network.requestWillBeSent"]
        return [each["params"]["request"]["url"] for each in sent if each.get("sessionId") == self._session]

    def text(self, selector: str) -> str:
        """Return the text of the first element, or "" without one."""
        return str(self.js(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def shows(self, selector: str, pattern: str) -> bool:
        """Return whether the element gets a text with the *pattern*."""
        return eventually(lambda: re.search(pattern, self.text(selector)) is not None, pause=0.05)

    def has(self, selector: str, count: int) -> bool:
        """Return whether there get to be *count* elements."""
        return eventually(lambda: self.js(f"document.querySelectorAll('{selector}').length") == count, pause=0.05)

    def press(self, key: str, modifiers: int = 0) -> None:
        """Press and release the *key*."""
        text = {"text": "\r"} if key == "Enter" and not modifiers else {}
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            self._input(
                "dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=KEYS[key],
                modifiers=modifiers,
                **text,
            )

    def tab_to(self, name: str) -> bool:
        """Press Tab until the element with the id *name* has the focus; return whether it gets it."""
        for _ in range(40):
            self.press("Tab")
            if self.js("document.activeElement.id") == name:
                return True
        return False

    def type(self, text: str) -> None:
        """Type *text* where the cursor is."""
        self._input("insertText", text=text)

    def replace(self, old: str, new: str) -> None:
        """Type *new* over *old* in the editor."""
        self.js(
            f"(() => {{ const area = document.getElementById('text'), at = area.value.indexOf({json.dumps(old)});"
            f"area.focus(); area.setSelectionRange(at, at + {len(old)}); }})()"
        )
        self.type(new)

    def click(self, words: str) -> None:
        """Click the button that has the *words*, or will have them."""
        assert eventually(lambda: words in self.js("document.body.innerText"), pause=0.05)
        find = f"[...document.querySelectorAll('button')].find(each => each.innerText.includes({json.dumps(words)}))"
        x, y = self.js(f"(({find}).scrollIntoView({{block: 'nearest'}}), {_middle_of(find)})")
        self.drag((x, y), (x, y))

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the mouse at *start*, move it to *end*, and release it."""
        for kind, (x, y) in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self._input("dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def go(self, end: float) -> None:
        """Drag the slider to a part of its length."""
        left, middle, width, part = self.js(
            "(() => { const slider = document.getElementById('slider'), box = slider.getBoundingClientRect();"
            "return [box.left + 8, box.top + box.height / 2, box.width - 16, slider.value / slider.max]; })()"
        )
        self.drag((left + width * part, middle), (left + width * end, middle))

    def _input(self, method: str, **parameters: object) -> None:
        self._browser.call(f"Input.{method}", self._session, **parameters)


def _middle_of(element: str) -> str:
    box = f"({element}).getBoundingClientRect()"
    return f"[{box}.left + {box}.width / 2, {box}.top + {box}.height / 2]"


@pytest.fixture(name="browser", scope="module")
def _browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    try:
        started = Browser(tmp_path_factory.mktemp("profile"))
    except Missing as missing:
        skip(missing)
    with started as browser:
        yield browser


@pytest.fixture(name="address", scope="module")
def _address() -> Iterator[str]:
    with served(*FORKED, "serve", "--dev") as server:
        yield server.url


@contextmanager
def greetings(example: Path) -> Iterator[str]:
    """Serve the page about Greetings, which begins with the *example*, and yield its URL."""
    port = free_port()
    url, hook = f"http://127.0.0.1:{port}", f"{GREETING / 'greetings.py'}"
    options = (f"--manifests={GREETING}", f"--filename={example}", f"--port={port}", "--no-reload")
    process = subprocess.Popen([sys.executable, "-m", "metahook.cli", "dev", hook, *options])
    try:
        assert eventually(lambda: _responds(url), pause=0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


def _responds(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.TransportError:
        return False


@contextmanager
def opened(
    browser: Browser, url: str, width: int = DESKTOP, scheme: str = "light", expected: str | None = None
) -> Iterator[Page]:
    """Open the page at *url*; at the end, fail if it had an error that is not *expected*, or asked another server."""
    with browser.tab() as session:
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.call("Emulation.setDeviceMetricsOverride", session, **screen)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.call("Emulation.setEmulatedMedia", session, features=features)
        browser.call("Page.navigate", session, url=url)
        browser.wait_for("Page.loadEventFired")
        yield Page(browser, session)
        found = failures([each for each in browser.events if each.get("sessionId") == session], urlsplit(url).netloc)
        assert not [each for each in found if expected is None or expected not in each]


def test_a_person_mends_an_error_breaks_the_image_looks_back_and_undoes_it(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        assert page.shows("#parent", "Building")
        assert page.shows("#parent", "Ready")  # it plays by itself

        page.replace("memory:", "memorry:")
        line = Path(EXAMPLE).read_text().splitlines().index("  memory: 64Mi") + 1
        assert page.shows("#errors", f"^Line {line}: .*did you mean memory")
        assert page.text("#gutter .bad") == str(line)
        page.replace("memorry:", "memory:")
        assert page.shows("#errors", "^$")

        page.click("Image can't be pulled")
        assert page.shows("#banners", "Nothing changes yet")
        page.replace("nginx:1.27", "nginx:1.28")
        page.click("Apply")
        assert page.has(".pod.bad", 1)
        assert page.shows("#edit", "spec.image=nginx:1.28. Since then: 1 new")
        assert page.text("#detail-text .added").endswith("generation: 2\n")

        page.go(0)
        assert page.has(".pod", 0)
        page.go(1)
        assert page.has(".pod.bad", 1)

        page.click("Undo: Apply")
        page.click("Undo: Image")
        assert page.has("#undo:disabled", 1)
        page.go(1)
        assert page.has(".pod.bad", 0)
        assert page.has(".pod.good", 1)

        page.click("Delete an object")
        assert page.tab_to("dialog-do")
        page.press("Enter")
        assert page.shows("#detail-note", "This object is gone")
        assert page.has(".pod", 0)


def test_an_action_keeps_the_one_before_it_that_is_still_simulated(browser: Browser, address: str) -> None:
    at_once = (
        "[...document.querySelectorAll('#actions button')].find(each => each.innerText.includes('crash')).click();"
        "document.getElementById('apply').click()"
    )
    with opened(browser, address, expected="status of 422") as page:
        assert page.shows("#tree", "web-deployment")
        page.replace("nginx:1.27", "nginx:1.28")
        page.js(at_once)
        assert page.shows("#lines", r"(?s)Containers crash.*spec\.image=nginx:1\.28")

        page.click("Start over")
        page.click("Undo: Start over")
        page.click("Undo: Apply")
        page.click("Undo: Containers crash")
        assert page.has("#undo:disabled", 1)
        page.replace("memory:", "memorry:")
        page.js(at_once)
        assert page.shows("#lines", "Containers crash")
        assert page.shows("#undo", "Undo: Containers crash")
        assert page.shows("#banners", "There are errors in the text")


def test_a_file_that_is_wrong_or_gone_keeps_what_was_simulated(browser: Browser, tmp_path: Path) -> None:
    example = tmp_path / "hi.yaml"
    text = (GREETING / "hi.yaml").read_text()
    example.write_text(text)

    with greetings(example) as url, opened(browser, url, expected="status of ") as page:
        assert page.shows("#tree", "ConfigMap")
        page.replace("metadata:", "# changed\nmetadata:")
        example.write_text(text.replace("metadata:", "metadata: ["))
        assert page.shows("#banners", "applied earlier is wrong in line")
        example.unlink()
        assert page.shows("#banners", r"hi\.yaml")
        assert page.shows("#tree", "ConfigMap")
        example.write_text(text)
        assert page.shows("#banners", "^$")
        assert page.shows("#tree", "ConfigMap")


def test_the_keyboard_is_enough(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        assert page.shows("#parent", "Building")
        assert page.tab_to("text")
        page.press("End", CONTROL)
        page.type("  ")
        page.press(" ", CONTROL)
        offered = page.js("[...document.querySelectorAll('#completion strong')].map(each => each.innerText)")
        for _ in range(offered.index("replicas")):
            page.press("ArrowDown")
        assert page.text("#completion [aria-selected=true]").startswith("replicas")
        page.press("Enter")
        page.type("3")
        page.press("Enter", CONTROL)
        assert page.has(".pod", 3)

        assert page.tab_to("slider")
        page.press("End")
        end = page.text("#lines [aria-current]")
        page.press("ArrowLeft")
        assert page.text("#lines [aria-current]") not in ("", end)


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_it_fits_the_window_in_both_themes(browser: Browser, address: str, width: int) -> None:
    colors = []
    for scheme in ("light", "dark"):
        with opened(browser, address, width, scheme) as page:
            assert page.shows("#tree", "web-deployment")
            assert page.js("document.documentElement.scrollWidth") <= width
            assert page.js("text.offsetWidth === text.parentElement.clientWidth")  # over its colors, which lie below
            colors.append(page.js("getComputedStyle(document.body).backgroundColor"))

    assert len(set(colors)) == len(colors)


def test_a_saved_simulation_plays_without_a_server(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "simulation.html"
    assert call("simulate", "--filename", EXAMPLE, "--html", str(file)).code == 0

    with opened(browser, file.as_uri()) as page:
        assert not page.js(
            "[...document.querySelectorAll('#text, #undo, #actions')].some(each => each.checkVisibility())"
        )
        assert page.shows("#parent", "Building")
        assert page.shows("#parent", "Ready")
        assert [url for url in page.requests() if url.startswith("http")] == []
