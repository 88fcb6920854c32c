"""``validate``: which files of a repository have a parent, and where each problem is."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from metahook.cli import progress
from metahook.commands import bound_program
from toolkit.cli.bound import binding, call

GOOD = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: web\nspec:\n  image: nginx\n"
BAD = GOOD.replace("image: nginx", 'image: ""')
PATCH = GOOD.replace("image: nginx", "replicas: 3")
TEMPLATE = GOOD.replace("nginx", "{{ .Values.image }}")


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def write(**texts: str) -> None:
    """Write files; in their names, ``__`` is a slash, and each ends in .yaml."""
    for name, text in texts.items():
        path = Path(f"{name.replace('__', '/')}.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_each_problem_has_its_file_and_line_in_each_format() -> None:
    write(bad=f"---\n{GOOD}---\n{BAD.replace('web', 'app')}", good=GOOD, worse=GOOD.replace("name: web", "name: {}"))
    text, annotated, found = (call("validate", ".", "-o", output) for output in ("text", "github", "json"))

    assert (text.code, annotated.code, found.code) == (1, 1, 1)
    assert text.err == "widgets: 2 problems, 1 valid Widget\n"
    problems = [(each["file"], each["line"], each["message"]) for each in json.loads(found.out)]
    assert [(file, line) for file, line, _ in problems] == [("bad.yaml", 14), ("worse.yaml", 4)]
    assert problems[0][2] == 'Widget app: spec.image: Invalid value: "": must not be empty'
    assert text.out.splitlines() == [f"{file}:{line}: {message}" for file, line, message in problems]
    assert annotated.out.splitlines() == [
        f"::error file={file},line={line}::{message}" for file, line, message in problems
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"other": "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n"},
        {"values": "widget: {apiVersion: example.com/v1, kind: Widget}\n"},
        {"broken": "a: [\n"},
        {"chart__Chart": "name: chart\n", "chart__templates__widget": TEMPLATE},
        {"template": "{{ if .Values.on }}\n" + TEMPLATE},
        {"kustomization": "patches: [{path: patch.yaml}]\n", "patch": PATCH},
        {"kustomization": "patches:\n- path: './patches/one.yaml'\n", "patches__one": PATCH},
        {"kustomization": "patches: [{patch: 'kind: Widget'}]\n"},
    ],
    ids=", ".join,
)
def test_what_is_no_parent_is_left_out(files: dict[str, str]) -> None:
    write(good=GOOD, **files)
    ended = call("validate", ".", *(str(path) for path in Path().rglob("*.yaml") if path.name != "good.yaml"))

    assert (ended.code, ended.out) == (0, "")
    assert ended.err.endswith("widgets: 0 problems, 1 valid Widget\n")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD.replace("web", "w b"), "one.yaml:4: Widget w b: metadata.name"),
        (GOOD + "spec: {}\n", "one.yaml:7: not YAML or JSON: key 'spec' is repeated"),
        (GOOD.replace("Widget", "Widgett"), "one.yaml:2: nothing serves Widgett"),
        (GOOD.replace("/v1", "/v2"), "one.yaml:1: nothing serves Widget of example.com/v2"),
        (f"{GOOD}---\n{GOOD}", "one.yaml:8: Widget web: the same object as in one.yaml:1"),
    ],
)
def test_a_parent_that_a_cluster_would_not_take_is_a_problem(text: str, says: str) -> None:
    write(one=text)
    ended = call("validate", "one.yaml")

    assert ended.code == 1
    assert ended.out.startswith(says)


def test_a_named_file_that_is_no_text_is_a_problem_and_one_in_a_directory_is_left_out() -> None:
    Path("image.yaml").write_bytes(b"\x89PNG\r\n\x1a\n")

    named, found = call("validate", "image.yaml"), call("validate", ".")

    assert (named.code, found.code) == (1, 0)
    assert "image.yaml: not text: byte 0x89 is not UTF-8; save the file in this encoding" in named.out


def test_a_template_with_a_parent_is_named_and_a_missing_file_is_an_error() -> None:
    write(template="{{ if .Values.on }}\n" + TEMPLATE)

    assert "template.yaml: left out, a template of Helm" in call("validate", "template.yaml").err
    assert call("validate", "none.yaml").code == 2


@pytest.mark.parametrize(("stream", "many"), [(io.StringIO, 1), (Terminal, 1), (Terminal, 9)])
def test_a_terminal_shows_how_many_of_many_files_are_done(
    stream: type[io.StringIO], many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "MANY", many)
    write(good=GOOD)
    with redirect_stderr(stream()) as err, redirect_stdout(io.StringIO()), pytest.raises(SystemExit):
        bound_program("widgets", binding, version="1.0").main(["validate", "."])

    assert ("files checked" in err.getvalue()) is (err.isatty() and many == 1)
    assert err.getvalue().endswith("widgets: 0 problems, 1 valid Widget\n")


def test_an_annotation_is_one_command_whatever_the_name_of_the_file() -> None:
    write(**{"50%, a:b": BAD})

    assert call("validate", ".", "-o", "github").out.startswith("::error file=50%25%2C a%3Ab.yaml,line=6::Widget web: ")


def test_a_hook_that_fails_is_an_error_and_no_problem_of_the_file() -> None:
    write(one=PATCH)
    ended = call("validate", "one.yaml")

    assert (ended.code, ended.out) == (2, "")
    assert "KeyError: 'image'" in ended.err
