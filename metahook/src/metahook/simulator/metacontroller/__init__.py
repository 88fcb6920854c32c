"""Metacontroller: it calls the hook, and applies the response to the API server.

The rule of this package: it follows Metacontroller 4.17's pkg/controller/composite and pkg/controller/decorator,
for hooks of version v1 and v2, but for rolling updates. Where Metacontroller does harm, so does this package.

    loop             from an event to a sync, and from the response to the API server
    queue            the work queue, with its timers and the delays of its retries
    cache            the informers
    customize        the rules for related objects, and their cache
    response         reads the hook's response as Go does
    composite        a CompositeController: claims children, and turns a response into children and a status
    decorator        a DecoratorController: turns a response into attachments, and into marks of the object
    claims           which objects are a parent's children
    finalizer        keeps a parent until its finalize hook is done
    children         deletes, creates and updates children by the two apply strategies
    dynamic_apply    the merge of one of these
    settings         the controller, as its manifest has it

Start at :mod:`metahook.simulator.metacontroller.loop`.
"""
