"""Bad images, ports, probes and rollouts; what is there twice; wrong words and types."""

from tests.api.examples.schedule import schedule, window
from tests.requests.builders import Json

CACHE = {"name": "cache", "emptyDir": {}}
SELECTOR = {"matchLabels": {"a": "b"}}
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": SELECTOR}


def _port(number: int | str | None = None, name: str | None = None) -> Json:
    return {"ports": [{"containerPort": 80 if number is None else number, **({} if name is None else {"name": name})}]}


def _probed(port: int | str, probe: str = "livenessProbe") -> Json:
    return {probe: {"httpGet": {"port": port}}}


def _hooked(hook: str = "preStop", **handler: Json) -> Json:
    return {"lifecycle": {hook: handler}}


def _exposed(**fields: str | Json) -> Json:
    return {**_port(name="http"), "expose": {"host": "web.example.com", **fields}}


def _init(name: str = "init", **fields: object) -> Json:
    return {"initContainers": [{"name": name, "image": "init:1", **fields}]}


def _rolling(surge: int | str, unavailable: int | str) -> Json:
    return {"strategy": {"rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}}


def _scaled(**fields: object) -> Json:
    return {"autoscaling": {"maxReplicas": 9, "targetMemoryUtilizationPercentage": 80, **fields}}


_POLICY = {"type": "Pods", "value": 1, "periodSeconds": 60}

REFUSED: dict[str, list[Json]] = {
    "a number out of bounds": [
        *(_port(number) for number in (0, 65536, -1)),
        *(_probed(number) for number in (0, 65536, -1)),
        *(_rolling(number, 1) for number in (-1, 2**31)),
        *(_rolling(1, number) for number in (-1, 2**31, "101%")),
        {"replicas": -1},
        *(_scaled(**{field: number}) for field in ("minReplicas", "maxReplicas") for number in (-1, 0, 1001)),
        *(_scaled(targetMemoryUtilizationPercentage=number) for number in (-1, 0, 10001)),
        *(
            _scaled(behavior={"scaleUp": {"policies": [{**_POLICY, field: number}]}})
            for field, number in (("value", 0), ("value", 100001), ("periodSeconds", 0), ("periodSeconds", 1801))
        ),
        *(_scaled(behavior={"scaleDown": {"stabilizationWindowSeconds": number}}) for number in (-1, 3601)),
        {"revisionHistoryLimit": -1},
        {"terminationGracePeriodSeconds": -1},
        *({field: number} for field in ("runAsUser", "runAsGroup", "fsGroup") for number in (-1, 0, 2**31)),
        {"livenessProbe": {"grpc": {"port": 0}}},
        {"livenessProbe": {"grpc": {"port": 80}, "periodSeconds": 0}},
        *(_hooked(sleep={"seconds": number}) for number in (-1, 0, 3601)),
        _hooked(httpGet={"port": 0}),
        *({"ports": [{"containerPort": 80, "servicePort": number}]} for number in (-1, 0, 65536)),
        {"topologySpreadConstraints": [{**SPREAD, "maxSkew": 0}]},
    ],
    "a schedule that is none": [
        {"schedule": {}},
        {"schedule": {"sleep": []}},
        schedule(*(window(f"{hour:02}:00", f"{hour:02}:30", ["Mon"]) for hour in range(17))),
        schedule(window(days=["Monday"])),
        schedule({"from": "19:00", "to": "07:00"}),
        schedule(window(), window()),
        schedule(window("00:00", "24:00")),
        *(schedule(window(replicas=number)) for number in (-1, 1001)),
        *(schedule(timeZone=name) for name in ("../etc/passwd", "/etc/localtime", "Europe//Berlin", "UTC ", "")),
        schedule(**{"except": ["2026-12-24"] * 65}),
        schedule(overrideUntil="18:00"),
        schedule(overrideUntil="2026-01-31T18:00:00Z", overrideState="Sleeping"),
    ],
    "a name that no port can have": [
        fields for name in ("80", "a--b", "HTTP", "", "a" * 16) for fields in (_port(name=name), _probed(name))
    ],
    "a probe of a port that is not there": [{**_port(name="http"), **_probed("https")}, _probed("http")],
    "a hook of a port that is not there": [{**_port(name="http"), **_hooked(httpGet={"port": "https"})}],
    "a hook without an action or with two": [
        _hooked(),
        _hooked(exec={"command": ["a"]}, sleep={"seconds": 1}),
        _hooked("postStart", tcpSocket={"port": 80}),
    ],
    "a hook that outlives its Pod": [
        _hooked(sleep={"seconds": 30}),
        _hooked("postStart", sleep={"seconds": 30}),
        {**_hooked(sleep={"seconds": 9}), "terminationGracePeriodSeconds": 9},
    ],
    "an init container with the name of another": [
        *(_init(name) for name in ("main", "", "Init", "a.b", "a" * 64)),
        {"initContainers": [*_init()["initContainers"], *_init()["initContainers"]]},
    ],
    "an init container that is not valid": [
        _init(image="Init"),
        _init(restartPolicy="Never"),
        _init(volumeMounts=[{"name": "a", "mountPath": "/a"}]),
        _init(cpu="1", resources={"requests": {"cpu": "1"}}),
    ],
    "more init containers than eight": [{"initContainers": [_init(f"a{n}")["initContainers"][0] for n in range(9)]}],
    "probes and hooks of a container that ends": [
        _init(**_probed(80)),
        _init(**_hooked(sleep={"seconds": 5})),
    ],
    "ports of a sidecar by name": [
        {**_port(name="http"), **_init(restartPolicy="Always", **_probed("http"))},
        {**_port(name="http"), **_init(restartPolicy="Always", **_hooked(httpGet={"port": "http"}))},
    ],
    "a hook of a sidecar that outlives its Pod": [
        _init(restartPolicy="Always", **_hooked(hook, sleep={"seconds": 30})) for hook in ("postStart", "preStop")
    ],
    "an IP address that is none": [
        fields
        for ip in ("", "a", "1.2.3", "1.2.3.04", "::ffff:1.2.3.4", "fe80::1%eth0", "192.0.2.0/24", "1.2.3.4\n")
        for fields in ({"hostAliases": [{"ip": ip, "hostnames": ["a"]}]}, {"dnsConfig": {"nameservers": [ip]}})
    ],
    "a host alias without a name": [{"hostAliases": [{"ip": "192.0.2.1", "hostnames": []}]}],
    "another line of the resolver's configuration": [
        {"dnsConfig": {"options": [option]}}
        for option in ({"name": "a\nnameserver 192.0.2.1"}, {"name": "ndots", "value": "1\nnameserver 192.0.2.1"})
    ],
    "more search domains than a resolver takes": [{"dnsConfig": {"searches": ["a" * 63 + ".b" * 95] * 9}}],
    "one port with two protocols": [{"ports": [{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}]}],
    "one port of the Service twice": [{"ports": [{"containerPort": 80}, {"containerPort": 81, "servicePort": 80}]}],
    "one port twice": [{"ports": [{"containerPort": 53}, {"containerPort": 53, "protocol": "TCP"}]}],
    "a port named as one without a name would be": [{"ports": [{"containerPort": 80, "name": "tcp-81"}]}],
    "a key that children do not get": [
        {"propagate": {field: [key]}}
        for field in ("labels", "annotations")
        for key in (
            "myresource",
            "controller-uid",
            "mygroup.example.com/applied",
            "app.kubernetes.io/name",
            "metacontroller.k8s.io/last-applied-configuration",
            "*",
            "",
            "a b",
        )
    ],
    "a headless Service with an address": [
        {**_port(), "service": {"clusterIP": "None", **more}}
        for more in ({"type": "NodePort"}, {"type": "LoadBalancer"}, {"sessionAffinity": "ClientIP"})
    ],
    "an address for the Service": [{"service": {"clusterIP": address}} for address in ("", "10.0.0.7", "none")],
    "a rolling update that can't begin": [_rolling(0, 0), _rolling("0%", 0), _rolling(0, "0%")],
    "steps for Recreate": [{"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}}],
    "autoscaling beside replicas": [{"replicas": number, **_scaled()} for number in (0, 2)],
    "autoscaling without a target, or by CPU that is not requested": [
        {"autoscaling": {"maxReplicas": 2}},
        _scaled(targetCPUUtilizationPercentage=80),
    ],
    "more Pods at least than at most": [_scaled(minReplicas=10)],
    "a deadline before a Pod can be ready": [
        {"minReadySeconds": 600},
        {"minReadySeconds": 9, "progressDeadlineSeconds": 9},
    ],
    "an address that no route can have": [
        *(
            _exposed(host=host)
            for host in ("", "*.example.com", "Web.example.com", "192.0.2.1", "a..b", "web:80", "a\n")
        ),
        *(_exposed(path=path) for path in ("", "shop", "/shop/", "//", "/a/../b", "/a b", "/%2f", "/.", "/a\n")),
    ],
    "an address without a port of the Service": [
        {"expose": {"host": "a"}},
        {**_port(), "expose": {"host": "a", "port": "http"}},
        {"ports": [{"containerPort": 53, "protocol": "UDP"}], "expose": {"host": "a"}},
        {**_exposed(), "service": {"mode": "Disabled"}},
    ],
    "a route of two controllers": [
        _exposed(className="nginx", gateway={"name": "shared"}),
        _exposed(tls={"secretName": "a"}, gateway={"name": "shared"}),
    ],
    "the same twice": [
        {"volumes": [CACHE, CACHE]},
        {"volumes": [CACHE], "volumeMounts": [{"name": "cache", "mountPath": "/a"}] * 2},
        {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]},
        {"imagePullSecrets": [{"name": "a"}, {"name": "a"}]},
        {"hostAliases": [{"ip": "192.0.2.1", "hostnames": [name]} for name in "ab"]},
        {"dnsConfig": {"options": [{"name": "ndots", "value": value} for value in "12"]}},
        {"topologySpreadConstraints": [SPREAD, SPREAD]},
        {"livenessProbe": {"httpGet": {"port": 80, "httpHeaders": [{"name": "A", "value": "1"}] * 2}}},
    ],
    "two values for one variable": [
        {"env": [{"name": "A", "value": "1", "valueFrom": {"secretKeyRef": {"name": "a", "key": "a"}}}]}
    ],
    "capitals in the name of an object": [
        {"volumes": [{"name": "cache", "configMap": {"name": "Config"}}]},
        {"volumes": [{"name": "cache", "secret": {"secretName": "Secret"}}]},
        {"volumes": [{"name": "cache", "persistentVolumeClaim": {"claimName": "Claim"}}]},
        {"imagePullSecrets": [{"name": "Secret"}]},
        {"imagePullSecrets": [{"name": ""}]},
        {"envFrom": [{"secretRef": {"name": "Secret"}}]},
        {"serviceAccountName": "Robot"},
        {"hostAliases": [{"ip": "192.0.2.1", "hostnames": ["Host"]}]},
        {"dnsConfig": {"searches": ["Example.com"]}},
        {"priorityClassName": "High"},
    ],
    "an image that can't be pulled": [
        {"image": image}
        for image in ("", " nginx", "nginx ", "ng inx", "nginx:", "Nginx", "nginx@sha256:12", "a" * 513)
    ],
    "a command without a program": [
        {"command": ["", "a"]},
        {"livenessProbe": {"exec": {"command": [""]}}},
        {"livenessProbe": {"exec": {"command": []}}},
        _hooked(exec={"command": [""]}),
    ],
    "a variable's name that is none": [
        {"env": [{"name": name}]} for name in ("1A", "A B", "", "..", ".", "A=B", "a" * 254)
    ],
    "a word that is not one of those": [
        {"imagePullPolicy": "Sometimes"},
        {"securityProfile": "Privileged"},
        {"podDisruptionBudget": "Always"},
        {"service": {"mode": "Maybe"}},
        {"service": {"type": "ExternalName"}},
        {"strategy": {"type": "OnDelete"}},
        {"rollback": {"mode": "Auto"}},
        {"ports": [{"containerPort": 80, "protocol": "tcp"}]},
        {"volumes": [{"name": "cache", "emptyDir": {"medium": "HugePages"}}]},
    ],
    "a wrong type": [
        {"replicas": "3"},
        {"replicas": True},
        {"replicas": 1.5},
        {"suspend": "true"},
        {"image": 1},
        {"memory": 1.5},
        {"memory": True},
        {"command": "sh"},
        {"env": {"A": "1"}},
        {"env": [None]},
        {"env": [{"name": "A", "value": 1}]},
        {"podMetadata": {"labels": {"a": 1}}},
        {"service": []},
        {"livenessProbe": {"httpGet": "http"}},
        {"volumes": [{"name": "cache", "secret": {"secretName": "a", "optional": "yes"}}]},
    ],
}
