"""A hook as a beginner writes it: raw JSON in, raw JSON out. One is careful; each of the others makes one real mistake.

Source: the pitfalls of Metacontroller's contract, and its issues.
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
    """Return the hook that answers sync with what *decide* returns, and customize with *rules*."""

    def call(hook: str, body: bytes) -> Reply:
        request = json.loads(body)
        answer = {"relatedResources": rules(request)} if hook == "customize" else decide(request)
        return Reply(200, json.dumps(answer).encode())

    return call


def deployment(request: Json) -> Json:
    """Return the Deployment that is wanted."""
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
    """Return the Deployment that is there."""
    return next(iter(request["children"]["Deployment.apps/v1"].values()), None)


def status(request: Json) -> Json:
    """Return a status that tells the truth: Ready once the Deployment is what is wanted, and rolled out."""
    seen, wanted = observed(request), deployment(request)
    there = seen is not None and seen.get("status", {})
    image = seen and seen["spec"]["template"]["spec"]["containers"][0]["image"]
    counts = [there.get(name) for name in ("replicas", "updatedReplicas", "availableReplicas")] if there else []
    done = (
        seen is not None
        and there
        and image == wanted["spec"]["template"]["spec"]["containers"][0]["image"]
        and there.get("observedGeneration") == seen["metadata"]["generation"]
        and counts == [wanted["spec"]["replicas"]] * 3
        and seen["spec"]["replicas"] == wanted["spec"]["replicas"]
    )
    return {"conditions": [{"type": "Ready", "status": "True" if done else "False"}]}


def careful(request: Json) -> Json:
    """Answer as one should."""
    return {"status": status(request), "children": [deployment(request)]}


def empty_when_it_fails(request: Json) -> Json:
    """Answer with nothing, and 200, when something went wrong: here, once the Deployment is available."""
    return {} if (observed(request) or {}).get("status", {}).get("availableReplicas") else careful(request)


def null_child(request: Json) -> Json:
    """List a child that is null once there is one."""
    return {**careful(request), "children": [None]} if observed(request) else careful(request)


def time_in_a_child() -> Decide:
    """Put what differs at every call into a child."""
    numbers = itertools.count()

    def decide(request: Json) -> Json:
        made = deployment(request)
        made["spec"]["template"]["metadata"]["annotations"] = {"rendered-at": str(next(numbers))}
        return {"status": status(request), "children": [made]}

    return decide


def new_transition_time() -> Decide:
    """Make lastTransitionTime anew at every call."""
    numbers = itertools.count()

    def decide(request: Json) -> Json:
        answer = careful(request)
        answer["status"]["conditions"][0]["lastTransitionTime"] = f"2026-01-31T12:00:{next(numbers):02}Z"
        return answer

    return decide


def not_canonical(request: Json) -> Json:
    """Spell a quantity otherwise than the API server does."""
    answer = careful(request)
    main = answer["children"][0]["spec"]["template"]["spec"]["containers"][0]
    main["resources"] = {"requests": {"memory": "1024Mi"}}
    return answer


def null_field(request: Json) -> Json:
    """Send null for what is not set, as pydantic does."""
    answer = careful(request)
    answer["children"][0]["spec"]["template"]["spec"]["containers"][0]["args"] = None
    return answer


def only_once(request: Json) -> Json:
    """List the child only while it is not there, as a controller that creates would."""
    return {"status": status(request), "children": [] if observed(request) else [deployment(request)]}


def key_of_another_version(request: Json) -> Json:
    """Look the child up by its name alone, as hook version v1 keys it, and take it for lost."""
    name = f"{request['parent']['metadata']['name']}-deployment"
    seen = request["children"]["Deployment.apps/v1"].get(name)
    made = deployment(request)
    made["spec"]["replicas"] = seen["spec"]["replicas"] if seen else 1
    answer = {"status": {"conditions": [{"type": "Ready", "status": "True" if seen is None else "False"}]}}
    return {**answer, "children": [made]}


def children_wait_for_a_config_map(request: Json) -> Json:
    """List no children while a ConfigMap is missing, although they are there."""
    found = request["related"].get("ConfigMap.v1")
    return careful(request) if found else {"status": status(request), "children": []}


def config_map_of_the_parent(request: Json) -> list[Json]:
    """Ask for the ConfigMap that the hook above waits for."""
    namespace = request["parent"]["metadata"]["namespace"]
    return [{"apiVersion": "v1", "resource": "configmaps", "namespace": namespace, "names": ["config"]}]


def versions_of_the_pods(request: Json) -> Json:
    """Replace the Pods when a resourceVersion changes: theirs, so that it never ends."""
    answer = careful(request)
    pods = request["related"].get("Pod.v1", {}).values()
    versions = " ".join(sorted(pod["metadata"]["resourceVersion"] for pod in pods))
    answer["children"][0]["spec"]["template"]["metadata"]["annotations"] = {"versions": versions}
    return answer


def pods_of_the_parent(request: Json) -> list[Json]:
    """Ask for the Pods that the hook above looks at."""
    metadata = request["parent"]["metadata"]
    labels = {"matchLabels": {"app": metadata["name"]}}
    return [{"apiVersion": "v1", "resource": "pods", "namespace": metadata["namespace"], "labelSelector": labels}]


def available_is_ready(request: Json) -> Json:
    """Say Ready when Pods are available, whichever Pods."""
    answer = careful(request)
    available = (observed(request) or {}).get("status", {}).get("availableReplicas", 0)
    answer["status"]["conditions"][0]["status"] = "True" if available >= 2 else "False"
    return answer


def replicas_only_at_first(request: Json) -> Json:
    """Ask for replicas at first, and say nothing of them later."""
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
    """Put a child into a namespace that is not the parent's."""
    answer = careful(request)
    answer["children"][0]["metadata"]["namespace"] = "elsewhere"
    return answer


