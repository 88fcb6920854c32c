from datetime import timedelta
from typing import Any

from tests.requests.builders import NOW, child, condition, finished, my_resource, reason, rolled_out, sent_again, sync

PORTS = [{"containerPort": 80}]
REPAIR = "mygroup.example.com/repair"

Json = dict[str, Any]


def test_while_a_label_of_ours_is_missing_an_annotation_makes_metacontroller_write() -> None:
    parent = my_resource(ports=PORTS)
    whole = finished(parent)
    stripped = [{**item, "metadata": {**item["metadata"], "labels": {"team": "red"}}} for item in whole]

    answers = [sync(parent, *children) for children in (stripped, stripped, whole)]
    marks = [child(a, "Deployment")["metadata"]["annotations"].get("mygroup.example.com/repair") for a in answers]

    assert marks[0] is not None
    assert marks == [marks[0], marks[0], None]
    assert "mygroup.example.com/repair" in child(answers[0], "Service")["metadata"]["annotations"]


def test_a_label_that_is_missing_again_needs_another_annotation_a_few_times() -> None:
    """Metacontroller does not send an answer twice; a policy that removes the label must not keep it busy."""
    parent = my_resource()
    (deployment,) = finished(parent)
    given: list[str] = []
    for _ in range(9):
        annotations = {**deployment["metadata"]["annotations"], **({REPAIR: given[-1]} if given else {})}
        stripped = {**deployment, "metadata": {**deployment["metadata"], "labels": {}, "annotations": annotations}}
        given.append(child(sync(parent, stripped), "Deployment")["metadata"]["annotations"][REPAIR])

    assert len(set(given)) == 5
    assert len(set(given[4:])) == 1


def scaled() -> tuple[Json, Json]:
    """Return a MyResource and its Deployment, whose replicas another user sets."""
    parent = my_resource(ports=PORTS, replicas=3)
    deployment, service = finished(parent)
    stuck = [rolled_out({**deployment, "spec": {**deployment["spec"], "replicas": 7}}), service]
    return {**parent, "status": sync(parent, *stuck)["status"]}, {"children": stuck}


def test_a_value_is_overridden_only_if_what_was_sent_again_has_arrived() -> None:
    """A policy that refuses the update is the cause, not another user."""
    parent, seen = scaled()
    deployment, service = seen["children"]
    later = NOW + timedelta(seconds=60)

    refused = sync(parent, deployment, service, now=later)
    arrived = sync(parent, sent_again(parent, deployment), service, now=later)

    assert (reason(refused), reason(arrived)) == ("NotApplied", "Overridden")
    assert "spec.replicas" in condition(arrived)["message"]
    assert condition(arrived, "Stalled")["status"] == "True"
    assert "resyncAfterSeconds" not in arrived
    assert (
        "could not be updated within a minute: a quota or an admission policy rejects it, or"
        in condition(refused)["message"]
    )


def test_variables_in_another_order_have_a_message_of_their_own() -> None:
    """Under dynamic-apply no one else sets them: Metacontroller keeps the order in which they were first applied."""
    parent = my_resource(env=[{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)"}])
    (deployment,) = finished(parent)
    pod = deployment["spec"]["template"]["spec"]
    main = {**pod["containers"][0], "env": pod["containers"][0]["env"][::-1]}
    template = {**deployment["spec"]["template"], "spec": {**pod, "containers": [main]}}
    reordered = rolled_out({**deployment, "spec": {**deployment["spec"], "template": template}})
    waits = {**parent, "status": sync(parent, reordered)["status"]}

    answer = sync(waits, sent_again(waits, reordered), now=NOW + timedelta(seconds=60))

    assert reason(answer) == "Overridden"
    assert "Rename the variable that uses another one" in condition(answer)["message"]


def test_a_missing_label_and_another_value_share_the_annotation() -> None:
    parent, seen = scaled()
    deployment, service = seen["children"]
    stripped = {**deployment, "metadata": {**deployment["metadata"], "labels": {}}}

    arrived = sent_again(parent, stripped)

    assert reason(sync(parent, arrived, service, now=NOW + timedelta(seconds=60))) == "Overridden"
