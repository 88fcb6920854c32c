"""A kubelet for all Pods: gives them a node, starts their containers, and tells what became of them."""

from collections.abc import Callable

from app.simulator.apiserver.store import ApiServer
from app.simulator.clock import Clock, Plan
from app.simulator.controllers.fate import Fate, Times, fate_of
from app.simulator.controllers.pod_status import creating, ended, is_ready, no_image, running
from app.simulator.history import Write
from app.simulator.objects import Json, deleting, key_of

NAME = "kubelet"


class Kubelet:
    """Each Pod goes its way from Pending, by the fate of its image; ``fail`` changes the fate of all."""

    def __init__(self, api: ApiServer, clock: Clock, times: Times = Times()) -> None:  # noqa: B008 - a frozen value
        self._api = api
        self._clock = clock
        self._times = times
        self._fate: Fate | None = None
        self._ending: set[str] = set()
        self._restarts: dict[str, Plan] = {}
        api.watch(self._changed)

    def fail(self, fate: Fate | None) -> None:
        """Let all containers have this *fate* from now on, those that run too; None gives each image its own again."""
        self._fate = fate
        for pod in self._api.all("Pod"):
            if self._of(pod) in (Fate.CRASH, Fate.OOM):
                self._ended(pod, self._of(pod), restarts=0)
            elif not is_ready(pod):
                self._start(pod)

    def _changed(self, write: Write) -> None:
        if write.key.kind != "Pod" or write.after is None:
            return
        if write.before is None:
            self._start(write.after)
        elif deleting(write.after) and write.after["metadata"]["uid"] not in self._ending:
            self._ending.add(write.after["metadata"]["uid"])
            self._clock.after(self._times.stop, lambda: self._api.remove(write.key, NAME))

    def _start(self, pod: Json) -> None:
        fate = self._of(pod)
        self._later(self._times.schedule, pod, fate, creating)
        if fate is Fate.BAD_IMAGE:
            self._later(self._times.pull, pod, fate, no_image)
        elif fate in (Fate.CRASH, Fate.OOM):
            self._clock.after(self._times.pull, lambda: self._ended(pod, fate, restarts=0))
        else:
            takes = self._times.slow_start if fate is Fate.SLOW else self._times.start
            self._later(self._times.pull + takes + _first_probe(pod), pod, fate, running)

    def _later(self, seconds: float, pod: Json, fate: Fate, status: Callable[[Json, Clock], Json]) -> None:
        self._clock.after(seconds, lambda: self._tell(pod, fate, status))

    def _ended(self, pod: Json, fate: Fate, restarts: int) -> None:
        """Tell that the container ended, and start it again after a while; from the third time on it is no news."""
        uid = pod["metadata"]["uid"]
        if uid in self._restarts:
            self._restarts.pop(uid).cancelled = True
        if self._tell(pod, fate, lambda live, clock: ended(live, clock, restarts, oom=fate is Fate.OOM)):
            wait = min(self._times.back_off * 2.0 ** min(restarts, 10), self._times.longest_back_off)
            again = self._clock.after(wait, lambda: self._ended(pod, fate, restarts + 1), idle=restarts > 0)
            self._restarts[uid] = again

    def _of(self, pod: Json) -> Fate:
        images = [container["image"] for container in pod["spec"]["containers"]]
        return self._fate or next((fate for fate in map(fate_of, images) if fate is not Fate.RUNS), Fate.RUNS)

    def _tell(self, pod: Json, fate: Fate, status: Callable[[Json, Clock], Json]) -> bool:
        """Write the *status*, unless the Pod is gone, is going, or has another fate by now."""
        live = self._api.get(key_of(pod))
        same = live is not None and live["metadata"]["uid"] == pod["metadata"]["uid"]
        if live is None or not same or deleting(live) or self._of(live) is not fate:
            return False
        self._api.update_status({**live, "status": status(live, self._clock)}, NAME)
        return True


def _first_probe(pod: Json) -> float:
    """Return after how many seconds the readiness probes have succeeded for the first time."""
    probes = [container.get("readinessProbe") for container in pod["spec"]["containers"]]
    return max((probe.get("initialDelaySeconds", 0) + 0.5 for probe in probes if probe), default=0.0)
