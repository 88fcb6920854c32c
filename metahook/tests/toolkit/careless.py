"""Hooks as a beginner writes them: raw JSON in, raw JSON out. One is careful; each of the others has one real mistake.

Source: mistakes that Metacontroller's protocol allows, and that its issues report.
"""

import copy
import itertools
import json
from collections.abc import Callable
from typing import Any

from metahook.simulator.hook import Hook, Reply

Json = dict[str, Any]
Decide = Callable[[Json], Json]


def answering(decide: Decide, rules: Callable[[Json], list[Json]] = lambda _: []) -> Hook:
    """Return a hook that responds to sync with what *decide* returns, and to customize with *rules*."""

    def call(hook: str, body: bytes) -> Reply:
        request = json.loads(body)
        answer = {"relatedResources": rules(request)} if hook == "customize" else decide(request)
        return Reply(200, json.dumps(answer).encode())

    return call


def deployment(request: Json) -> Json:
    """Return the desired Deployment."""
    parent = request["parent"]
    labels = {"app": parent["metadata"]["name"]}
    main = {
        "name": "main",
        "image": parent["spec"]["image"],
        "resources": {"requests": {"memory": parent["spec"].get("memory", "1Gi")}},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"{parent['metadata']['name']}-deployment", "labels": labels},
        "spec": {
            "replicas": parent["spec"].get("replicas", 2),
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [main]}},
        },
    }


def observed(request: Json) -> Json | None:
    """Return the observed Deployment, or None."""
    return next(iter(request["children"]["Deployment.apps/v1"].values()), None)


def status(request: Json) -> Json:
    """Return a correct status: Ready once the Deployment is the desired one, and rolled out."""
    child, desired = observed(request), deployment(request)
    current = child is not None and child.get("status", {})
    image = child and child["spec"]["template"]["spec"]["containers"][0]["image"]
    counts = [current.get(name) for name in ("replicas", "updatedReplicas", "availableReplicas")] if current else []
    done = (
        child is not None
        and current
        and image == desired["spec"]["template"]["spec"]["containers"][0]["image"]
        and current.get("observedGeneration") == child["metadata"]["generation"]
        and counts == [desired["spec"]["replicas"]] * 3
        and child["spec"]["replicas"] == desired["spec"]["replicas"]
    )
    return {"conditions": [{"type": "Ready", "status": "True" if done else "False"}]}


def careful(request: Json) -> Json:
    """Respond correctly."""
    return {"status": status(request), "children": [deployment(request)]}


def listed_twice(request: Json) -> Json:
    """List one child twice."""
    return {"status": status(request), "children": [deployment(request), deployment(request)]}


def kind_that_nobody_watches(request: Json) -> Json:
    """List a child of a kind that is not in the controller."""
    name = {"name": request["parent"]["metadata"]["name"]}
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": name}
    return {"status": status(request), "children": [deployment(request), lease]}


def selects_nothing(request: Json) -> Json:
    """List a Service that selects by a label that no Pod has."""
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": request["parent"]["metadata"]["name"]},
        "spec": {"selector": {"application": "web"}, "ports": [{"port": 80}]},
    }
    return {"status": status(request), "children": [deployment(request), service]}


def state_ready_at_once(request: Json) -> Json:
    """Claim to be ready in a field of the status, whatever is observed."""
    return {"status": {"state": "Ready"}, "children": [deployment(request)]}


def called_twice_a_second(request: Json) -> Json:
    """Ask for a sync half a second later."""
    return {**careful(request), "resyncAfterSeconds": 0.5}


def empty_when_it_fails(request: Json) -> Json:
    """Respond with nothing and 200 after an error: here, once the Deployment is available."""
    return {} if (observed(request) or {}).get("status", {}).get("availableReplicas") else careful(request)


def null_child(request: Json) -> Json:
    """List a null child once the Deployment exists."""
    return {**careful(request), "children": [None]} if observed(request) else careful(request)


def time_in_a_child() -> Decide:
    """Set a field of a child that differs at every call."""
    numbers = itertools.count()

    def decide(request: Json) -> Json:
        made = deployment(request)
        made["spec"]["template"]["metadata"]["annotations"] = {"rendered-at": str(next(numbers))}
        return {"status": status(request), "children": [made]}

    return decide


def new_transition_time() -> Decide:
    """Set a new lastTransitionTime at every call."""
    numbers = itertools.count()

    def decide(request: Json) -> Json:
        answer = careful(request)
        answer["status"]["conditions"][0]["lastTransitionTime"] = f"2026-01-31T12:00:{next(numbers):02}Z"
        return answer

    return decide


def older_after_a_while() -> Decide:
    """Change the status with the time, which no event tells: here, when the same request comes for the third time."""
    seen: list[Json] = []

    def decide(request: Json) -> Json:
        answer = careful(request)
        seen.append(request)
        answer["status"]["phase"] = "Old" if seen.count(request) > 2 else "New"
        return answer

    return decide


def one_template_for_all() -> Decide:
    """Change a template that all parents share."""
    annotations: Json = {}

    def decide(request: Json) -> Json:
        answer = careful(request)
        annotations[f"of-{request['parent']['metadata']['name']}"] = request["parent"]["spec"]["image"]
        answer["children"][0]["metadata"]["annotations"] = dict(annotations)
        return answer

    return decide


