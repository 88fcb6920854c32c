"""Diff, replay and simulate with what is watched: ConfigMaps in files, Secrets that are recorded without content."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.core.watch import Watch
from metahook.cli.simulation.timeline import line_of
from metahook.simulator.history import Write as Written
from metahook.simulator.objects import Key
from tests.cli.command import call
from tests.cli.test_diff import in_cluster, last_line, request_of
from tests.requests.builders import NOW, my_resource, sync

Json = dict[str, Any]
Write = Callable[..., str]

USES: Json = {"env": [{"name": "LEVEL", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "level"}}}]}
TOKEN: Json = {"env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "token", "key": "text"}}}]}
WAITS: Json = {"dependencies": [{"apiVersion": "example.com/v1", "resource": "mybackups", "name": "nightly"}]}
BACKUPS = "example.com/v1/mybackups/MyBackup"


def settings(level: str = "info") -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"level": level}}


# Replay of live objects


def live(parent: Json, *others: Json, watch: Watch | None = None) -> list[Json]:
    """Return a MyResource that is Ready and its children, as they were before anything was watched."""
    children = in_cluster(parent)
    return [{**parent, "status": sync(parent, *children, watch=watch)["status"]}, *children, *others]


def here(item: Json) -> Json:
    return {**item, "metadata": {**item["metadata"], "namespace": "default"}}


def test_a_configmap_that_is_missing_among_others_is_missing(write: Write) -> None:
    other = here({**settings(), "metadata": {"name": "other"}})

    ended = call("replay", write(*live(my_resource(**USES), other), name="live.yaml"))

    assert ended.code == 1
    assert "ConfigNotFound" in ended.out
    assert last_line(ended).endswith("no Pods restart")


def test_secrets_are_looked_at_when_the_operator_watches_them(write: Write) -> None:
    secret = here({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"}, "data": {"text": "Zm9v"}})
    file = write(*live(my_resource(**TOKEN), secret), name="live.yaml")

    assert call("replay", file).code == 0
    assert "RESTART" in call("replay", file, "--watch-secrets").out


# Replay of recordings


def recorded(data: Json) -> Json:
    """Return a request with a Secret of this content, as version 0.1 recorded it, and the answer of then."""
    parent = my_resource(**TOKEN)
    secret = here({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"}, "data": data})
    related = {"Secret.v1": {"default/token": secret}}
    watch = Watch(secrets=True)
    made = sync(parent, related=related, watch=watch)["children"]
    children = [{**child, "metadata": {**child["metadata"], "ownerReferences": []}} for child in made]
    request = {**request_of(parent, *children), "related": related}
    answer = sync(parent, *children, related=related, watch=watch)
    del secret["data"]
    return {"path": "/sync", "time": NOW.isoformat(), "request": request, "status": 200, "response": answer}


def test_a_secret_that_was_recorded_without_its_content_is_not_missing(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps(recorded({"text": "Zm9v"})))

    ended = call("replay", "--watch-secrets", str(tmp_path / "one.json"))

    assert (ended.code, ended.out) == (0, "1 request: 1 the same, 0 differ; no Pods restart\n")


# Simulate


def test_a_scenario_sets_what_is_watched(write: Write) -> None:
    apply = {**my_resource(**WAITS), "metadata": {"name": "web"}}
    kind = {"apiVersion": "example.com/v1", "resource": "mybackups", "kind": "MyBackup"}
    steps = [{"apply": apply}, {"expect": {"reason": "WaitingForDependencies", "within": "5s"}}]
    scenario = write({"title": "t", "watch": {"dependencies": [kind]}, "steps": steps}, name="scenario.yaml")
    without_watch = write({"title": "t", "steps": steps}, name="without-watch.yaml")

    assert call("simulate", "--scenario", scenario).code == 0
    assert call("simulate", "--scenario", without_watch).code == 1
    assert call("simulate", "--scenario", without_watch, "--watch-dependency", BACKUPS).code == 0


def test_the_timeline_shows_no_value_of_a_secret() -> None:
    def shown(kind: str) -> str:
        old, new = (
            {"kind": kind, "metadata": {"resourceVersion": text}, "data": {"text": text}} for text in ("Zm9v", "YmFy")
        )
        line = line_of(Written(0.0, "you", "update", Key(kind, "default", "token"), old, new), "MyResource")
        assert line is not None
        return line.text

    assert shown("ConfigMap") == "updates ConfigMap token: data.text=YmFy"
    assert shown("Secret") == "updates Secret token: data.text"
