"""Messages of causes: one for each cause and each shape of the spec, and none that names what the spec has not.

Those of Pods that are evicted, preempted, rejected or lost are in test_disruptions.py.
"""

import re

import pytest

from app.core.reasons import REASONS
from tests.requests.builders import Json
from tests.requests.pods import (
    UNSCHEDULABLE,
    container,
    crashing,
    ended,
    pod,
    running,
    said,
    waiting,
)

PROBE = {"httpGet": {"port": 80}}
LIVE, START, BOTH = {"livenessProbe": PROBE}, {"startupProbe": PROBE}, {"livenessProbe": PROBE, "startupProbe": PROBE}
HOOK = {"lifecycle": {"postStart": {"exec": {"command": ["warm"]}}, "preStop": {"sleep": {"seconds": 5}}}}
CLAIM = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
SELECTOR = {"matchLabels": {"a": "b"}}
SPREAD = {
    "topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": SELECTOR}
    ]
}

ON = " -l myresource=web -n default"
LOGS = f"See: kubectl logs{ON} -c main --previous --ignore-errors"
DESCRIBE = f"See: kubectl describe pods{ON}"
UNTOLERATED = "or nodes have taints that the Pods do not tolerate."


def stopped(state: Json, last: Json | None = None) -> Json:
    """Return a Pod whose container is in this state."""
    return pod(container(state=state, last=last, restarts=2))


def stopped_before(state: Json, last: Json | None = None) -> Json:
    """Return a Pod whose init container, or sidecar, is in this state."""
    return pod(
        container(state=waiting("PodInitializing")),
        init=(container("init", state, last, restarts=2),),
        sidecars=("init",),
    )


READ_ONLY: Json = {"readOnlyRootFilesystem": True}
THERE = "where it writes files)."
OOM = crashing(137, "OOMKilled")
INIT_LOOP, INIT_KILLED = (stopped_before(waiting("CrashLoopBackOff"), ended(code)) for code in (1, 143))
INIT_OOM = stopped_before(ended(137, "OOMKilled"))
INIT_MISSES = stopped_before(waiting("CreateContainerConfigError", 'secret "a" not found'))
NEVER = stopped(waiting("ErrImageNeverPull"))
NO_IMAGE = stopped(waiting("ImagePullBackOff"))

OWN = "spec.initContainers[init]"


def of_init(**fields: object) -> Json:
    return {"initContainers": [{"name": "init", "image": "init:1", "restartPolicy": "Always", **fields}]}


