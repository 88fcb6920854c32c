"""The operator's settings as options and variables, and the messages for wrong values."""

from collections.abc import Callable
from typing import Any

import pytest

from app.core.desired.dependencies import State
from app.settings.option import meaning_of, option_of, read, unknown_variables, variable_of
from app.settings.serve import ServeSettings
from app.settings.watch import LONGEST_MANAGER, MOST_KINDS, WatchSettings, dependency_kind
from metahook import Kind
from tests.chart.sets import refusal
from tests.cli.command import assert_one_line, call
from tests.cli.test_render import rendered
from tests.requests.builders import my_resource

BACKUPS = "example.com/v1/mybackups/MyBackup"
HELP = "see: myresource serve --help\n"
WAITS = [{"apiVersion": "example.com/v1", "resource": "mybackups", "name": "db"}]
WEB = "examples/web.yaml"


def waits(answer: dict[str, Any]) -> str:
    """Return what DependenciesReady says."""
    found = [item for item in answer["status"]["conditions"] if item["type"] == "DependenciesReady"]
    text: str = found[0]["message"]
    return text


@pytest.fixture(name="web")
def _web(write: Callable[..., str]) -> str:
    return write(my_resource(dependencies=WAITS))


def test_a_kind_that_no_option_names_is_not_watched(web: str) -> None:
    assert State.NOT_WATCHED.value in waits(rendered("-f", web))


@pytest.mark.parametrize(
    "given", [f"v1/nodes/Node,{BACKUPS}", f"{BACKUPS} batch/v1/jobs/Job", f" {BACKUPS}, {BACKUPS},"]
)
def test_kinds_come_from_the_variable_with_commas_or_spaces_between(
    web: str, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MYRESOURCE_WATCH_DEPENDENCIES", given)

    assert f"mybackups/db {State.MISSING.value}" in waits(rendered("-f", web))


def test_the_option_may_be_repeated_and_wins_over_the_variable(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYRESOURCE_WATCH_DEPENDENCIES", BACKUPS)

    one = rendered("-f", web, "--watch-dependency", "batch/v1/jobs/Job")
    two = rendered("-f", web, "--watch-dependency", "batch/v1/jobs/Job", "--watch-dependency", BACKUPS)

    assert State.NOT_WATCHED.value in waits(one)
    assert State.MISSING.value in waits(two)


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
def test_what_is_no_kind_is_refused_with_the_form_and_an_example(text: str) -> None:
    assert_one_line(
        call("serve", "--watch-dependency", text), 2, "--watch-dependency", "apiVersion/resource/Kind", BACKUPS
    )


NO_ANNOTATIONS = ["prometheus.io/*", "/", "a b/c/", "-a", "\u00e9"]
KNOWN = ["v1/configmaps/ConfigMap", "v1/pods/Pod", "v1/secrets/Secret", "v1/services/Service"]
"""Kinds that are looked at anyway: two rules of one kind would be made."""


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        *(("--watch-dependency", kind, "leave out configmaps, pods, secrets and services") for kind in KNOWN),
        *(("--expected-manager", name, "at most 128") for name in ("x" * (LONGEST_MANAGER + 1), "a\nb")),
        *(("--allowed-annotation", key, "a prefix that ends in /") for key in NO_ANNOTATIONS),
    ],
)
def test_what_can_not_be_is_refused_with_its_option(option: str, value: str, words: str) -> None:
    assert_one_line(call("render", "-f", WEB, option, value), 2, option, words)


@pytest.mark.parametrize("key", NO_ANNOTATIONS)
def test_the_chart_refuses_the_same_annotations(key: str) -> None:
    assert refusal({"allowedAnnotations": [key]})


def test_a_resource_has_one_kind() -> None:
    ended = call("serve", "--watch-dependency", BACKUPS, "--watch-dependency", BACKUPS.replace("MyB", "B"))

    assert_one_line(ended, 2, "--watch-dependency", "leave out the wrong one")


