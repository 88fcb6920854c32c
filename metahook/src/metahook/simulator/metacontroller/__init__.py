"""Metacontroller: it calls the hook, and applies the response to the API server.

The rule of this package: it follows Metacontroller 4.17's pkg/controller/composite, for a CompositeController with
generateSelector, InPlace or OnDelete, and hook version v2. Where Metacontroller does harm, so does this package.

    loop        from an event to a sync, and from the response to the API server
    queue       the work queue, with its timers and the delays of its retries
    cache       the informers
    claims      which objects are a parent's children
    customize   the rules for related objects, and their cache
    response    reads the hook's response as Go does
    children    deletes, creates and updates children by the two apply strategies; ``dynamic_apply`` is the merge of one
    settings    the CompositeController

Start at :mod:`metahook.simulator.metacontroller.loop`.
"""
