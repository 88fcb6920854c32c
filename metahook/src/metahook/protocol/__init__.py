"""Metacontroller's protocol: the requests to the hooks of its controllers, and the responses that they may send.

The rule of this package: it knows no kind of parent and no kind of child, and needs msgspec alone. Reading is lenient
(null means absent, unknown fields are skipped, and a related object may be unreadable, a child not); writing is strict
(the gate).

Nouns: a *request* holds the *parent*, its observed *children*, and the *related* objects that rules selected; a
*response* lists every child that is to exist, and the status; a child is kept as it was *last applied*; *drift* is the
first field whose observed value differs from the desired one; the *generation stamp* of a child shows that a request is
*stale*: older than the child; *repair* is the annotation that makes Metacontroller send a child again; *changes* are
the paths at which two objects differ; *leftovers* are fields that Metacontroller does not remove, *foreign fields* are
those that only others set, and their *removal* is a command; the *gate* refuses responses that would do damage; a
*controller* is what a CompositeController calls: pure functions, its *hooks* sync, customize and finalize, with the
gate behind them; a *decorator* is the same for a DecoratorController, where the parent is any object and its children
are *attachments*; *findings* are what is wrong with its *installation*. The *request builder* makes requests as
Metacontroller does, for the simulator and for tests.

    controller       the functions of a hook's author, and how a body becomes a response
    gate             refuses a misused controller, and responses that would do damage
    purity           whether a hook decides the same for the same request
    stale_requests   whether a request is older than the children in it
    drift            the fields of children that differ from the desired ones, and their repair
    leftovers        fields that the hook does not set, and their removal
    response         what a hook returns, and what a log may say about it
    request          a body becomes a parent, its children and the related objects
    observed         the children and the related objects
    managed_fields   who set their fields
    installation     the controller in the cluster, and what is wrong with it
    request_limits   how many objects a request may have, and how much memory they may take
    bodies           the JSON of requests and responses, and how it is read
    request_builder  makes requests as Metacontroller does
    crd              a CustomResourceDefinition, made from structs
    objects          what all objects of Kubernetes have in common

Imports point down this list, to no other package of this repository; no I/O, no clock. Start at
:mod:`metahook.protocol.controller`.
"""
