"""The customize hook: which related objects a sync needs.

The response depends only on the spec, because Metacontroller caches it for each generation. A rule costs Metacontroller
work for every event of its kind, so there are few: at most one for each kind, by name if the names are known. Therefore
a kind that the operator watches anyway can't be a dependency. The rule for the Service shows whether another object has
its name; the rule for Pods, by label, shows why they are not ready.

A MyResource of another shard has no rules, so that events cost a Metacontroller no more than its own shard needs. If
its label moves it into this shard, it gets its rules with its next generation, or within 20 minutes.
"""

from app.api.names import GROUP
from app.api.reading import InvalidSpec
from app.core.child_metadata import selector
from app.core.desired import config_hash, dependencies, optional_children
from app.core.desired.generation import GenerationMemo, validated_spec
from app.core.watch import Watch
from metahook import CustomizeRequest, Pod, RelatedRule, select_by_labels

SHARD_LABEL = f"{GROUP}/shard"
"""The label of a MyResource that selects its shard. Why only this one: other selectors are those of users, such as a
developer's, who moves a MyResource to and fro and expects its rules at once."""


def customize(request: CustomizeRequest, watch: Watch, memo: GenerationMemo | None = None) -> list[RelatedRule]:
    """Return the related rules of the parent of *request*."""
    if SHARD_LABEL in request.excluding_labels:
        return []
    parent = request.parent
    spec = validated_spec(parent, memo)
    if isinstance(spec, InvalidSpec):
        return []
    return [
        *optional_children.related_rules(parent, spec),
        *([select_by_labels(Pod, parent.namespace, selector(parent))] if watch.pods else []),
        *config_hash.related_rules(parent.namespace, spec, watch),
        *dependencies.related_rules(parent.namespace, spec, watch),
    ]
