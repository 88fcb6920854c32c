"""ForeignFields: which fields of children others set, that the spec does not set."""

from operator import attrgetter

from msgspec.structs import replace

from app.api.scalars import MAX_MESSAGE
from app.core.facts import Facts
from app.core.readiness import Decision
from app.core.reasons import listing
from app.core.status.condition_type import ConditionType, ParentCondition

_MOST, _CUT = 180, 220
"""Characters of the fields of one child; one name alone can be longer."""

TYPE = ConditionType(
    "ForeignFields",
    "Present, and True, while another user or controller sets fields of a child that the "
    "spec does not set, such as with kubectl edit. The fields are kept, and no other condition changes.",
    "Do what its message says: kubectl describe myresource NAME. Expected managers of fields, such as a controller "
    "that adds a sidecar, are a setting of the operator: --expected-manager, or expectedManagers of the chart.",
    "people, security reviews",
    is_about=attrgetter("foreign"),
    is_problem=True,
)

FOREIGN_FIELDS = TYPE.says(
    "True",
    "SetByOthers",
    "Other users or controllers set fields that this spec does not set, and they are kept: {fields}. Set them in the "
    "spec, if it has such fields; or ask the cluster administrator to list their manager in expectedManagers; or "
    "remove them, beginning with: {command}",
    fields="Deployment web-deployment: spec.template.spec.nodeSelector (kubectl-edit)",
    command="""kubectl patch deployment web-deployment -n default --field-manager=metacontroller -p """
    """'{"spec":{"template":{"spec":{"nodeSelector":null}}}}'""",
)


def decide(facts: Facts, _: Decision) -> ParentCondition:
    """Return the fields, and the command that removes those of the first child, which is never cut off."""
    foreign = facts.foreign
    fields = "; ".join(f"{each.child}: {listing(each.fields, most=_MOST)[:_CUT]}" for each in foreign)
    room = MAX_MESSAGE - len(FOREIGN_FIELDS.message.format(fields=fields, command=""))
    return replace(
        FOREIGN_FIELDS, message=FOREIGN_FIELDS.message.format(fields=fields, command=foreign[0].command(room))
    )
