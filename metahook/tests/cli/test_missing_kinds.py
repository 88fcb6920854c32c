"""A file without a parent: the error says what it has, where, and what was probably meant."""

import json
from pathlib import Path

import pytest

from metahook.cli.files.manifests import SUFFIXES
from toolkit.cli.bound import call
from toolkit.command import assert_one_line
from toolkit.widgets import widget

NO_WIDGET = "no Widget of example.com/v1"
REST = "metadata: {name: web}\n"


def written(*kinds: str) -> str:
    """Return objects of *kinds*, such as ``Secret of v1``."""
    parts = [kind.partition(" of ") for kind in kinds]
    return "---\n".join(f"# one\nkind: {kind}\napiVersion: {version}\n{REST}" for kind, _, version in parts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", f"bad: {NO_WIDGET}, and no other object; name a file that has one, such as web.yaml"),
        ("# nothing\n---\n", f"bad: {NO_WIDGET}, and no other object; name a file that has one, such as web.yaml"),
        (written("Secret of v1"), f"bad: {NO_WIDGET}, but a Secret of v1 (bad:2); name a file"),
        (
            written("Secret of v1", "Deployment of apps/v1", "Secret of v1"),
            f"bad: {NO_WIDGET}, but 2 Secret of v1 (bad:2), a Deployment of apps/v1 (bad:7); name a file",
        ),
        (written(*(f"{kind} of v1" for kind in ("Pod", "Service", "Node", "Event", "Secret"))), "2 other kinds; name"),
        (
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n",
            "Pod of v1 (bad:4)",
        ),
        (
            written("Widget of example.com/v2"),
            "bad:3: nothing serves Widget of example.com/v2; did you mean Widget of example.com/v1?",
        ),
        (written("Widget of exmaple.com/v1"), "bad:3: nothing serves Widget of exmaple.com/v1; did you mean Widget of"),
        (written("Widget of v1"), "bad:3: nothing serves Widget of v1; did you mean Widget of example.com/v1?"),
        (
            written("Secret of v1", "Wigdet of example.com/v1"),
            "bad:7: nothing serves Wigdet of example.com/v1; did you",
        ),
        (written("widget of example.com/v1"), "did you mean Widget of example.com/v1?"),
        (written("Widgets of example.com/v1beta1"), "did you mean Widget of example.com/v1?"),
        (written("Widget of example.com/v1", "Wigdet of example.com/v1"), "bad:7: nothing serves Wigdet of"),
        (written("Widget of example.com/v1", "Widget of example.com/v2"), "bad:8: nothing serves Widget of"),
    ],
)
@pytest.mark.parametrize("command", [["render", "-f"], ["simulate", "-f"], ["diff", "bad"]], ids=lambda words: words[0])
def test_what_a_file_without_a_parent_has_is_named(
    command: list[str], text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad").write_text(text)

    assert_one_line(call(*command, "bad"), 2, said, program="widgets")


def test_the_same_kind_of_another_group_is_another_object(tmp_path: Path) -> None:
    (tmp_path / "web.json").write_text(json.dumps(widget()))
    (tmp_path / "other.yaml").write_text(written("Widget of fabric.acme.io/v1"))

    assert call("render", "-f", str(tmp_path)).code == 0


def test_a_folder_says_which_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "web.txt").write_text(written("Widget of example.com/v1"))

    ended = call("render", "-f", str(tmp_path))

    assert_one_line(
        ended, 2, f"and no other object in files that end in {', '.join(SUFFIXES)}; name", program="widgets"
    )
