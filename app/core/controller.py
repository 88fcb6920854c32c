"""MyResource's controller: what the service serves and what the command line runs."""

from functools import partial

from app.core.child_metadata import CHILDREN
from app.core.customize import customize
from app.core.sync import sync
from app.core.watch import Policy
from metahook import Controller


def controller(policy: Policy) -> Controller:
    """Return the controller that follows what *policy* says."""
    return Controller(sync=partial(sync, policy=policy), customize=partial(customize, policy=policy), children=CHILDREN)


MYRESOURCE = controller(Policy())
"""The controller as it is when nobody decides otherwise."""
