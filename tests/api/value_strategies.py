"""What hypothesis makes of the spec's nouns: often valid, often just not."""

from hypothesis import strategies as st

from tests.requests.builders import Json

Fields = st.SearchStrategy[Json]

LETTERS = "aB0-_./: %é\n\u212a٣"
"""One letter of each kind, among them a digit that is no ASCII digit and the sign for Kelvin."""

texts = st.text(LETTERS, max_size=6) | st.sampled_from(["a" * length for length in (15, 16, 63, 64, 253, 254)])
LONG_PREFIX = ".".join(["a" * 63] * 4)
"""255 characters."""
known_keys = st.sampled_from(["a", "b", "example.com/a", "kubernetes.io/a", f"{LONG_PREFIX}/a", f"{LONG_PREFIX[2:]}/a"])
keys = texts | st.builds("{}/{}".format, texts, texts) | known_keys
names = texts | st.sampled_from(["a", "b"])
addresses = st.sampled_from(
    [
        "1.2.3.4",
        "255.255.255.255",
        "::",
        "::1",
        "2001:DB8::1.2.3.4",
        "1.2.3",
        "01.2.3.4",
        "1::2::3",
        "::ffff:1.2.3.4",
        "::1%a",
    ]
) | st.text("0123456789af:.%/ ", max_size=20)
numbers = st.sampled_from([-1, 0, 1, 2, 8080, 65535, 65536, 2**31, 2**63 - 1])
suffixes = st.sampled_from(
    ["", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "n", "e3", "K", " "]
)
fractions = st.sampled_from(["", ".", ".0", ".5", ".25", ".125", ".1", ".001", ".0625", ",5"])
digits = st.sampled_from(["", "0", "00", "1", "-1", "+1", "999999", "1000000", "9" * 15, "1" + "0" * 15, "٣"])
amounts = st.builds("{}{}{}".format, digits, fractions, suffixes) | numbers | st.integers(10**15 - 1, 10**15)
values = st.sampled_from(["", "a", "B_1", "-a", "a" * 63, "a" * 64, "7", "é"])


def some(**members: st.SearchStrategy[object]) -> Fields:
    """Return objects with any of *members*."""
    return st.fixed_dictionaries({}, optional=members)


def listed(items: Fields, most: int = 3) -> st.SearchStrategy[list[Json]]:
    """Return short lists of *items*."""
    return st.lists(items, max_size=most)


resource_keys = st.sampled_from(
    ["cpu", "memory", "ephemeral-storage", "a.b/c", "foo", "requests.a/b", "kubernetes.io/a"]
)
fair_amounts = st.sampled_from([0, 1, 2, "1", "1000m", "1.0", "1k", "1Ki", "1Gi", "1.5Gi", "0.5", "x"])
resources = some(
    requests=st.dictionaries(resource_keys, fair_amounts, max_size=3),
    limits=st.dictionaries(resource_keys, fair_amounts, max_size=3),
)
handler = st.fixed_dictionaries({"port": st.sampled_from([0, 1, 80, "http", "80", "HTTP", ""])})
probe = st.one_of(
    some(httpGet=handler, periodSeconds=numbers),
    some(tcpSocket=handler, successThreshold=numbers),
    some(exec=st.fixed_dictionaries({"command": st.lists(texts, max_size=2)}), httpGet=handler),
    some(grpc=handler, terminationGracePeriodSeconds=numbers),
)
hook = some(
    exec=st.fixed_dictionaries({"command": st.lists(texts, max_size=2)}),
    httpGet=handler,
    sleep=st.fixed_dictionaries({"seconds": st.sampled_from([0, 1, 29, 30, 31])}),
)
port = some(
    name=st.sampled_from(["http", "a", "80", "tcp-80", "a--b", "A", ""]),
    containerPort=st.sampled_from([0, 80, 81, 65535, 65536]),
    servicePort=st.sampled_from([0, 80, 81, 65536]),
    protocol=st.sampled_from(["TCP", "UDP", "SCTP", "tcp"]),
)
operators = st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", ""])
expression = st.fixed_dictionaries(
    {"key": keys, "operator": operators}, optional={"values": st.lists(values, max_size=2)}
)
selector = some(matchLabels=st.dictionaries(keys, values, max_size=2), matchExpressions=listed(expression, 2))
spread = st.fixed_dictionaries(
    {
        "maxSkew": numbers,
        "topologyKey": st.sampled_from(["a", "b"]),
        "whenUnsatisfiable": st.sampled_from(["DoNotSchedule", "ScheduleAnyway"]),
        "labelSelector": selector,
    },
    optional={"minDomains": numbers},
)
toleration = some(
    key=st.sampled_from(["a", "a b"]),
    operator=st.sampled_from(["Exists", "Equal"]),
    value=values,
    effect=st.sampled_from(["NoSchedule", "NoExecute", "Never"]),
    tolerationSeconds=numbers,
)
key_ref = st.fixed_dictionaries({"name": names, "key": names})
variable = st.fixed_dictionaries(
    {"name": names},
    optional={
        "value": st.sampled_from(["", "a", "x" * 65536]),
        "valueFrom": some(
            secretKeyRef=key_ref,
            fieldRef=st.fixed_dictionaries({"fieldPath": st.builds("metadata.labels['{}']".format, keys)}),
            resourceFieldRef=some(
                resource=st.sampled_from(["limits.cpu", "limits.memory"]),
                divisor=st.sampled_from(["1", "1m", "1k", "2"]),
            ),
        ),
    },
)
volume = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b", "A"])},
    optional={
        "emptyDir": some(sizeLimit=fair_amounts, medium=st.sampled_from(["", "Memory", "Disk"])),
        "secret": st.fixed_dictionaries({"secretName": names}),
        "configMap": st.fixed_dictionaries({"name": names}, optional={"items": listed(some(key=names, path=texts))}),
    },
)
mount = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b"]), "mountPath": st.sampled_from(["/a", "/b", "a", "/", "/a:b"])},
    optional={"subPath": texts},
)
steps = st.sampled_from([0, 1, -1, 2**31, "0%", "25%", "100%", "101%", "00%", "1.5%", "%", "1"])
strategy = some(
    type=st.sampled_from(["RollingUpdate", "Recreate", ""]),
    rollingUpdate=some(maxSurge=steps, maxUnavailable=steps),
)

