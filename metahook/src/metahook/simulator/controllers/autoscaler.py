"""A HorizontalPodAutoscaler for each Deployment, whose minReplicas are more than the Deployment has at first.

It needs no metrics for that. Source: Kubernetes, pkg/controller/podautoscaler/horizontal.go, ``reconcileAutoscaler``.
"""

from metahook.simulator.apiserver.server_side_apply import SCALER
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.clock import Clock, Timer
from metahook.simulator.objects import Json, Key, key_of

PERIOD = 15.0
"""Seconds."""

MORE = 2
"""How many more replicas it sets."""


class Autoscaler:
    """Scales Deployments from ``start`` to ``stop``, to a number that stays the same."""

    def __init__(self, api: ApiServer, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._least: dict[Key, int] = {}
        self._next: Timer | None = None

    def start(self) -> None:
        """Begin to scale at once, and check again in each period."""
        self.stop()
        self._check()

    def stop(self) -> None:
        """Scale no more; Deployments stay as they are."""
        self._least.clear()
        if self._next:
            self._next.cancelled = True
            self._next = None

    def _check(self) -> None:
        scaled = [self._scale(item) for item in self._api.all("Deployment")]
        self._next = self._clock.after(PERIOD, self._check, idle=not any(scaled))

    def _scale(self, item: Json) -> bool:
        """Scale the Deployment *item*; tell whether it has fewer replicas than desired."""
        least = self._least.setdefault(key_of(item), item["spec"]["replicas"] + MORE)
        if item["spec"]["replicas"] >= least:
            return False
        self._api.patch(key_of(item), lambda live: {**live, "spec": {**live["spec"], "replicas": least}}, SCALER)
        return True
