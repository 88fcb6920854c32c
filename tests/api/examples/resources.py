"""Examples of the rules of memory, CPU and resources."""

from collections.abc import Callable

from app.api.resources import MINIMUM_MEMORY
from tests.api.examples.case import Example
from tests.requests.builders import Json

GOOD_BYTES: list[int | str] = [
    1, 10**15 - 1, "1", "128Mi", "1.5Gi", "0.5Ki", "1G", "1.5k", "0.001k", "1.50Gi", "0.125Mi", "999999Ti",
]  # fmt: skip
BAD_BYTES = [
    *("0", "0Mi", "0.0Gi", "000", "100m", "0.5", "1.2Gi", "1.3Ki", "1.", ".5Gi", "+1", "-1", "1e3", "1E", "1Pi", "1n"),
    *("", " 1", "1 ", "1\n", "64mb", "64MI", "64M i", "1234567Mi", "1.0000Gi", "1" * 16, "٣Mi", "0x10", "1,5Gi"),
]
SCARCE: list[int | str] = [1, 100, "100", "1k", "1Mi", "6M", "5.875Mi", 6 * 1024**2 - 1]
"""Too little memory for a container to start; the last one by a byte."""
ENOUGH: list[int | str] = ["6Mi", 6 * 1024**2, "6144Ki", "6.5M", "0.5Gi", 10**15 - 1, "999999Ti"]
GOOD_AMOUNTS: list[int | str] = [
    0, 1, 10**15 - 1, "0", "0m", "100m", "2", "0.5", "1.001", "1.5k", "1Gi", "1.2Gi", "999999T",
]  # fmt: skip
BAD_AMOUNTS = ["", "m", "1.5m", ".5", "1.", "+1", "-1", "1e3", "1u", "1n", "1E", "1Pi", "1 ", "1.0000", "x", "1" * 16]
VENDOR = "example.com/gpu"
NO_RESOURCES = ["", "foo", "CPU", "pods", "requests.cpu", "hugepages-2Mi", "example.com", "cpu ", "memory\n"]
NO_VENDORS = [
    *("/gpu", "a/", "a/b/c", "a b/c", "é/x", f"{VENDOR}\n", "Example.com/x", "a/" + "x" * 64, "a" * 64 + "/x"),
    *("kubernetes.io/x", "sub.kubernetes.io/x", "requests.example.com/x", f"{'a.' * 126}a/x"),
    f"{'a.' * 122}a/x",  # with "requests." before it, as in a quota, the prefix has 254 characters
]


def _volume(limit: int | str) -> Json:
    return {"volumes": [{"name": "cache", "emptyDir": {"sizeLimit": limit}}]}


def _bytes(path: str, place: Callable[[int | str], Json], good: list[int | str]) -> Example:
    return Example(
        path=path,
        says="must be a whole number of bytes above 0",
        good=[place(amount) for amount in good],
        bad=[place(amount) for amount in BAD_BYTES],
    )


def _enough(path: str, says: str, place: Callable[[int | str], Json]) -> Example:
    return Example(
        path=path,
        says=says,
        good=[place(amount) for amount in ENOUGH],
        bad=[place(amount) for amount in SCARCE],
        crd_only=True,
    )


def _amount(path: str, place: Callable[[int | str], Json]) -> Example:
    return Example(
        path=path,
        says="must be a quantity: CPU such as",
        good=[place(amount) for amount in GOOD_AMOUNTS],
        bad=[place(amount) for amount in BAD_AMOUNTS],
    )


def _amounts(side: str) -> list[Example]:
    def given(amounts: Json) -> Json:
        return {"resources": {side: amounts}}

    return [
        Example(
            path=f"spec.resources.{side}",
            says="each key must be cpu",
            good=[given({}), given({"cpu": 1, "memory": "1Gi", "ephemeral-storage": 1})],
            bad=[given({key: 1}) for key in NO_RESOURCES] + [given({"cpu": 1, "foo": 1})],
        ),
        Example(
            path=f"spec.resources.{side}",
            says="memory and ephemeral-storage must be",
            good=[given({"memory": "1.5Gi"}), given({"ephemeral-storage": 1}), given({"cpu": "100m"})],
            bad=[
                given({"memory": "100m"}),
                given({"memory": 0}),
                given({"memory": "0Mi"}),
                given({"ephemeral-storage": "0.5"}),
                given({"memory": "1Gi", "ephemeral-storage": "1.2Gi"}),
            ],
        ),
        _amount(f"spec.resources.{side}{{}}", lambda amount: given({"cpu": amount})),
    ]