def more_and_more() -> Decide:
    """Add to a list that is kept from call to call, as a mutable default argument is."""
    children: list[Json] = []

    def decide(request: Json) -> Json:
        metadata = {"name": f"web-{len(children)}"}
        children.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
        return {"status": {"of": request["parent"]["metadata"]["name"]}, "children": list(children)}

    return decide


def not_canonical(request: Json) -> Json:
    """Write a quantity in another form than the canonical one."""
    answer = careful(request)
    main = answer["children"][0]["spec"]["template"]["spec"]["containers"][0]
    main["resources"] = {"requests": {"memory": "1024Mi"}}
    return answer


def null_field(request: Json) -> Json:
    """Send null for unset fields, as pydantic does."""
    answer = careful(request)
    answer["children"][0]["spec"]["template"]["spec"]["containers"][0]["args"] = None
    return answer


def only_once(request: Json) -> Json:
    """List the child only while it does not exist, as a controller that creates it would."""
    return {"status": status(request), "children": [] if observed(request) else [deployment(request)]}


def key_of_another_version(request: Json) -> Json:
    """Look the child up by its name alone, as hook version v1 keys it, and never find it."""
    name = f"{request['parent']['metadata']['name']}-deployment"
    child = request["children"]["Deployment.apps/v1"].get(name)
    made = deployment(request)
    made["spec"]["replicas"] = child["spec"]["replicas"] if child else 1
    answer = {"status": {"conditions": [{"type": "Ready", "status": "True" if child is None else "False"}]}}
    return {**answer, "children": [made]}


def children_wait_for_a_config_map(request: Json) -> Json:
    """List no children while a ConfigMap is missing, although they exist."""
    found = request["related"].get("ConfigMap.v1")
    return careful(request) if found else {"status": status(request), "children": []}


def config_map_of_the_parent(request: Json) -> list[Json]:
    """Return the rule for the ConfigMap that the hook above waits for."""
    namespace = request["parent"]["metadata"]["namespace"]
    return [{"apiVersion": "v1", "resource": "configmaps", "namespace": namespace, "names": ["config"]}]


def available_is_ready(request: Json) -> Json:
    """Report Ready when any Pods are available, also old ones."""
    answer = careful(request)
    available = (observed(request) or {}).get("status", {}).get("availableReplicas", 0)
    answer["status"]["conditions"][0]["status"] = "True" if available >= 2 else "False"
    return answer


def replicas_only_at_first(request: Json) -> Json:
    """Set replicas in the first response, and leave them out later."""
    answer = careful(request)
    if (observed(request) or {}).get("status", {}).get("availableReplicas"):
        del answer["children"][0]["spec"]["replicas"]
    return answer


def generated_name(request: Json) -> Json:
    """Leave the name of a child to the API server."""
    answer = careful(request)
    metadata = answer["children"][0]["metadata"]
    del metadata["name"]
    metadata["generateName"] = "web-"
    return answer


def another_namespace(request: Json) -> Json:
    """Create a child in another namespace than the parent's."""
    answer = careful(request)
    answer["children"][0]["metadata"]["namespace"] = "elsewhere"
    return answer


def selector_of_the_image(request: Json) -> Json:
    """Let the selector depend on the spec, and always report Ready."""
    answer = careful(request)
    labels = {"app": "web", "version": request["parent"]["spec"]["image"].replace(":", "-")}
    spec = answer["children"][0]["spec"]
    spec["selector"] = {"matchLabels": labels}
    spec["template"]["metadata"]["labels"] = labels
    del answer["status"]["conditions"]
    return {**answer, "status": {"phase": "Fine"}}


def copies_observed_children(request: Json) -> Json:
    """Return the observed Deployment with the desired image."""
    child = copy.deepcopy(observed(request))
    if child is None:
        return careful(request)
    desired = deployment(request)["spec"]["template"]["spec"]["containers"][0]["image"]
    child["spec"]["template"]["spec"]["containers"][0]["image"] = desired
    return {"status": status(request), "children": [child]}


def name_of_another_owner(request: Json) -> Json:
    """Use a name without checking that it is free."""
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "taken"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
    answer = careful(request)
    return {**answer, "children": [*answer["children"], service]}


def too_busy(hook: str, body: bytes) -> Reply:  # noqa: ARG001 - a hook gets it
    """Respond with 429 without Retry-After."""
    return Reply(200, b'{"relatedResources": []}') if hook == "customize" else Reply(429, b"")


def error_page(hook: str, body: bytes) -> Reply:  # noqa: ARG001 - a hook gets it
    """Respond with an error in JSON, and 200."""
    return Reply(200, b'{"relatedResources": []}' if hook == "customize" else b'{"detail": "it did not work"}')


def another_parents_label(request: Json) -> Json:
    """Set the controller-uid label of another parent on a child."""
    answer = careful(request)
    answer["children"][0]["metadata"]["labels"]["controller-uid"] = "another"
    return answer


def too_busy_to_customize(hook: str, body: bytes) -> Reply:
    """Respond with 429 without Retry-After, to customize alone."""
    return Reply(429, b"") if hook == "customize" else answering(careful)(hook, body)
