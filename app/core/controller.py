"""The controller of MyResource, for the service and for the commands: its kinds, and its two hooks."""

from functools import partial

from app.api.names import API_VERSION, KIND, PLURAL
from app.api.reading import InvalidSpec, lacks_default
from app.core.child_metadata import selector
from app.core.desired import children, config_hash, dependencies
from app.core.desired.children import CHILDREN, NOT_ALWAYS_LISTED
from app.core.desired.memo import GenerationMemo
from app.core.desired.valid_spec import checked_spec
from app.core.reasons import REASONS
from app.core.sync import sync
from app.core.watch import Watch
from metahook import Controller, CustomizeRequest, Kind, Pod, RelatedRule, select_by_labels

EXAMPLE_SPEC = {"image": "nginx:1.27", "memory": "64Mi"}
"""As in examples/web.yaml."""


def controller(watch: Watch, memo: GenerationMemo | None = None) -> Controller:
    """Return the controller of an operator that watches *watch*; *memo* must be no other controller's."""
    return Controller(
        sync=partial(sync, watch=watch, memo=memo),
        customize=partial(customize, watch=watch, memo=memo),
        children=CHILDREN,
        optional_kinds=NOT_ALWAYS_LISTED,
        example_spec=EXAMPLE_SPEC,
        reasons=frozenset(REASONS),
        lacks_default=lacks_default,
        parent=Kind(API_VERSION, KIND, PLURAL),
        quick=True,
    )


def customize(request: CustomizeRequest, watch: Watch, memo: GenerationMemo | None = None) -> list[RelatedRule]:
    """Return which related objects a sync of the parent of *request* needs.

    The response depends only on the spec, because Metacontroller caches it for each generation; also for a MyResource
    of another shard, because a label can move it into this one. Each rule makes Metacontroller do work for every event
    of its kind, so there are few, by name if the names are known, and the kinds that most MyResources have a rule for
    can't be dependencies. The rule for the Service, and for each other child beside the Deployment, shows whether
    another object has its name; the rule for Pods, by label, shows why they are not ready. An Ingress or HTTPRoute has
    a second one, by label, which shows whether another has its host and path.
    """
    parent = request.parent
    checked = checked_spec(parent, memo)
    if isinstance(checked, InvalidSpec):
        return []
    return [
        *children.related_rules(request, checked.spec),
        *([select_by_labels(Pod, parent.namespace, selector(parent))] if watch.pods else []),
        *(config_hash.related_rules(parent.namespace, checked, watch) if checked.references else []),
        *(dependencies.related_rules(parent.namespace, checked.spec, watch) if checked.spec.dependencies else []),
    ]
