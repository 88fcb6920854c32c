"""Random walks: after any edits and any faults, the final state is that of the last spec."""

from collections.abc import Callable

import pytest
from hypothesis import Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from metahook import Controller
from metahook.simulator.hook import Reply, Unreachable
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.objects import Json, Key
from tests.plans import broken
from tests.plans.plans import ANSWERS, RENEWAL, WATCHED
from tests.plans.workload_run import WorkloadRun
from tests.plans.workloads import ENV, INVALID, LAST_READY, PLAIN, PORT, Workload, spec
from tests.properties.test_convergence import specs_of
from tests.simulated.worlds import DEPLOYMENT, SERVICE, WEB, both_modes, parent, ready
from tests.slow import short_or_whole

pytestmark = pytest.mark.no_cover

TWENTY_STEPS = settings(max_examples=60, stateful_step_count=20)

GOOD: list[Json] = [{}, PORT, {"replicas": 3, **PORT}, {"image": "nginx:1.28"}, ENV, LAST_READY]
BAD: list[Json] = [INVALID, {"image": "nginx:bad"}, {"image": "nginx:bad", **LAST_READY}]


class Walk(RuleBasedStateMachine):
    """Edits and faults; half of the rules are faults."""

    mode: Mode
    make: Callable[[], Controller] = staticmethod(lambda: PLAIN)

    def __init__(self) -> None:
        super().__init__()
        self.run = WorkloadRun(self.mode, self.make())
        self.world = self.run.world
        self.hook = self.world.metacontroller.hook
        self.usual = self.world.metacontroller.cache.delays
        self.fields: Json = {}
        self.world.apply(parent())

    @rule(fields=st.sampled_from([*GOOD, *BAD]))
    def give_another_spec(self, fields: Json) -> None:
        """Apply another spec, perhaps an invalid one."""
        self.fields = fields
        self.world.apply(parent(**fields))

    @rule(replicas=st.sampled_from([0, 4]))
    def scale_by_hand(self, replicas: int) -> None:
        """Scale the Deployment, as kubectl scale does."""
        self._edit(DEPLOYMENT, lambda item: item["spec"].update(replicas=replicas))

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

    @rule(kind=st.sampled_from(WATCHED), depth=st.integers(1, 3))
    def fault_stale(self, kind: str, depth: int) -> None:
        """A sync observes one kind as it was some changes ago."""
        cache = self.world.metacontroller.cache
        cache.behind = {kind: depth}
        self.run.sync()
        self.world.run(0.001)
        cache.behind = {}
        self.world.clock.after(0.1, self.run.sync)

    @rule(kind=st.sampled_from(WATCHED))
    def fault_unobserved(self, kind: str) -> None:
        """Events of a kind are lost until its watch restarts."""
        cache = self.world.metacontroller.cache
        cache.delays = lambda write: [] if write.key.kind == kind else self.usual(write)
        self.world.clock.after(RENEWAL, lambda: self._rewatch(kind))

    @rule(kind=st.sampled_from(WATCHED), seconds=st.sampled_from([0.02, 2.0]))
    def fault_late(self, kind: str, seconds: float) -> None:
        """Events of a kind come late."""
        cache = self.world.metacontroller.cache
        cache.delays = lambda write: [seconds] if write.key.kind == kind else self.usual(write)

    def teardown(self) -> None:
        """End the faults, apply a valid spec if there is none, and check the final state."""
        for kind in WATCHED:
            self._rewatch(kind)
        self.world.metacontroller.hook = self.hook
        self.world.run(RENEWAL)
        self.world.until_quiet()
        if self.fields in BAD or not self.world.api.get(WEB):
            self.fields = GOOD[0]
            self.world.apply(parent())
        found = self.run.execute(Workload((), ()))

        assert found.wrong_deletes == []
        assert found.late_writes == []
        assert ready(self.world) == ("True", "Available")
        fresh = WorkloadRun(self.mode, self.make())
        fresh.execute(Workload((), (spec(**self.fields),)))
        assert specs_of(self.world) == specs_of(fresh.world)

    def _rewatch(self, kind: str) -> None:
        self.world.metacontroller.cache.delays = self.usual
        self.world.metacontroller.cache.rewatch(kind)

    def _edit(self, key: Key, change: Callable[[Json], object]) -> None:
        if self.world.api.get(key):
            self.world.edit(key, change)


@pytest.mark.slow
@both_modes
def test_a_walk_ends_in_the_state_of_its_last_spec(mode: Mode) -> None:
    walks = settings(TWENTY_STEPS, max_examples=short_or_whole(20, 1000))
    run_state_machine_as_test(type("Walk", (Walk,), {"mode": mode}), settings=walks)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    short_or_whole([broken.remembers_in_the_status], [broken.remembers_in_the_process, broken.remembers_in_the_status]),
)
def test_walks_find_a_mistake(make: Callable[[], Controller]) -> None:
    assert any(_finds_a_mistake(make, number) for number in range(4, 12))


def _finds_a_mistake(make: Callable[[], Controller], number: int) -> bool:
    """Tell whether the walks with this seed fail. About every second seed makes one that does."""
    walk = seed(number)(type("Walk", (Walk,), {"mode": MODES[0], "make": staticmethod(make)}))
    try:
        run_state_machine_as_test(walk, settings=settings(TWENTY_STEPS, phases=[Phase.generate]))
    except AssertionError:
        return True
    return False