TABLE: list[tuple[Json, Json, str]] = [
    (crashing(1), {}, f"keeps exiting with code 1. {LOGS}"),
    (crashing(1), BOTH, f"keeps exiting with code 1. {LOGS}"),
    (crashing(1), READ_ONLY, f"code 1 (spec.readOnlyRootFilesystem is true: mount an emptyDir {THERE} {LOGS}"),
    (crashing(127), READ_ONLY, f"code 127 (its command was not found). {LOGS}"),
    (crashing(143), {**LIVE, **READ_ONLY}, "perhaps because spec.livenessProbe failed)."),
    (crashing(0), {}, f"keeps exiting with code 0 (it completed). {LOGS}"),
    (crashing(0), {"readinessProbe": PROBE}, f"keeps exiting with code 0 (it completed). {LOGS}"),
    (crashing(0), LIVE, f"code 0 (it completed, or spec.livenessProbe failed). {DESCRIBE}"),
    (crashing(0), START, f"code 0 (it completed, or spec.startupProbe failed). {DESCRIBE}"),
    (crashing(137), {}, f"code 137 (killed by SIGKILL). {LOGS}"),
    (crashing(137), LIVE, f"code 137 (killed by SIGKILL, perhaps because spec.livenessProbe failed). {DESCRIBE}"),
    (crashing(137), BOTH, f"perhaps because spec.livenessProbe or spec.startupProbe failed). {DESCRIBE}"),
    (crashing(143), {}, f"code 143 (stopped by SIGTERM). {LOGS}"),
    (crashing(143), START, f"(stopped by SIGTERM, perhaps because spec.startupProbe failed). {DESCRIBE}"),
    (crashing(143), HOOK, f"(stopped by SIGTERM, perhaps because spec.lifecycle.postStart failed). {DESCRIBE}"),
    (crashing(143), {"lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}, f"code 143 (stopped by SIGTERM). {LOGS}"),
    (stopped(waiting("PostStartHookError"), ended(143)), HOOK, "perhaps because spec.lifecycle.postStart failed)."),
    (crashing(126), LIVE, f"code 126 (its command can't be executed). {LOGS}"),
    (crashing(127), {}, f"code 127 (its command was not found). {LOGS}"),
    (crashing(128), {}, f"code 128. {LOGS}"),
    (crashing(139), {}, f"code 139 (segmentation fault). {LOGS}"),
    (crashing(-1073741510), {}, f"code -1073741510. {LOGS}"),
    (crashing(128, "StartError"), {"command": ["x"]}, f"can't be started: check spec.command. {DESCRIBE}"),
    (crashing(128, "StartError"), {}, f"has no working command: set spec.command. {DESCRIBE}"),
    (OOM, {"memory": "1024Mi"}, "was OOMKilled at its 1Gi limit: raise spec.memory."),
    (OOM, {"resources": {"limits": {"cpu": "1"}}}, "at its 128Mi limit: raise spec.memory."),
    (OOM, {"resources": {"limits": {"memory": "64Mi"}}}, "at its 64Mi limit: raise spec.resources.limits.memory."),
    (OOM, {"resources": {"requests": {"memory": "64Mi"}}}, "without a memory limit: set spec.resources.limits.memory."),
    (NO_IMAGE, {}, "check spec.image, and set spec.imagePullSecrets if the registry is private."),
    (NO_IMAGE, {"imagePullSecrets": [{"name": "a"}]}, "spec.image, and the Secrets in spec.imagePullSecrets."),
    (pod(container("proxy", waiting("ErrImageNeverPull"))), {}, "imagePullPolicy is Never: check the sidecar injector"),
    (NEVER, {"imagePullPolicy": "Never"}, "is Never: load the image onto every node, or set spec.imagePullP"),
    (UNSCHEDULABLE, {}, f"No node fits: not enough free CPU or memory for spec.memory, {UNTOLERATED} {DESCRIBE}"),
    (UNSCHEDULABLE, {"nodeSelector": {"a": "b"}}, f", no node matches spec.nodeSelector, {UNTOLERATED}"),
    (UNSCHEDULABLE, {"nodeSelector": {"a": "b"}, **SPREAD}, "spec.nodeSelector and spec.topologySpreadConstraints,"),
    (UNSCHEDULABLE, {"cpu": "1"}, "not enough free CPU or memory for spec.cpu and spec.memory, "),
    (UNSCHEDULABLE, {"resources": {"requests": {"memory": "1Gi"}}}, "free CPU or memory for spec.resources, or nodes"),
    (UNSCHEDULABLE, {"resources": {"limits": {"cpu": "1"}}}, "memory for spec.memory and spec.resources, or nodes"),
    (UNSCHEDULABLE, of_init(), "free CPU or memory for spec.memory and spec.initContainers, or nodes"),
    (stopped_before(waiting("ImagePullBackOff")), of_init(), f"init can't pull its image: check {OWN}.image, and set"),
    (stopped_before(waiting("ErrImageNeverPull")), of_init(), f"onto every node, or set {OWN}.imagePullPolicy to"),
    (stopped_before(ended(128, "StartError")), of_init(), f"has no working command: set {OWN}.command."),
    (stopped_before(ended(128, "StartError")), of_init(command=["x"]), f"can't be started: check {OWN}.command."),
    (INIT_OOM, of_init(), f"init was OOMKilled at its 128Mi limit: raise {OWN}.memory."),
    (INIT_OOM, of_init(resources={"limits": {"memory": "64Mi"}}), f"its 64Mi limit: raise {OWN}.resources.limits.mem"),
    (INIT_LOOP, of_init(), f"Container init keeps exiting with code 1. {LOGS.replace('-c main', '-c init')}"),
    (INIT_LOOP, of_init(**READ_ONLY), f"code 1 ({OWN}.readOnlyRootFilesystem is true: mount an emptyDir {THERE} See"),
    (INIT_KILLED, of_init(livenessProbe=PROBE), f"perhaps because {OWN}.livenessProbe failed). {DESCRIBE}"),
    (stopped_before(running(60)), of_init(readinessProbe=PROBE), f"failing: check {OWN}.readinessProbe, and how"),
    (INIT_MISSES, of_init(envFrom=[{"secretRef": {"name": "a"}}]), "Secret a does not exist: create it"),
    (UNSCHEDULABLE, CLAIM, f", no node can mount the claims in spec.volumes, {UNTOLERATED}"),
]


FIELDS = ("livenessProbe", "startupProbe", "lifecycle", "nodeSelector", "affinity", "topologySpreadConstraints")


@pytest.mark.parametrize(("seen", "spec", "words"), TABLE, ids=range(len(TABLE)))
def test_a_message_names_cause_and_remedy_as_the_spec_has_them(seen: Json, spec: Json, words: str) -> None:
    message = said(seen if "metadata" in seen else pod(seen), **spec)[1]

    assert words in message
    assert not re.search("[{}]", message)
    assert [field for field in FIELDS if field not in spec and f"spec.{field}" in message] == []


@pytest.mark.parametrize("state", [waiting("RunContainerError"), waiting("CrashLoopBackOff"), ended(128, "StartError")])
@pytest.mark.parametrize("restarts", [0, 1, 9])
def test_what_can_not_start_is_said_in_the_same_words_and_never_sends_to_logs(state: Json, restarts: int) -> None:
    seen = container(state=state, last=ended(128, "StartError", ran=9e8), restarts=restarts)
    reason, message = said(pod(seen))

    assert reason == "RunContainerError"
    assert "kubectl logs" not in message


def test_a_sidecar_that_is_stopped_is_not_explained_by_the_probes_of_the_spec() -> None:
    message = said(pod(crashing(137, name="proxy")), **BOTH)[1]

    assert "Probe" not in message
    assert "-c proxy --previous --ignore-errors" in message


EXAMPLES: dict[str, tuple[Json, Json]] = {
    "ImagePullFailed": (NO_IMAGE, {}),
    "ContainerConfigError": (
        stopped(waiting("CreateContainerConfigError", 'secret "db" not found')),
        {"envFrom": [{"secretRef": {"name": "db"}}]},
    ),
    "RunContainerError": (crashing(128, "StartError"), {"command": ["x"]}),
    "OOMKilled": (OOM, {"memory": "128Mi"}),
    "CrashLooping": (crashing(127), {}),
    "Unschedulable": (UNSCHEDULABLE, {"nodeSelector": {"a": "b"}}),
    "ProbeFailing": (container(state=running(600), ready=False), {"readinessProbe": PROBE}),
}


@pytest.mark.parametrize("reason", EXAMPLES)
def test_the_example_of_a_message_is_one_that_users_see(reason: str) -> None:
    seen, spec = EXAMPLES[reason]

    assert said(seen if "metadata" in seen else pod(seen), **spec) == (reason, REASONS[reason].example())