def selector_of_the_image(request: Json) -> Json:
    """Let the selector depend on the spec, and say that all is well."""
    answer = careful(request)
    labels = {"app": "web", "version": request["parent"]["spec"]["image"].replace(":", "-")}
    spec = answer["children"][0]["spec"]
    spec["selector"] = {"matchLabels": labels}
    spec["template"]["metadata"]["labels"] = labels
    del answer["status"]["conditions"]
    return {**answer, "status": {"phase": "Fine"}}


def copies_observed_children(request: Json) -> Json:
    """Return what is observed, with the image that is wanted."""
    seen = copy.deepcopy(observed(request))
    if seen is None:
        return careful(request)
    wanted = deployment(request)["spec"]["template"]["spec"]["containers"][0]["image"]
    seen["spec"]["template"]["spec"]["containers"][0]["image"] = wanted
    return {"status": status(request), "children": [seen]}


def name_of_another_owner(request: Json) -> Json:
    """Take a name without looking whether it is free."""
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "taken"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
    answer = careful(request)
    return {**answer, "children": [*answer["children"], service]}


def too_busy(hook: str, body: bytes) -> Reply:  # noqa: ARG001 - a hook gets it
    """Say 429 without Retry-After."""
    return Reply(200, b'{"relatedResources": []}') if hook == "customize" else Reply(429, b"")


def error_page(hook: str, body: bytes) -> Reply:  # noqa: ARG001 - a hook gets it
    """Say what went wrong in JSON, and 200."""
    return Reply(200, b'{"relatedResources": []}' if hook == "customize" else b'{"detail": "it did not work"}')


def another_parents_label(request: Json) -> Json:
    """Give a child the label that tells whose it is, of somebody else."""
    answer = careful(request)
    answer["children"][0]["metadata"]["labels"]["controller-uid"] = "another"
    return answer


def too_busy_to_customize(hook: str, body: bytes) -> Reply:
    """Say 429 without Retry-After to customize alone."""
    return Reply(429, b"") if hook == "customize" else answering(careful)(hook, body)
