"""Random walks: after any events and any faults, Ready is what the Pods show, and the end that of the last spec."""

from collections.abc import Callable
from itertools import combinations, cycle

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from metahook import Controller
from metahook.simulator.hook import Reply, Unreachable
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json, Key
from tests.plans.events import EVENTS, FEATURES
from tests.plans.plans import ANSWERS, RENEWAL, WATCHED
from tests.plans.scene import GAPS, WITH_PODS, Scene
from tests.plans.workloads import WATCHING
from tests.properties.test_convergence import HASHES, specs_of
from tests.simulated.worlds import DEPLOYMENT, SERVICE, WEB, both_modes
from toolkit.slow import short_or_whole

pytestmark = pytest.mark.no_cover

TWENTY_STEPS = settings(max_examples=60, stateful_step_count=20, phases=[Phase.generate])
"""A walk that fails is not made shorter, which takes minutes."""

KINDS = (*WATCHED, "Pod", "HorizontalPodAutoscaler")

FIXED = tuple(feature for feature in FEATURES if feature not in ("autoscaling", "Pods"))

IGNORED = HASHES | {"replicas", "kubectl.kubernetes.io/restartedAt"}
"""Keys of children: hashes depend on the uid of the MyResource, and others on an autoscaler and on restarts by hand."""


class Walk(RuleBasedStateMachine):
    """Events and faults; half of the rules are faults."""

    mode: Mode
    make: Callable[[], Controller] = staticmethod(lambda: WATCHING)
    more: tuple[str, ...] = ()
    """Features that each spec has."""

    def __init__(self) -> None:
        super().__init__()
        self.scene = Scene(self.mode, self.more, self.make())
        self.world = self.scene.world
        # While a deletion of the MyResource is not observed yet, each sync creates children, which are then collected.
        self.world.max_actions = 20_000
        self.hook = self.world.metacontroller.hook
        # With delays that are all equal, two versions of a child that is kept can follow each other for ever: each sync
        # observes one, and server-side apply writes it over the other.
        delays = cycle([0.004, 0.007, 0.002, 0.005, 0.009])
        self.usual: Callable[..., list[float]] = lambda _: [next(delays)]
        self.world.metacontroller.cache.delays = self.usual

    @rule(features=st.sampled_from([(), *((feature,) for feature in FIXED), *combinations(FIXED, 2)]))
    def choose_features(self, features: tuple[str, ...]) -> None:
        """Apply a spec with other optional fields."""
        self.scene.choose((*self.more, *features))

    @rule(events=st.lists(st.sampled_from([*EVENTS]), min_size=1, max_size=4), gap=st.sampled_from(GAPS))
    def let_happen(self, events: list[str], gap: float) -> None:
        """Let events happen that can, one after the other."""
        for event in events:
            if self.scene.can(event):
                EVENTS[event](self.scene)
                self.world.run(gap)

    @rule(replicas=st.sampled_from([0, 4]))
    def scale_by_hand(self, replicas: int) -> None:
        """Scale the Deployment, as kubectl scale does."""
        self.scene.scale_by_hand(replicas)

    @rule(key=st.sampled_from([DEPLOYMENT, SERVICE]))
    def remove_a_label(self, key: Key) -> None:
        """Remove our label from a child."""
        self._edit(key, lambda item: item["metadata"]["labels"].pop("myresource", None))

    @rule(key=st.sampled_from([WEB, DEPLOYMENT, SERVICE]))
    def delete(self, key: Key) -> None:
        """Delete an object; the next spec creates the MyResource again."""
        if self.world.api.get(key):
            self.world.delete(key)

    @rule(seconds=st.sampled_from([0.006, 0.03, 1, 5, 100]))
    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.world.run(seconds)

    @rule(seconds=st.sampled_from([0, 10]))
    def fault_restart(self, seconds: float) -> None:
        """Metacontroller restarts after a while."""
        self.world.metacontroller.restart(seconds)

    @rule(what=st.sampled_from(ANSWERS), times=st.integers(1, 3))
    def fault_answer(self, what: str, times: int) -> None:
        """The hook fails some times in a row."""
        left = iter(range(times))

        def call(hook: str, body: bytes) -> Reply:
            if next(left, None) is None:
                return self.hook(hook, body)
            if what == "timeout":
                self.hook(hook, body)
                raise Unreachable
            return Reply(int(what), b"", retry_after=1)

        self.world.metacontroller.hook = call

    @rule(kind=st.sampled_from(KINDS), depth=st.integers(1, 3))
    def fault_stale(self, kind: str, depth: int) -> None:
        """A sync observes one kind as it was some changes ago."""
        cache = self.world.metacontroller.cache
        cache.behind = {kind: depth}
        self.scene.run.sync()
        self.world.run(0.001)
        cache.behind = {}
        self.world.clock.after(0.1, self.scene.run.sync)

    @rule(kind=st.sampled_from(KINDS), seconds=st.sampled_from([RENEWAL, 20]))
    def fault_unobserved(self, kind: str, seconds: float) -> None:
        """Events of a kind are lost until its watch restarts."""
        cache = self.world.metacontroller.cache
        cache.delays = lambda write: [] if write.key.kind == kind else self.usual(write)
        self.world.clock.after(seconds, lambda: self._rewatch(kind))

    @rule(kind=st.sampled_from(KINDS), seconds=st.sampled_from([0.02, 2.0]))
    def fault_late(self, kind: str, seconds: float) -> None:
        """Events of a kind come late."""
        cache = self.world.metacontroller.cache
        cache.delays = lambda write: [seconds] if write.key.kind == kind else self.usual(write)

    @rule(seconds=st.sampled_from([1, 30]))
    def fault_stopped(self, seconds: float) -> None:
        """The Deployment controller stops for a while."""
        self.world.deployments.stop()
        self.world.clock.after(seconds, self.world.deployments.start)

    def teardown(self) -> None:
        """End the faults, apply a valid spec, and check the final state."""
        for kind in KINDS:
            self._rewatch(kind)
        self.world.metacontroller.hook = self.hook
        self.world.deployments.start()
        self.world.run(RENEWAL)
        self.world.until_quiet(100)
        # Metacontroller takes a deletion and a creation that its watch missed for a change of the status alone.
        self.scene.run.sync()
        wrong = self.scene.problems_at_the_end()

        assert not wrong, wrong
        fresh = self.scene.fresh(self.make())
        assert specs_of(self.world, IGNORED) == specs_of(fresh.world, IGNORED)

    def _rewatch(self, kind: str) -> None:
        self.world.metacontroller.cache.delays = self.usual
        self.world.metacontroller.cache.rewatch(kind)

    def _edit(self, key: Key, change: Callable[[Json], object]) -> None:
        if self.world.api.get(key):
            self.world.edit(key, change)


WALKS: dict[str, Json] = {
    "fixed": {},
    "autoscaled": {"more": ("autoscaling",)},
    "Pods are watched": {"make": staticmethod(lambda: WITH_PODS)},
}


@pytest.mark.slow
@both_modes
@pytest.mark.parametrize("kind", WALKS)
def test_a_walk_ends_in_the_state_of_its_last_spec(mode: Mode, kind: str) -> None:
    walk, examples = type("Walk", (Walk,), {"mode": mode, **WALKS[kind]}), short_or_whole(4, 200)
    few = settings(TWENTY_STEPS, max_examples=examples // 2 if "make" in WALKS[kind] else examples)
    run_state_machine_as_test(walk, settings=few)
