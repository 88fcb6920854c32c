"""Bad specs that no rule with a message in the CRD refuses."""

from tests.api.examples.schedule import schedule
from tests.requests.builders import Json

HOOK_ONLY: dict[str, list[Json]] = {
    "two projected sources with the same path": [
        {
            "volumes": [
                {
                    "name": "all",
                    "projected": {
                        "sources": [
                            {"secret": {"name": "a", "items": [{"key": "a", "path": "same"}]}},
                            {"configMap": {"name": "b", "items": [{"key": "b", "path": "same"}]}},
                        ]
                    },
                }
            ]
        }
    ],
    "source ranges that are no networks": [
        {
            "service": {"annotations": {"service.beta.kubernetes.io/load-balancer-source-ranges": text}, "type": kind},
            "ports": [{"containerPort": 80}],
        }
        for text, kind in (("x", "LoadBalancer"), ("10.0.0.0/8", "ClusterIP"))
    ],
    "a time zone that there is not": [
        schedule(timeZone=name) for name in ("Europe/Bonn", "europe/berlin", "Europe", "zones", "Local", "__init__")
    ],
    "a day that no calendar has": [
        schedule(**{"except": ["2026-02-28", "2026-02-29"]}),
        schedule(overrideUntil="2026-02-30T12:00:00Z"),
    ],
}
"""What CEL can't say within its budget: stored, and InvalidSpec."""
