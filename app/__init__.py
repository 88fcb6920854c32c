"""The MyResource operator: a Metacontroller hook in Python.

Read from the bottom up, or follow a request from the top down; imports point down only.

    main      the app of the variables, for ``uvicorn app.main:app``
    cli       the commands of ``myresource`` and of the kubectl plugin: plugs the parts together
    service   the app of settings, which both of them serve
    settings  the operator's settings, from options and variables
    core      decides: desired children, status, related rules
    api       the MyResource API: what a spec may be, and the CRD

What serves any controller is the package ``metahook``: Metacontroller's protocol, the server, the simulator. It knows
nothing of the operator. The contracts in pyproject.toml hold this. docs/contributing/architecture.md follows a request.
"""

from typing import Any

__version__ = "0.4.0.dev0"

Json = dict[str, Any]
"""A JSON object."""
