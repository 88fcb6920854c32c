"""What is checked around a call of a hook: the controller, the request, and the response before it is sent.

    misuse       arguments of a Controller that can't be right
    generation   whether a request is stale: older than the children in it
    gate         refuses a response that would do damage
    purity       whether the same request gives the same response
    summary      what a log and metrics may say about a response

Imports request, response, installation, observed, bodies and objects.
"""
