"""The objects in the files of ``-f``: no two are the same one, and all that is wrong with them is said."""

from pathlib import Path

import pytest
import yaml

from metahook.protocol.objects import Json
from toolkit.cli.command import call
from toolkit.root import ROOT

GREETING = ROOT / "examples/greeting"
OPTIONS = ("-k", str(GREETING), "--hook", str(GREETING / "greetings.py"))
HI: Json = {"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": "hi"}, "spec": {"text": "hi"}}


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def item(api_version: str, kind: str, **metadata: str) -> Json:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a", **metadata}}


CONFIG = item("v1", "ConfigMap")
SAME = {
    "in the default namespace": (CONFIG, {**CONFIG, "metadata": {"name": "a", "namespace": "default"}}),
    "in two versions of a group": (item("example.com/v1", "Thing"), item("example.com/v2", "Thing")),
    "in no namespace": (item("v1", "Namespace"), item("v1", "Namespace", namespace="b")),
    "the parent": (HI, HI),
}
OTHER = {
    "another namespace": (CONFIG, item("v1", "ConfigMap", namespace="b")),
    "another name": (CONFIG, item("v1", "ConfigMap", name="b")),
    "another kind": (CONFIG, item("v1", "Secret")),
    "another group": (item("example.com/v1", "Thing"), item("example.org/v1", "Thing")),
}


@pytest.mark.parametrize("command", ["render", "simulate", "check"])
@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_the_same_object_twice_is_refused_with_both_places(pair: tuple[Json, Json], command: str) -> None:
    Path("one.yaml").write_text(yaml.safe_dump(pair[0]))
    Path("two.yaml").write_text(yaml.safe_dump_all([HI, pair[1]][pair[1] is HI :]))

    ended = call(command, *OPTIONS, "-f", "one.yaml", "-f", "two.yaml")

    assert (ended.code, ended.out) == (1, "")
    line = yaml.safe_dump(HI).count("\n") + 2 if pair[1] is not HI else 1
    named = (
        f"metahook: two.yaml:{line}: {pair[1]['kind']} {pair[1]['metadata']['name']}: the same object as in one.yaml:1"
    )
    assert ended.err == f"{named}; remove one of them\n"


@pytest.mark.parametrize("pair", OTHER.values(), ids=OTHER)
def test_another_object_is_accepted(pair: tuple[Json, Json]) -> None:
    Path("all.yaml").write_text(yaml.safe_dump_all([HI, *pair]))

    assert call("render", *OPTIONS, "-f", "all.yaml").code == 0


def test_all_mistakes_are_listed_in_the_order_of_the_file_and_no_value_of_a_secret() -> None:
    bad = {**HI, "metadata": {"name": "b", "labels": {"a b": "x"}}, "spec": {"text": 5, "txet": ""}}
    secret = {**item("v1", "Secret"), "data": {"password": 12345}}
    Path("all.yaml").write_text(yaml.safe_dump_all([{**HI, "spec": {}}, bad, secret], sort_keys=False))

    ended = call("render", *OPTIONS, "-f", "all.yaml")

    assert (ended.code, ended.out) == (1, "")
    told = [line.removeprefix("metahook: all.yaml:") for line in ended.err.splitlines()]
    assert told[1].startswith("11: Greeting b: metadata.labels: a b: must be a name of letters, digits, ")
    assert [told[0], *told[2:]] == [
        "5: Greeting hi: spec.text is required",
        "14: Greeting b: spec.text: Invalid value: 5: must be of type string",
        "15: Greeting b: spec.txet: unknown field; did you mean text?",
        "22: Secret a: data.password: must be a string in base64",
    ]
