"""Random histories of a MyResource: the cluster becomes quiet, and its final state depends on the last spec alone."""

from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key
from tests.requests.builders import MYRESOURCE
from tests.simulated.worlds import both_modes, parent, ready, synced, world


@both_modes
def test_parents_of_one_name_in_two_namespaces_do_not_affect_each_other(mode: Mode) -> None:
    here, there = parent(ports=[{"containerPort": 80}]), parent(namespace="there", image="nginx:2")
    made = world(mode, MYRESOURCE, here, there)
    made.until_quiet()
    key = Key("MyResource", "there", "web")
    assert ready(made) == ready(made, key) == ("True", "Available")

    made.delete(key)
    made.until_quiet()

    assert {each.namespace for each in made.api.all_keys()} == {"default"}
    assert {each.kind for each in made.api.all_keys()} == {"MyResource", "Deployment", "ReplicaSet", "Pod", "Service"}
    assert synced(made).requests == []
