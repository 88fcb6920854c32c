"""The call of a hook: a request with a body becomes a response.

The rule of this package: each request is answered and reported once, and whatever goes wrong is a refusal.

    router    the routes of controllers, for any FastAPI app
    calls     reads the body, has the hook decide, in the event loop or in a thread, and reports the call
    threads   the threads that decide
    openapi   what the OpenAPI document says of the routes

Imports connections, telemetry, limits, refusals, the clock, and protocol; the router imports dev if it is on.
"""
