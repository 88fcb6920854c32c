"""Replica failure: why the API server refuses Pods, and what to change in the spec.

The condition ReplicaFailure of the Deployment has the error of the API server. Its numbers and names change from one
try to the next, so a message has none of them: only the kind of error, and what to change.
"""

import re
from collections.abc import Callable

from app.api.spec import MyResourceSpec

UNKNOWN = "a quota, a LimitRange or an admission policy rejects them"


def explain_replica_failure(message: str | None, spec: MyResourceSpec | None) -> str:
    """Return why Pods of *spec* are refused, and the remedy; *message* is the API server's."""
    if not message or spec is None:
        return UNKNOWN
    return next((words(spec) for pattern, words in _ERRORS if pattern.search(message)), UNKNOWN)


def _account(spec: MyResourceSpec) -> str:
    if spec.service_account_name is None:
        return "ServiceAccount default does not exist in the namespace: wait until Kubernetes creates it"
    return f"ServiceAccount {spec.service_account_name} does not exist: create it, or change spec.serviceAccountName"


def _priority(spec: MyResourceSpec) -> str:
    if spec.priority_class_name is None:
        return UNKNOWN
    return f"PriorityClass {spec.priority_class_name} does not exist: create it, or change spec.priorityClassName"


def _pod_security(spec: MyResourceSpec) -> str:
    remedy = "" if spec.security_profile == "Restricted" else ": set spec.securityProfile to Restricted"
    return f"the Pod Security level of the namespace does not allow this spec{remedy}"


def _also_init_containers(spec: MyResourceSpec) -> str:
    return ", also in spec.initContainers" if spec.init_containers else ""


_ERRORS: list[tuple[re.Pattern[str], Callable[[MyResourceSpec], str]]] = [
    (re.compile(r"service ?account (?P<name>\S+) not found|looking up service account"), _account),
    (re.compile(r"no PriorityClass with name"), _priority),
    (re.compile(r"violates PodSecurity"), _pod_security),
    (
        re.compile(r"must specify (limits|requests)[.]"),
        lambda spec: (
            "a quota of the namespace requires CPU and memory requests or limits: set them in spec.resources"
            f"{_also_init_containers(spec)}"
        ),
    ),
    (
        re.compile(r"exceeded quota"),
        lambda _: "a quota of the namespace is exceeded: lower the requests, or raise the quota",
    ),
    (
        re.compile(r"usage per (Container|Pod)|limit to request ratio"),
        lambda spec: (
            "a LimitRange of the namespace does not allow these requests and limits: change spec.memory, spec.cpu or "
            f"spec.resources{_also_init_containers(spec)}"
        ),
    ),
    (
        re.compile(r"denied the request|ValidatingAdmissionPolicy|denied request"),
        lambda _: "an admission policy or webhook of the cluster rejects them",
    ),
]
"""The first pattern that is found decides. Source: Kubernetes, plugin/pkg/admission: serviceaccount, priority,
podsecurity, resourcequota, limitranger; staging apiserver, admission/plugin: policy/validating, webhook."""

READ_MESSAGES = tuple(pattern for pattern, _ in _ERRORS)
"""What is read of the message: recordings keep this, and nothing else of it."""
