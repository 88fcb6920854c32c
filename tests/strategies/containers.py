"""Strategies for what a container takes in and opens: variables, ports, probes, resources."""

from hypothesis import strategies as st

from tests.strategies.primitives import (
    ABSENT,
    CONFIG_KEYS,
    ENV_NAMES,
    FLAGS,
    OBJECT_NAMES,
    Json,
    Strategy,
    amounts,
    either,
    lists,
    texts,
    variants,
    whole_bytes,
)

_IN_BYTES = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"]
RESOURCE_FIELDS = [
    *variants(resource=["limits.cpu", "requests.cpu"], divisor=[ABSENT, "1", "1m"]),
    *variants(
        resource=["limits.memory", "requests.memory", "requests.ephemeral-storage"], divisor=[ABSENT, *_IN_BYTES]
    ),
]
_POD_FIELDS = ["metadata.name", "metadata.labels['a/b']", "spec.nodeName", "spec.serviceAccountName", "status.podIPs"]
_KEY_REFS = variants(name=OBJECT_NAMES, key=CONFIG_KEYS, optional=FLAGS)
_SOURCES = either(
    configMapKeyRef=_KEY_REFS,
    secretKeyRef=_KEY_REFS,
    fieldRef=variants(fieldPath=_POD_FIELDS),
    resourceFieldRef=RESOURCE_FIELDS,
)
_values = st.one_of(
    texts.map(lambda text: {"value": text}),
    st.sampled_from([{}, *variants(valueFrom=_SOURCES, value=[ABSENT, ""])]),
)
env = st.dictionaries(st.sampled_from(ENV_NAMES), _values, max_size=3).map(
    lambda named: [{"name": name, **value} for name, value in named.items()]
)

_WHOLE = variants(name=OBJECT_NAMES, optional=FLAGS)
env_from = lists(
    [*variants(configMapRef=_WHOLE, prefix=[ABSENT, "P_"]), *variants(secretRef=_WHOLE, prefix=[ABSENT, "P."])], most=2
)

PORT_NAMES = ["http", "metrics", "a1", "1a", "web-2", "tcp-a"]
_PORTS: list[int | str] = [1, 8080, 65535, *PORT_NAMES]
_HEADERS = [
    ABSENT,
    [],
    [{"name": "Host", "value": ""}],
    [{"name": "X-A", "value": "ä"}, {"name": "Host", "value": "b"}],
]
_HANDLERS = either(
    httpGet=variants(
        port=_PORTS,
        path=[ABSENT, "", "/", "/healthz?a=b"],
        scheme=[ABSENT, "HTTP", "HTTPS"],
        httpHeaders=_HEADERS,
    ),
    tcpSocket=variants(port=_PORTS),
    exec=variants(command=[["sh"], ["sh", "", "$(A)"], ["ü"]]),
    grpc=variants(port=[9000], service=[ABSENT, "", "live"]),
)
_HOOKS = either(
    httpGet=variants(port=[80], path=[ABSENT, "", "/drain"], scheme=[ABSENT, "HTTPS"], httpHeaders=_HEADERS),
    exec=variants(command=[["sh"], ["sh", "", "$(A)"], ["ü"]]),
    sleep=variants(seconds=[1, 29]),
)
_HOOKED = variants(postStart=[ABSENT, *_HOOKS], preStop=[ABSENT, *_HOOKS])
lifecycle = st.sampled_from(variants(lifecycle=_HOOKED, terminationGracePeriodSeconds=[30, 3600]))
"""Together, because a hook may not sleep longer than its Pod has to stop."""
_TIMING = variants(
    initialDelaySeconds=[ABSENT, 0, 5],
    periodSeconds=[ABSENT, 1, 3600],
    timeoutSeconds=[ABSENT, 7],
    failureThreshold=[ABSENT, 1, 1000],
)


def _probes(**more: list[int]) -> Strategy[Json]:
    timed = [{**timing, **extra} for timing in _TIMING for extra in variants(**more)]
    return st.builds(lambda handler, timing: {**handler, **timing}, st.sampled_from(_HANDLERS), st.sampled_from(timed))