def test_field_managers_come_from_the_option_or_the_variable_with_commas_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MYRESOURCE_EXPECTED_MANAGERS", " sidecar injector, *,")

    assert read(WatchSettings).watch.expected_managers == ("sidecar injector", "*")
    assert read(WatchSettings, expected_managers=("a,b", "a")).watch.expected_managers == ("a", "b")
    longest = "x" * LONGEST_MANAGER
    assert read(WatchSettings, expected_managers=(longest,)).watch.expected_managers == (longest,)


def test_annotations_come_from_the_option_or_the_variable_with_commas_or_spaces_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MYRESOURCE_ALLOWED_ANNOTATIONS", " prometheus.io/, example.com/owner team")

    assert read(WatchSettings).watch.allowed_annotations == ("prometheus.io/", "example.com/owner", "team")
    assert read(WatchSettings, allowed_annotations=("a/,b", "a/")).watch.allowed_annotations == ("a/", "b")


def test_so_many_kinds_and_no_more() -> None:
    kinds = [f"v1/things{number}/Thing{number}" for number in range(MOST_KINDS + 1)]
    options = [word for kind in kinds for word in ("--watch-dependency", kind)]

    assert call("render", "-f", WEB, *options[:-2]).code == 0
    assert_one_line(call("render", "-f", WEB, *options), 2, "--watch-dependency", f"at most {MOST_KINDS}")


def test_a_command_ignores_variables_that_it_has_no_option_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYRESOURCE_PORT", "many")

    assert call("render", "-f", WEB).code == 0
    assert call("serve").code == 2


@pytest.mark.parametrize(
    ("command", "kind"),
    [("serve", ServeSettings), *((name, WatchSettings) for name in ("render", "diff", "replay", "simulate"))],
)
def test_the_help_has_the_option_the_variable_and_the_meaning_of_each_setting(
    command: str, kind: type[WatchSettings]
) -> None:
    text = "".join(call(command, "--help").out.split())

    for name, field in kind.model_fields.items():
        assert f"{option_of(name, field).flag}" in text
        assert variable_of(name) in text
        assert "".join(meaning_of(kind, name).split()) in text


@pytest.mark.parametrize(
    ("given", "variable", "watched"),
    [({}, "true", True), ({"watch_secrets": False}, "true", False), ({}, "false", False), ({}, "", False)],
)
def test_secrets_are_watched_if_the_option_or_the_variable_is_true(
    given: dict[str, bool], variable: str, *, watched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MYRESOURCE_WATCH_SECRETS", variable)

    assert read(WatchSettings, **given).watch.secrets is watched


def test_a_variable_of_no_setting_is_named_by_serve_with_the_one_that_may_be_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MYRESOURCE_WATCH_SECRET", "true")
    monkeypatch.setenv("MYRESOURCE_PORT", "none")  # so that serve does not start

    ended = call("serve")

    assert (
        "MYRESOURCE_WATCH_SECRET is ignored: no setting has this variable; did you mean MYRESOURCE_WATCH_SECRETS?"
        in (ended.err)
    )
    assert ended.code == 2
    monkeypatch.delenv("MYRESOURCE_PORT")
    assert "is ignored" not in call("render", "-f", "examples/web.yaml").err


@pytest.mark.parametrize(
    ("name", "is_named"),
    [
        *((variable_of(name), False) for name in ServeSettings.model_fields),
        ("MYRESOURCE_SERVICE_HOST", False),
        ("MYRESOURCE_OPERATOR_SERVICE_PORT_HTTP", False),
        ("MYRESOURCE_OPERATOR_PORT_8080_TCP_ADDR", False),
        ("MYRESOURCE_OPERATOR_PORT", False),
        ("MYRESOURCES_PORTS", False),
        ("MYRESOURCE_MAX_HEAD", True),
        ("MYRESOURCE_PORTS", True),
        ("MYRESOURCE_", True),
    ],
)
def test_a_variable_that_kubernetes_sets_for_a_service_is_none_of_a_setting(name: str, *, is_named: bool) -> None:
    assert len([*unknown_variables(ServeSettings, {name: "1", "PATH": "/bin"})]) == is_named
