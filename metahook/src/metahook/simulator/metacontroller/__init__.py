"""Metacontroller: it calls the hook, and applies the response to the API server.

The rule of this package: it follows Metacontroller 4.17's pkg/controller/composite and pkg/controller/decorator,
for hooks of version v1 and v2, but for rolling updates. Where Metacontroller does harm, so does this package.

    loop        from an event to a sync, and from the response of either kind of controller to the API server
    children    which children are a parent's own, and how they are created, updated and deleted
    cache       the informers, and the rules for related objects
    queue       the work queue, with its timers and the delays of its retries
    response    reads the hook's response as Go does
    settings    the controller, as its manifest has it

Start at :mod:`metahook.simulator.metacontroller.loop`.
"""
