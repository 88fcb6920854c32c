"""Serves controllers over HTTP: their hooks on one port, health on another.

The rule of this package: it translates, it does not decide. It reads a body within limits, gives it to the controller,
and sends the response. Anything else is a refusal, which holds nothing of the request.

Nouns: the *app* has the *routes*, a *connection* is uvicorn's with limits, a *direct* connection responds to complete
requests without the app, the *work* reads a *body* and has an *endpoint* decide, in *turns* and within limits for all
requests together, a *refusal* is a response that changes nothing in the cluster,
the *server* listens, and the *shutdown* stops it; an optional *recorder* writes requests and responses to files. A
*call* is a request to a hook and its response; the *reports* write it to the log, as a *line*, and count it in the
metrics; the *causes* of refusals are told apart by an id.
*Certificates* and *tokens* decide who may call.

Imports protocol. Start at :mod:`metahook.server.app`. Development mode is in :mod:`metahook.server.dev`.
"""
