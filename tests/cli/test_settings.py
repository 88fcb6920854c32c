"""The operator's settings on the command line: options, variables, and what is said of bad ones."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

from app.cli.policy import MOST_KINDS, dependency_kind, with_policy
from app.core.watch import Watch
from metahook import Kind
from tests.build import my_resource
from tests.cli.calling import assert_one_line, call
from tests.cli.test_render import rendered

BACKUPS = "example.com/v1/mybackups/MyBackup"
WAITS = [{"apiVersion": "example.com/v1", "resource": "mybackups", "name": "db"}]
WEB = "examples/web.yaml"


def waits(answer: dict[str, Any]) -> str:
    """Return what DependenciesReady says."""
    found = [item for item in answer["status"]["conditions"] if item["type"] == "DependenciesReady"]
    text: str = found[0]["message"]
    return text


@pytest.fixture(name="web")
def _web(tmp_path: Path) -> str:
    file = tmp_path / "web.yaml"
    file.write_text(yaml.safe_dump(my_resource(dependencies=WAITS)))
    return str(file)


def test_a_kind_that_no_option_names_is_not_followed(web: str) -> None:
    assert "of a kind that this operator does not follow" in waits(rendered("-f", web))


@pytest.mark.parametrize(
    "given", [f"v1/nodes/Node,{BACKUPS}", f"{BACKUPS} batch/v1/jobs/Job", f" {BACKUPS}, {BACKUPS},"]
)
def test_kinds_come_from_the_variable_with_commas_or_spaces_between(
    web: str, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MYRESOURCE_DEPENDENCY_KINDS", given)

    assert "mybackups db does not exist" in waits(rendered("-f", web))


def test_the_option_may_be_repeated_and_wins_over_the_variable(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYRESOURCE_DEPENDENCY_KINDS", BACKUPS)

    one = rendered("-f", web, "--dependency-kind", "batch/v1/jobs/Job")
    two = rendered("-f", web, "--dependency-kind", "batch/v1/jobs/Job", "--dependency-kind", BACKUPS)

    assert "does not follow" in waits(one)
    assert "does not exist" in waits(two)


@pytest.mark.parametrize("empty", ["", " ", ","])
def test_an_empty_variable_names_no_kind(web: str, empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYRESOURCE_DEPENDENCY_KINDS", empty)

    assert "does not follow" in waits(rendered("-f", web))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (BACKUPS, Kind("example.com/v1", "MyBackup", "mybackups")),
        ("v1/configmaps/ConfigMap", Kind("v1", "ConfigMap", "configmaps")),
        (
            "mygroup.example.com/v1alpha1/myresources/MyResource",
            Kind("mygroup.example.com/v1alpha1", "MyResource", "myresources"),
        ),
    ],
)
def test_a_kind_is_its_api_version_its_resource_and_its_name(text: str, kind: Kind) -> None:
    assert dependency_kind(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "mybackups", "v1/Secret", "example.com/mybackups/MyBackup", "example.com/v1/MyBackups/MyBackup",
        "example.com/v1/mybackups/mybackup", "example.com/v1/mybackups/My-Backup", "/v1/mybackups/MyBackup",
        "a/b/v1/mybackups/MyBackup", "example.com/v1//MyBackup", f"v1/{64 * 'a'}/A", f"v1/a/{64 * 'A'}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["render", "serve", "simulate"])
def test_what_is_no_kind_is_refused_with_the_form_and_an_example(command: str, text: str) -> None:
    given = [] if command == "serve" else ["-f", WEB]

    ended = call(command, *given, "--dependency-kind", text)

    assert_one_line(ended, 2, "--dependency-kind", "MYRESOURCE_DEPENDENCY_KINDS", BACKUPS)


@pytest.mark.parametrize("kind", ["ConfigMap", "Pod", "Secret", "Service"])
def test_a_kind_that_is_looked_at_anyway_can_not_be_waited_for(kind: str) -> None:
    """Two rules of one kind would be made for it."""
    given = f"v1/{kind.lower()}s/{kind}"

    assert_one_line(
        call("render", "-f", WEB, "--dependency-kind", given),
        2,
        "--dependency-kind",
        f"{kind.lower()}s can't be waited",
    )


def test_a_resource_has_one_kind() -> None:
    ended = call("serve", "--dependency-kind", BACKUPS, "--dependency-kind", BACKUPS.replace("MyB", "B"))

    assert_one_line(ended, 2, "--dependency-kind", "leave out the one that is not its kind")


def test_so_many_kinds_and_no_more() -> None:
    kinds = [f"v1/things{number}/Thing{number}" for number in range(MOST_KINDS + 1)]
    options = [word for kind in kinds for word in ("--dependency-kind", kind)]

    assert call("render", "-f", WEB, *options[:-2]).code == 0
    assert_one_line(call("render", "-f", WEB, *options), 2, "--dependency-kind", f"at most {MOST_KINDS}")


@pytest.mark.parametrize(
    ("variable", "value", "watch"),
    [
        ("MYRESOURCE_PODS", "", Watch()),
        ("MYRESOURCE_PODS", "false", Watch(pods=False)),
        ("MYRESOURCE_SECRETS", "", Watch()),
        ("MYRESOURCE_SECRETS", "true", Watch(secrets=True)),
    ],
)
def test_a_switch_that_is_empty_is_as_if_it_were_not_set(variable: str, value: str, watch: Watch) -> None:
    seen: list[Watch] = []

    @click.command
    @with_policy
    def command(watch: Watch) -> None:
        seen.append(watch)

    CliRunner().invoke(command, env={variable: value}, catch_exceptions=False)

    assert seen == [watch]


@pytest.mark.parametrize("variable", ["MYRESOURCE_PODS", "MYRESOURCE_SECRETS"])
def test_a_switch_is_a_boolean(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "maybe")

    assert_one_line(call("render", "-f", WEB), 2, f"--{variable.removeprefix('MYRESOURCE_').lower()}", variable, "yes")


USES = [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "token", "key": "text"}}}]
TOKEN = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"}, "data": {"text": "Zm9v"}}


@pytest.mark.parametrize(
    ("options", "variable", "followed"),
    [
        ([], None, False),
        (["--secrets"], None, True),
        ([], "true", True),
        (["--no-secrets"], "true", False),
        ([], "false", False),
        ([], "", False),
    ],
    ids=str,
)
def test_secrets_are_followed_when_the_option_or_the_variable_says_so(
    tmp_path: Path, options: list[str], variable: str | None, monkeypatch: pytest.MonkeyPatch, *, followed: bool
) -> None:
    (tmp_path / "web.json").write_text(json.dumps(my_resource(env=USES)))
    (tmp_path / "token.json").write_text(json.dumps(TOKEN))
    if variable is not None:
        monkeypatch.setenv("MYRESOURCE_SECRETS", variable)

    answer = rendered("-f", str(tmp_path / "web.json"), "--related", str(tmp_path / "token.json"), *options)

    template = answer["children"][0]["spec"]["template"]["metadata"]
    assert bool(template.get("annotations")) == followed
