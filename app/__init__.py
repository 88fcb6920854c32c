"""The MyResource operator: a Metacontroller hook in Python.

Read from the bottom up, or follow a request from the top down; imports point down only.

    cli        serve, render, diff, replay, simulate, crd, explain: plugs the parts together
    web        serves any controller over HTTP
    simulator  a cluster with Metacontroller in it, for any controller
    core       decides: desired children, status, related rules
    hooks, api Metacontroller's protocol; the MyResource API. They know nothing of each other

The contracts in pyproject.toml hold this.
"""

__version__ = "0.1.0"
