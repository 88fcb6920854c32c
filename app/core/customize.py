"""The customize hook: which related objects a sync needs.

The response depends only on the spec, because Metacontroller caches it for each generation. Each rule makes
Metacontroller do work for every event of its kind, so there are few, by name if the names are known, and the kinds
that most MyResources have a rule for can't be dependencies. The rule for the Service, and for each other child beside
the Deployment, shows whether another object has its name; the rule for Pods, by label, shows why they are not ready.
An Ingress or HTTPRoute has a second one, by label, which shows whether another has its host and path.

A MyResource of another shard has the same rules: Metacontroller caches them, and a label can move it into this shard.
"""

from app.api.reading import InvalidSpec
from app.core.child_metadata import selector
from app.core.desired import children, config_hash, dependencies
from app.core.desired.memo import GenerationMemo
from app.core.desired.valid_spec import checked_spec
from app.core.watch import Watch
from metahook import CustomizeRequest, Pod, RelatedRule, select_by_labels


def customize(request: CustomizeRequest, watch: Watch, memo: GenerationMemo | None = None) -> list[RelatedRule]:
    """Return the related rules of the parent of *request*."""
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
