"""Serves controllers over HTTP: their hooks on one port, health on another.

The rule of this package: it translates, it does not decide. It reads a body within limits, gives it to the controller,
and sends the response. Anything else is a refusal, which holds nothing of the request.

Nouns: the *server* listens, and the *shutdown* stops it. A *connection* is uvicorn's, with limits and *deadlines*; a
*direct* connection asks the *routes* for the response to a small, complete request, and leaves all others to the *app*.
Both ways end at an *endpoint*, which calls the hook, or returns the *answer* that it remembers for the same bytes. On
the way through the app, the *work* reads the *body*, and has the endpoint decide in *turns*, or in a thread if the body
is long. A *refusal* is a response that changes nothing in the cluster. A *call* is a request to a hook and its
response; the *reports* write it to the log, as a *line*, and count it in the metrics, as *series*; all refusals of one
*cause* share an id. *Certificates* and *tokens* decide who may call.

Imports protocol. To follow a request, start at :mod:`metahook.server.direct`; :mod:`metahook.server.app` puts the parts
together. Development mode is in :mod:`metahook.server.dev`.
"""