_restarting = _probes(terminationGracePeriodSeconds=[ABSENT, 1, 3600])
_ports = st.lists(
    st.sampled_from(
        variants(
            containerPort=[1, 80, 443, 8080, 65535],
            name=[ABSENT, *PORT_NAMES],
            protocol=[ABSENT, "TCP", "UDP", "SCTP"],
            servicePort=[ABSENT, 80, 8000],
        )
    ),
    max_size=3,
    unique_by=(
        lambda port: port["containerPort"],
        lambda port: port.get("servicePort", port["containerPort"]),
        lambda port: port.get("name", port["containerPort"]),
    ),
)
_asked = st.fixed_dictionaries(
    {"ports": _ports},
    optional={
        "livenessProbe": _restarting,
        "readinessProbe": _probes(successThreshold=[ABSENT, 1, 100]),
        "startupProbe": _restarting,
    },
)


def _asking_what_is_there(asked: Json) -> Json:
    """Return *asked* with a number in each probe that names a port which is not there."""
    there = [port["name"] for port in asked["ports"] if "name" in port]

    def mended(part: Json) -> Json:
        return {**part, "port": 8080} if isinstance(part.get("port"), str) and part["port"] not in there else part

    def mended_probe(probe: Json) -> Json:
        return {name: mended(part) if isinstance(part, dict) else part for name, part in probe.items()}

    return {name: value if name == "ports" else mended_probe(value) for name, value in asked.items()}


SIDECAR_PORTS = [[], [{"name": "status", "containerPort": 15021}], [{"containerPort": 53, "protocol": "UDP"}]]
CAPABILITIES: list[Json] = [{}, {"add": []}, {"add": ["NET_BIND_SERVICE"]}]
hardening = st.sampled_from(
    variants(readOnlyRootFilesystem=[ABSENT, True, False], capabilities=[ABSENT, *CAPABILITIES])
)
ports_and_probes = _asked.map(_asking_what_is_there)
probes = _asked.map(
    lambda asked: {
        name: probe for name, probe in _asking_what_is_there({**asked, "ports": []}).items() if name != "ports"
    }
)
"""Probes of a container whose ports have no names."""

_PAIRS: dict[str, list[tuple[int | str, int | str]]] = {
    "cpu": [("100m", "0.5"), ("1", "1000m"), (0, 1), ("1.5", 2), ("0", "0"), ("250m", "250m")],
    "memory": [("64Mi", "128Mi"), ("1024Mi", "1Gi"), (1, "1Ti"), ("1.5Gi", "1536Mi"), ("5M", "5M")],
    "ephemeral-storage": [("1k", "1Ki"), ("2Gi", "2048Mi"), ("100", 100)],
    "nvidia.com/gpu": [(1, "1"), ("2", 2), (0, 0)],
    "example.com/a_B": [("04", "4"), (8, 8)],
}
"""By resource: requests, and limits that cover them."""
_CHOSEN = [
    (name, request, limit, side)
    for name, pairs in _PAIRS.items()
    for request, limit in pairs
    for side in ("both", "limits", "requests")
]


def _as_resources(chosen: list[tuple[str, int | str, int | str, str]]) -> Json:
    """Return requests and limits, which may be empty; a device always has a limit."""
    requests = {name: request for name, request, _, side in chosen if side != "limits"}
    limits = {name: limit for name, _, limit, side in chosen if side != "requests" or "/" in name}
    return {"requests": requests, "limits": limits}


def _cpu_once(sized: Json) -> Json:
    """Return *sized* without cpu if resources name it too."""
    named = [name for side in sized.get("resources", {}).values() for name in side]
    return {name: value for name, value in sized.items() if name != "cpu" or "cpu" not in named}


_resources = st.lists(st.sampled_from(_CHOSEN), max_size=3, unique_by=lambda chosen: chosen[0]).map(_as_resources)
memory_and_cpu = st.fixed_dictionaries(
    {}, optional={"memory": whole_bytes, "cpu": amounts, "resources": st.one_of(st.just({}), _resources, _resources)}
).map(_cpu_once)