NOUNS: dict[str, Fields] = {
    "name": some(name=texts),
    "image": some(image=texts | st.builds("{}/{}:{}".format, texts, texts, texts)),
    "memory": some(memory=amounts),
    "cpu": some(cpu=amounts, resources=resources),
    "resources": some(resources=resources),
    "labels": some(podMetadata=some(labels=st.dictionaries(keys, values, max_size=2))),
    "annotations": some(podMetadata=some(annotations=st.dictionaries(keys, texts, max_size=2))),
    "service": some(
        service=some(
            annotations=st.dictionaries(keys, texts, max_size=2),
            type=st.sampled_from(["ClusterIP", "NodePort"]),
            clusterIP=st.sampled_from(["None", ""]),
            sessionAffinity=st.sampled_from(["None", "ClientIP"]),
        )
    ),
    "propagate": some(propagate=some(labels=st.lists(keys, max_size=2), annotations=st.lists(keys, max_size=2))),
    "nodeSelector": some(nodeSelector=st.dictionaries(keys, values, max_size=2)),
    "ports": some(ports=listed(port)),
    "probes": some(ports=listed(port), livenessProbe=probe, readinessProbe=probe, startupProbe=probe),
    "lifecycle": some(
        ports=listed(port),
        lifecycle=some(postStart=hook, preStop=hook),
        terminationGracePeriodSeconds=st.sampled_from([-1, 0, 30, 31]),
    ),
    "initContainers": some(
        initContainers=listed(
            some(
                name=st.sampled_from(["a", "b", "main", "A", ""]),
                image=st.sampled_from(["a", "A"]),
                restartPolicy=st.sampled_from(["Always", "Never"]),
                readinessProbe=probe,
                lifecycle=some(postStart=hook, preStop=hook),
                volumeMounts=listed(mount),
                cpu=fair_amounts,
                resources=resources,
            )
        ),
        volumes=listed(volume),
        terminationGracePeriodSeconds=st.sampled_from([0, 30, 31]),
    ),
    "dnsConfig": some(
        dnsConfig=some(
            nameservers=st.lists(addresses, max_size=4),
            searches=st.lists(names | st.sampled_from([".", "a.", "a..", "b" * 63 + ".b" * 95]), max_size=12),
            options=listed(some(name=names, value=st.sampled_from(["", "2", "a", "1\n"]))),
        )
    ),
    "hostAliases": some(hostAliases=listed(some(ip=addresses, hostnames=st.lists(names, max_size=2)))),
    "tolerations": some(tolerations=listed(toleration)),
    "spreads": some(topologySpreadConstraints=listed(spread)),
    "env": some(env=listed(variable), command=st.lists(texts, max_size=2)),
    "volumes": some(volumes=listed(volume), volumeMounts=listed(mount)),
    "scaling": some(
        cpu=st.just("1"),
        replicas=st.sampled_from([0, 1, 2]),
        autoscaling=some(
            minReplicas=numbers,
            maxReplicas=numbers,
            targetCPUUtilizationPercentage=numbers,
            targetMemoryUtilizationPercentage=numbers,
        ),
    ),
    "rollout": some(strategy=strategy, minReadySeconds=numbers, progressDeadlineSeconds=numbers),
}
"""Arguments of ``my_resource``, by noun."""
