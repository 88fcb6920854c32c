"""OperatorMisconfigured: what is wrong with the installation of the operator; it is not about the spec."""

from operator import attrgetter

from msgspec.structs import replace

from app.core.facts import Facts
from app.core.readiness import Decision
from app.core.reasons import linked
from app.core.status.condition_type import ConditionType, ParentCondition
from app.core.watch import DOCS_URL
from metahook import InstallationProblem

TYPE = ConditionType(
    "OperatorMisconfigured",
    "Present, and True, while the operator is not installed as this version requires. It is not about the spec of "
    "the MyResource, and changes no other condition.",
    "Ask the cluster administrator to do what its message says: kubectl describe myresource NAME",
    "cluster administrators; alerts",
    is_about=attrgetter("installation"),
    is_problem=True,
)

MISCONFIGURED = {
    finding: TYPE.says("True", finding.name, f"{finding.message} See docs/apps/troubleshoot.md.")
    for finding in InstallationProblem
}


def decide(facts: Facts, _: Decision) -> ParentCondition:
    """Return the most severe finding. It names a page only at an address: users of a cluster have no repository."""
    finding = facts.installation[0]
    misconfigured = MISCONFIGURED[finding]
    is_at_address = facts.docs_url != DOCS_URL
    return replace(
        misconfigured, message=linked(misconfigured.message, facts.docs_url) if is_at_address else finding.message
    )
