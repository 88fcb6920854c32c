"""A kubelet for all Pods: gives them a node, starts their containers, and tells what becomes of them."""

from collections.abc import Iterator

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.clock import Clock, Plan
from metahook.simulator.controllers.fate import ENDS, Fate, Times, fate_of
from metahook.simulator.controllers.life import News, life
from metahook.simulator.controllers.pod_status import has_probe, is_over, is_ready
from metahook.simulator.history import Write
from metahook.simulator.objects import Json, controller_of, deleting, key_of

NAME = "kubelet"

_STRIKES = (*ENDS, Fate.EVICTED, Fate.NODE_LOST)
"""Fates that also befall what runs already."""


class Kubelet:
    """Each Pod leads its life from Pending on, by the fate of its image; ``fail`` changes the fate of all."""

    def __init__(self, api: ApiServer, clock: Clock, times: Times = Times()) -> None:  # noqa: B008 - a frozen value
        self._api = api
        self._clock = clock
        self._times = times
        self._fate: Fate | None = None
        self._ending: set[str] = set()
        self._next: dict[str, Plan] = {}
        api.watch(self._changed)

    def fail(self, fate: Fate | None) -> None:
        """Let all containers have this *fate* from now on, those that run too; None gives each image its own again."""
        self._fate = fate
        for pod in self._api.all("Pod"):
            theirs = self._of(pod)
            if theirs in _STRIKES or not is_ready(pod) or (theirs is Fate.UNREADY and has_probe(pod)):
                self._live(pod)

    def _changed(self, write: Write) -> None:
        if write.key.kind != "Pod" or write.after is None:
            return
        if write.before is None:
            self._live(write.after)
        elif deleting(write.after) and write.after["metadata"]["uid"] not in self._ending:
            self._ending.add(write.after["metadata"]["uid"])
            self._clock.after(self._times.stop, lambda: self._api.remove(write.key, NAME))

    def _of(self, pod: Json) -> Fate:
        images = [container["image"] for container in pod["spec"]["containers"]]
        return self._fate or next((fate for fate in map(fate_of, images) if fate is not Fate.RUNS), Fate.RUNS)

    def _live(self, pod: Json) -> None:
        """Let *pod* lead the life of its fate from now on, in place of the one that it led."""
        led = self._next.pop(pod["metadata"]["uid"], None)
        if led:
            led.cancelled = True
        self._wait(pod, life(pod, self._of(pod), self._times, again=self._failed_before(pod)))

    def _failed_before(self, pod: Json) -> bool:
        """Tell whether two Pods of the one that controls *pod* failed: a third one is no news."""
        failed = (other for other in self._api.all("Pod") if is_over(other))
        return sum(controller_of(other) == controller_of(pod) for other in failed) > 1

    def _wait(self, pod: Json, rest: Iterator[News]) -> None:
        news = next(rest, None)
        if news is not None:
            plan = self._clock.after(news.wait, lambda: self._tell(pod, news, rest), idle=news.idle)
            self._next[pod["metadata"]["uid"]] = plan

    def _tell(self, pod: Json, news: News, rest: Iterator[News]) -> None:
        """Write what there is to tell, unless the Pod is gone or is going, and wait for what follows."""
        live = self._api.get(key_of(pod))
        if live is None or live["metadata"]["uid"] != pod["metadata"]["uid"] or deleting(live):
            return
        self._api.update_status({**live, "status": news.status(live, self._clock)}, NAME)
        self._wait(pod, rest)
