"""Bad quantities and resources."""

from tests.requests.builders import Json


def _quantity(amount: int | str) -> list[Json]:
    return [{"memory": amount}, {"cpu": amount}, {"resources": {"limits": {"cpu": amount}}}]


REFUSED: dict[str, list[Json]] = {
    "a negative quantity": _quantity(-1),
    "more than the limit": [
        {"resources": {"requests": {"cpu": 2}, "limits": {"cpu": 1}}},
        {"cpu": 2, "resources": {"limits": {"cpu": 1}}},
        {"resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}},
    ],
    "a resource that containers don't have": [
        {"resources": {"limits": {key: 1}}} for key in ("foo", "CPU", "pods", "requests.cpu", "hugepages-2Mi")
    ],
    "a vendor's resource in parts": [{"resources": {"limits": {"example.com/gpu": "500m"}}}],
    "memory that is no number of bytes, or none": [{"memory": amount} for amount in ("10m", "0.5", "0", 0, "0Mi")],
    "a quantity in a form that is not ours": [
        fields for amount in ("1e-3", ".5", "1.", "+1", "1n", "1" * 30) for fields in _quantity(amount)
    ],
}
