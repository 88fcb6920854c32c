"""Serves any controller over HTTP: two hooks on one port, health on another.

The rule of this package: it translates, it does not decide. A body comes in, is bounded, goes to the controller, and
what comes back goes out; whatever else happens is one of a few constant refusals, which hold nothing of the request.

Nouns: the *app* has the routes, a *body* is read within limits, a *refusal* is a constant answer that changes nothing
in the cluster, the *server* listens and stops; a *recorder*, if there is one, keeps what was asked and answered.

Imports protocol. Start at :mod:`metahook.server.app`.
"""
