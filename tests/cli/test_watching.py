"""The commands with what is watched: by an option for replay, and by a scenario or an option for simulate."""

from collections.abc import Callable

from tests.cli.command import call
from tests.cli.test_diff import in_cluster
from tests.requests.builders import my_resource, sync

Write = Callable[..., str]


def test_secrets_are_looked_at_when_the_operator_watches_them(write: Write) -> None:
    env = [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "token", "key": "text"}}}]
    parent = my_resource(env=env)
    children = in_cluster(parent)
    ready = {**parent, "status": sync(parent, *children)["status"]}
    metadata = {"name": "token", "namespace": "default"}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {"text": "Zm9v"}}
    file = write(ready, *children, secret, name="live.yaml")

    assert call("replay", file).code == 0
    assert "RESTART" in call("replay", file, "--watch-secrets").out


def test_a_scenario_sets_what_is_watched(write: Write) -> None:
    waits = [{"apiVersion": "example.com/v1", "resource": "mybackups", "name": "nightly"}]
    apply = {**my_resource(dependencies=waits), "metadata": {"name": "web"}}
    kind = {"apiVersion": "example.com/v1", "resource": "mybackups", "kind": "MyBackup"}
    steps = [{"apply": apply}, {"expect": {"reason": "WaitingForDependencies", "within": "5s"}}]
    scenario = write({"title": "t", "watch": {"dependencies": [kind]}, "steps": steps}, name="scenario.yaml")
    without_watch = write({"title": "t", "steps": steps}, name="without-watch.yaml")

    assert call("simulate", "--scenario", scenario).code == 0
    assert call("simulate", "--scenario", without_watch).code == 1
    option = ("--watch-dependency", "example.com/v1/mybackups/MyBackup")
    assert call("simulate", "--scenario", without_watch, *option).code == 0
