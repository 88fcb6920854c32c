"""Malformed requests: the rules of a request, and the error that names the one that a body breaks.

The texts are the responses with status 400, which Metacontroller copies into Events and logs. So a text holds nothing
of the request. It names only fields that a struct declares, and groups that a controller declares; ``[*]`` stands for
any key and any index.
"""

from enum import Enum


class RequestRule(Enum):
    """The rules of a request, each with the text for a request that breaks it."""

    # Raised by the server, while it receives a body.
    COMPLETE = "the body is incomplete"
    # Raised by request.py, before it reads.
    EMPTY = "the body is empty"
    UTF8 = "the body is not UTF-8"
    # Raised by request_limits.py, beside this.
    OBJECTS = "the body has more than {most} groups and objects"
    SIZE = "{path} is larger than {most} MiB"
    MEMORY = "the objects in the body would take more than {most} MiB of memory"
    # Raised by reading.py, beside this.
    JSON = "the body is not JSON"
    DEPTH = "the body is nested too deeply"
    REQUIRED = "{path} is missing"
    TYPE = "{path} must be {noun}"
    KEY = "each key of {path} must be {noun}"
    # Raised by request.py, after it has read.
    DECORATOR = "parent is missing: the request is of a DecoratorController, so use Decorator in place of Controller"
    COMPOSITE = "object is missing: the request is of a CompositeController, so use Controller in place of Decorator"
    CLUSTER_SCOPED = "{path} must be absent: the parent is cluster-scoped"
    # Raised by controller.py.
    FINALIZING = "finalizing is true: in the controller, set the path of hooks.finalize to /finalize"
    NO_FINALIZE = "finalizing is true, and the hook has no finalize function: remove hooks.finalize from the controller"
    NOT_FINALIZING = "finalizing is not true: in the controller, set the path of hooks.sync to /sync"
    # Raised by observed/children.py.
    GROUP = (
        "{path} has no group {group}: send {{}} for it if there is no such object; "
        "in a cluster, add the kind to {rules}"
    )
    NAME = "{path}.metadata.name must not be empty"
    UNIQUE = "{path}.metadata.name must be unique in a namespace"


class MalformedRequest(ValueError):
    """Raised when a body is not a hook request. Its text is the response: *names* never hold any of the body.

    Only metahook raises it; hooks and tests catch it.
    """

    def __init__(self, rule: RequestRule, **names: str) -> None:
        super().__init__(rule.value.format(**names))
        self.rule = rule
