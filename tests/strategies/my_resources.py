"""Strategies for MyResources: any spec that the API server accepts, valid by construction."""

import random
from typing import Any, get_args

from hypothesis import strategies as st

from app.api.containers import Container
from app.api.generated_schema import schema
from app.api.model import Owner, copied_fields
from app.api.spec import MyResourceSpec
from tests.requests.builders import my_resource
from tests.strategies.containers import (
    CAPABILITIES,
    SIDECAR_PORTS,
    env,
    env_from,
    hardening,
    lifecycle,
    memory_and_cpu,
    ports_and_probes,
    probes,
)
from tests.strategies.primitives import (
    ABSENT,
    IMAGES,
    OBJECT_NAMES,
    Json,
    Strategy,
    annotations,
    labels,
    lists,
    node_labels,
    texts,
    variants,
)
from tests.strategies.scheduling import affinity, spreads, tolerations
from tests.strategies.volumes import volumes_and_mounts
from website.fields import fragments

_SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
_SURGES = [ABSENT, 1, "25%", "9999%", 2**31 - 1]
_ROLLING = [
    *variants(maxSurge=_SURGES, maxUnavailable=[ABSENT, 0, "0%", 1, "100%"]),
    *variants(maxSurge=[0, "0%"], maxUnavailable=[ABSENT, 1, "50%"]),
]
_AFFINITIES = [ABSENT, "None", "ClientIP"]
_SERVICES = variants(
    mode=[ABSENT, "Auto", "Disabled"],
    type=[ABSENT, "ClusterIP", "NodePort", "LoadBalancer"],
    sessionAffinity=_AFFINITIES,
)
_HEADLESS = variants(
    clusterIP=["None"], type=[ABSENT, "ClusterIP"], sessionAffinity=[ABSENT, "None"], mode=[ABSENT, "Disabled"]
)
_BALANCED = variants(
    type=["LoadBalancer"], annotations=[{_SOURCE_RANGES: "10.0.0.0/8, 192.168.1.7/32"}], sessionAffinity=_AFFINITIES
)
_DEPENDENCIES = variants(
    apiVersion=["example.com/v1"], resource=["mybackups"], name=OBJECT_NAMES, condition=[ABSENT, "Ready", "Exists"]
)

_ADDRESSES = ["192.0.2.1", "::1", "2001:DB8::0:1"]
_DNS = variants(
    nameservers=[ABSENT, [], _ADDRESSES[:1], _ADDRESSES],
    searches=[ABSENT, [], ["a.example.com.", "b"]],
    options=[ABSENT, [], [{"name": "ndots", "value": "2"}, {"name": "edns0"}]],
)
_ALIASES = variants(ip=_ADDRESSES, hostnames=[["a"], ["b.example.com", "c"]])
_SLEEP = variants(days=[["Sat"], ["Mon", "Sat"]], **{"from": ["11:00", "19:00"]}, to=["13:00"], replicas=[ABSENT, 1, 2])
_SCHEDULED = {
    "timeZone": [ABSENT, "Europe/Berlin"],
    "sleep": [[window] for window in _SLEEP],
    "except": [ABSENT, ["2026-01-31"]],
}
_SCHEDULES = [
    *variants(**_SCHEDULED),
    *variants(
        **_SCHEDULED,
        overrideUntil=["2026-01-31T12:30:00+01:00", "2026-01-31T12:30:00Z"],
        overrideState=[ABSENT, "Awake", "Asleep"],
    ),
]

_HOSTS = ["web.example.com", "a", "x-1.b.example"]
_EXPOSED = [
    *variants(
        host=_HOSTS, path=[ABSENT, "/", "/a/.b"], className=[ABSENT, "nginx"], tls=[ABSENT, {}, {"secretName": "a"}]
    ),
    *variants(
        host=_HOSTS,
        path=[ABSENT, "/a"],
        tls=[ABSENT, {}],
        gateway=[{"name": "shared", "namespace": "gateways"}, {"name": "a", "sectionName": "https"}],
    ),
]


