"""The MyResource operator: a Metacontroller hook in Python.

Read from the bottom up, or follow a request from the top down; imports point down only.

    cli        serve, render, crd, explain: plugs the parts together
    web        serves any controller over HTTP
    core       decides: desired children, status, related rules
    hooks, api Metacontroller's protocol; the MyResource API. They know nothing of each other
"""

__version__ = "0.1.0"
