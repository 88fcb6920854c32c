"""What make site puts on the site, before HTML is made of it. ``tests/site`` opens the site itself."""

import re
from pathlib import Path

import pytest

from website.site import CONTRIBUTORS, FRONT, ROOT, front, in_two, joined, linked, pages, redirect, redirects, stage

NAVIGATION = re.findall(r"^ *- (?:[^:\n]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)

PAGES_OF_0_3_0 = """
alerts apply-strategy architecture autoscale check-in-ci combine compare config-reload curl dashboard
database-secret debug dependencies expose fields first-myresource first-myresource.zh from-controller-runtime
from-controller-runtime.zh gitops headless-service hook-in-a-cluster hook-in-a-cluster.zh hook-on-your-laptop
hook-reference how-it-works how-it-works.zh ingress init-containers install kubectl-plugin labels logs
metahook metrics monitor move-a-deployment operate performance polling-and-stale-requests
polling-and-stale-requests.zh port-your-reconciler port-your-reconciler.zh preview private-registry record
release rollback scale scenarios schedule settings shards simulate-your-hook simulate status suspend
test-on-a-cluster test-your-hook testing tls troubleshoot try-it upgrade versions watching what-to-know
what-to-know.zh why-watch why-watch.zh write-your-own-hook write-your-own-hook.zh zero-downtime
"""
"""The pages in docs/ when it had no folders."""


def test_every_page_is_once_in_the_navigation_or_is_for_contributors_and_is_linked() -> None:
    first, *others = CONTRIBUTORS
    index = ROOT / "docs/README.md"

    assert sorted([*NAVIGATION, *CONTRIBUTORS]) == sorted(str(page.relative_to(ROOT)) for page in pages())
    assert f"]({first})" in (ROOT / "README.md").read_text()
    assert [page for page in others if f"]({page}" not in (ROOT / first).read_text()] == []
    assert {page for page in pages() if page.is_relative_to(index.parent)} - {*linked(index)} == {index}


def test_an_address_of_0_3_0_leads_to_the_page_and_the_heading() -> None:
    there = {f"{page.relative_to(ROOT).with_suffix('.html')}" for page in pages()}
    moved = redirects()

    assert [name for name in PAGES_OF_0_3_0.split() if moved.get(f"docs/{name}.html") not in there] == []
    assert moved["docs/alerts.html"] == "docs/reference/alerts.html"
    assert 'location.replace("reference/alerts.html" + location.hash)' in redirect(
        "docs/alerts.html", moved["docs/alerts.html"]
    )
    assert 'href="../metahook/docs/compare.html"' in redirect("docs/compare.html", moved["docs/compare.html"])


def test_pages_keep_their_paths_and_bring_the_files_that_they_link_to(tmp_path: Path) -> None:
    for name, text in {"docs/a.md": "[x](../b.yaml#c) [y](http://e.com)", "b.yaml": "a: b"}.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    stage(pages(tmp_path / "in"), tmp_path / "in", tmp_path / "out")

    staged = {str(file.relative_to(tmp_path / "out")): file.read_text() for file in (tmp_path / "out").rglob("*.*")}
    assert staged == {"docs/a.md": "[x](../b.yaml#c) [y](http://e.com)", "b.yaml": "a: b"}


def test_a_page_is_changed_for_the_site() -> None:
    page = "a\n\n```console\n$ echo 'b\nc' \\\n  d\nb\n```\n\n```console\n$ d\n```\n"
    two = "``` { .bash .command }\necho 'b\nc' \\\n  d\n```\n\n``` { .text .output .no-copy }\nb\n```"
    shown = front((ROOT / "README.md").read_text(), "12.00s  you\n")

    # A command and its output are two blocks.
    assert in_two(page) == f"a\n\n{two}\n\n``` {{ .bash .command }}\nd\n```\n"
    # A line break between Chinese characters is no space.
    assert joined("- 一\n  二 a\n三\n\n四") == "- 一二 a\n三\n\n四"
    # The front page has its links above the picture, and the demo below its command.
    assert shown.index(FRONT) < shown.index("![") < shown.index("make demo") < shown.index("12.00s  you")
    with pytest.raises(ValueError, match="adapt"):
        front("# No picture\n", "")
