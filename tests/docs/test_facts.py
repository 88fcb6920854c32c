"""Facts of pages that were wrong once, such as computed figures, and who each page says that it is for."""

import re

import pytest

from tests.docs.documents import ROOT
from website.site import pages

SIZES = re.findall(
    r"^\| ([\d,]+) \| (\d+) \| \w+ \| (\d+), .* \| ([\d.]+) s \| \w+ \|$",
    (ROOT / "docs/clusters/scale.md").read_text(),
    re.MULTILINE,
)


def test_a_resync_takes_as_long_as_its_requests() -> None:
    assert len(SIZES) > 3
    for size, shards, qps, seconds in SIZES:
        assert float(seconds) == pytest.approx(int(size.replace(",", "")) / int(shards) / int(qps), rel=0.02)


def test_a_page_whose_command_lists_children_names_httproutes() -> None:
    texts = {page: page.read_text() for page in pages() if ",ingress,hpa,pdb" in page.read_text()}

    assert len(texts) > 3
    assert [page for page, text in texts.items() if "`,httproutes`" not in text] == []


def test_the_dashboard_shows_no_version_that_grows_old() -> None:
    picture = (ROOT / "docs/images/dashboard.svg").read_text()

    assert ">VERSION<" in picture
    assert re.findall(r">v?\d+\.\d+\.\d+<", picture) == []


def test_a_page_says_first_who_it_is_for() -> None:
    first = re.compile(r"# .*\n\n(?:English \| .*\n\n)?For ")
    folders = {page: page.relative_to(ROOT).parts[:-1] for page in pages()}
    english = [
        page
        for page, parts in folders.items()
        if len(parts) == 2 and parts[0] in ("docs", "metahook") and ".zh" not in page.suffixes
    ]

    assert len(english) > 50
    assert [page for page in english if not first.match(page.read_text())] == []