VENDOR_KEYS = Example(
    path="spec.resources.limits",
    says="each key must be cpu",
    good=[{"resources": {"limits": {VENDOR: 1, "a/b_c.D": 2, "mykubernetes.io/x": 1, f"{'a.' * 121}aa/x": 1}}}],
    bad=[{"resources": {"limits": {key: 1}}} for key in NO_VENDORS],
)
DEVICES_IN_LIMITS = Example(
    path="spec.resources.limits",
    says="an extended resource must be a whole number",
    good=[{"resources": {"limits": {VENDOR: amount}}} for amount in (0, 1, "2")],
    bad=[{"resources": {"limits": {VENDOR: amount}}} for amount in ("100m", "0.5", "1k", "1Ki", "1.0")],
)
DEVICES_IN_REQUESTS = Example(
    path="spec.resources.requests",
    says="an extended resource must be a whole number",
    good=[{"resources": {"requests": {VENDOR: 1}, "limits": {VENDOR: "1"}}}],
    bad=[
        {"resources": {"requests": {VENDOR: one}, "limits": {VENDOR: other}}}
        for one, other in (("1000m", 1), ("1.0", 1), ("1k", 1000), ("1Ki", 1024))
    ],
)
BOTH = [
    Example(
        path="spec.resources",
        says="a request must not exceed the limit of the same resource",
        good=[
            {"resources": {"requests": {"cpu": one}, "limits": {"cpu": other}}}
            for one, other in (("1", 1), ("1000m", 1), ("100m", "0.1"), ("999m", 1), ("1000", "1k"), ("1000", "1Ki"))
        ]
        + [
            {"resources": {"requests": {"cpu": 2}, "limits": {"memory": "1Gi"}}},
            {"resources": {"requests": {"cpu": 2}}},
        ],
        bad=[
            {"resources": {"requests": {"cpu": one}, "limits": {"cpu": other}}}
            for one, other in ((2, 1), ("1001m", 1), (1, "999m"), ("1Ki", "1k"), ("1.001", "1"), ("0.001", 0))
        ]
        + [{"resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": "1G", "cpu": 1}}}],
    ),
    Example(
        path="spec.resources",
        says="an extended resource must have a limit",
        good=[
            {"resources": {"requests": {VENDOR: 1}, "limits": {VENDOR: "1"}}},
            {"resources": {"limits": {VENDOR: 1}}},
            {"resources": {"requests": {"cpu": 1}}},
        ],
        bad=[
            {"resources": {"requests": {VENDOR: 1}}},
            {"resources": {"requests": {VENDOR: 1}, "limits": {}}},
            {"resources": {"requests": {VENDOR: 1}, "limits": {"cpu": 1}}},
            {"resources": {"requests": {VENDOR: 1}, "limits": {VENDOR: 2}}},
            {"resources": {"requests": {"cpu": 1, VENDOR: 1}, "limits": {"cpu": 1, VENDOR: "3"}}},
        ],
    ),
]

EXAMPLES = [
    _bytes("spec.memory", lambda amount: {"memory": amount}, ["128Mi", "1.5Gi", "1G", "1.50Gi", *ENOUGH]),
    _bytes("spec.volumes[].emptyDir.sizeLimit", _volume, GOOD_BYTES),
    _enough("spec.memory", f"must be at least {MINIMUM_MEMORY}", lambda amount: {"memory": amount}),
    _enough(
        "spec.resources.limits",
        f"memory must be at least {MINIMUM_MEMORY}",
        lambda amount: {"resources": {"requests": {"memory": 1}, "limits": {"memory": amount}}},
    ),
    _amount("spec.cpu", lambda amount: {"cpu": amount}),
    *_amounts("requests"),
    *_amounts("limits"),
    VENDOR_KEYS,
    DEVICES_IN_LIMITS,
    DEVICES_IN_REQUESTS,
    *BOTH,
]