def _values(node: Json) -> list[Any]:
    """Return values of a field with the schema *node*, if it has few kinds of them; otherwise none."""
    if "enum" in node:
        return list(node["enum"])
    if node.get("type") == "boolean":
        return [True, False]
    if node.get("type") == "integer" and {"minimum", "maximum"} <= node.keys():
        return [node["minimum"], node["minimum"] + 1, node["maximum"]]
    inner = {name: _values(below) for name, below in node.get("properties", {}).items()}
    return variants(**{name: [ABSENT, *some] for name, some in inner.items()}) if inner and all(inner.values()) else []


_DEPENDENT = {"image", "env", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "volumeMounts"}
"""Copied fields that depend on others."""


def _by_example() -> dict[str, list[Any]]:
    """Return the values of copied fields in the examples that need no other field."""
    copied = {
        str(MyResourceSpec.model_fields[name].alias)
        for owner in get_args(Owner)
        for name in copied_fields(MyResourceSpec, owner).values()
    }
    alone = {
        name: [each[name] for each in found if each.keys() == {name}]
        for name, found in fragments().items()
        if name in copied - _DEPENDENT
    }
    return {name: values for name, values in alone.items() if values}


_BY_SCHEMA = {name: _values(node) for name, node in schema()["properties"]["spec"]["properties"].items()}
_ALONE: dict[str, Strategy[Any]] = {
    **{name: st.sampled_from(values) for name, values in _by_example().items()},
    **{name: st.sampled_from(values) for name, values in _BY_SCHEMA.items() if values and name != "autoscaling"},
    "replicas": st.sampled_from([0, 1, 2, 3, 1000]),
    "command": st.lists(texts, max_size=2).map(lambda more: ["run", *more] if more else []),
    "args": st.lists(texts, max_size=2),
    "envFrom": env_from,
    "capabilities": st.sampled_from(CAPABILITIES),
    "imagePullSecrets": lists(variants(name=OBJECT_NAMES), "name", most=2),
    "service": st.one_of(
        st.sampled_from([*_SERVICES, *_HEADLESS, *_BALANCED]), annotations.map(lambda chosen: {"annotations": chosen})
    ),
    "dependencies": st.lists(st.sampled_from(_DEPENDENCIES), max_size=2, unique_by=lambda asked: asked["name"]),
    "nodeSelector": node_labels,
    "tolerations": tolerations,
    "affinity": affinity,
    "topologySpreadConstraints": spreads,
    "priorityClassName": st.sampled_from(OBJECT_NAMES),
    "serviceAccountName": st.sampled_from(OBJECT_NAMES),
    "strategy": st.sampled_from(
        [{"type": "Recreate"}, *variants(type=[ABSENT, "RollingUpdate"], rollingUpdate=_ROLLING)]
    ),
    "dnsConfig": st.sampled_from(_DNS),
    "hostAliases": lists(_ALIASES, "ip", most=3),
    "minReadySeconds": st.sampled_from([0, 1, 29]),
    "progressDeadlineSeconds": st.sampled_from([30, 600, 86400]),
    "podMetadata": st.fixed_dictionaries({}, optional={"labels": labels, "annotations": annotations}),
    "propagate": st.sampled_from(
        variants(labels=[ABSENT, [], ["team"], ["team", "a/b"]], annotations=[ABSENT, [], ["example.com/a"]])
    ),
    "restartedAt": st.sampled_from(["2026-01-31T12:00:00Z", "2026-01-31t12:00:00.5+01:00"]),
    "suspend": st.sampled_from([False]),  # true asks for nothing: see test_responses.py
}
"""Fields that depend on no other. One that is copied, or has few kinds of values as the schema says, needs no line."""
_STEPS = {
    "stabilizationWindowSeconds": 60,
    "selectPolicy": "Min",
    "policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}],
}
_autoscaling = st.sampled_from(
    [
        {"replicas": 1, **resources, "autoscaling": {"maxReplicas": 3, **targets}}
        for resources, targets in (
            ({}, {"targetMemoryUtilizationPercentage": 80}),
            ({"cpu": "100m"}, {"minReplicas": 2, "targetCPUUtilizationPercentage": 80}),
            ({}, {"targetMemoryUtilizationPercentage": 1, "behavior": {"scaleUp": {"selectPolicy": "Disabled"}}}),
            ({}, {"targetMemoryUtilizationPercentage": 1, "behavior": {"scaleUp": _STEPS, "scaleDown": _STEPS}}),
        )
    ]
)


_of_containers = st.fixed_dictionaries(
    {}, optional={path[-1]: _ALONE[path[-1]] for path in copied_fields(Container, "Container") if path[-1] in _ALONE}
)


@st.composite
def _init_containers(draw: st.DrawFn) -> Json:
    """An init container and a sidecar, and what of the Pod they depend on."""
    mounted = draw(volumes_and_mounts)
    init = {
        **draw(_of_containers),
        "name": "init",
        "image": draw(_images),
        **draw(memory_and_cpu),
        "command": ["run"],
        "env": draw(env),
        "volumeMounts": mounted.pop("volumeMounts", []),
    }
    hooks = draw(lifecycle)
    sidecar = {
        **draw(_of_containers),
        "name": "a-sidecar",
        "image": "proxy",
        "restartPolicy": "Always",
        **draw(probes),
        **hooks,
    }
    sidecar |= draw(hardening) | {"ports": draw(st.sampled_from(SIDECAR_PORTS))}
    grace = sidecar.pop("terminationGracePeriodSeconds")
    return {"initContainers": [init, sidecar], "terminationGracePeriodSeconds": grace, **mounted}


_variables = env.map(lambda variables: {"env": variables})
_together = st.sampled_from(
    [
        (),
        (ports_and_probes,),
        (memory_and_cpu,),
        (volumes_and_mounts,),
        (ports_and_probes, memory_and_cpu),
        (ports_and_probes, lifecycle),
        (_variables,),
        (_autoscaling,),
        (_autoscaling, ports_and_probes),
        (ports_and_probes, _variables),
        (_init_containers(),),
        (_init_containers(),),
    ]
)


def _subsets(names: list[str], *, most: int) -> list[tuple[str, ...]]:
    """Return nothing, and some thousand sets of at most *most* of *names*: the same each time."""
    chance = random.Random(most)  # noqa: S311 - no secret
    return [(), *(tuple(chance.sample(names, chance.randint(0, most))) for _ in range(4096))]


@st.composite
def specs(draw: st.DrawFn) -> Json:
    """Specs of any fields; each is valid."""
    spec: Json = {"image": draw(_images)}
    for group in draw(_together):
        spec.update(draw(group))
    for name in draw(_names):
        spec.setdefault(name, draw(_ALONE[name]))
    ports = _exposable_ports(spec)
    if ports and (exposed := draw(_exposures)):
        spec["expose"] = {**exposed, "port": ports[-1]["name"]} if "name" in ports[-1] else exposed
    return spec


def scheduled_specs() -> Strategy[Json]:
    """Specs with a schedule, which never come to rest: there is always a next transition."""
    return st.builds(lambda spec, schedule: {**spec, "schedule": schedule}, specs(), st.sampled_from(_SCHEDULES))


def _exposable_ports(spec: Json) -> list[Json]:
    has_service = spec.get("service", {}).get("mode") != "Disabled"
    return [port for port in spec.get("ports", []) if has_service and port.get("protocol", "TCP") == "TCP"]


_exposures = st.sampled_from([*[None] * len(_EXPOSED), *_EXPOSED])
_images = st.sampled_from(IMAGES)
_names = st.sampled_from(_subsets(sorted(_ALONE), most=5))
_IDENTITIES = variants(
    name=["web", "a", "x1", "a-b", "ab-0", "a" * 52],
    generation=[1, 2, 3, 4, 5],
    labels=[ABSENT, {"team": "red", "a/b": ""}],
    uid=["b848bea7-865d-4a1f-bf45-a10293c59ffe", "00000000-0000-4000-8000-000000000001"],
)
_identities = st.sampled_from(_IDENTITIES)


def parents(spec: Strategy[Json] | None = None) -> Strategy[Json]:
    """MyResources of any name, generation and uid."""
    return st.builds(
        lambda known, chosen: my_resource(**known, spec=chosen), _identities, specs() if spec is None else spec
    )
