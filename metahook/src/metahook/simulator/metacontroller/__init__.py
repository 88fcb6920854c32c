"""Metacontroller: calls the hook, and does to the API server what its answer says, be it wise or not.

The rule of this package: it follows Metacontroller 4.17's pkg/controller/composite, for a CompositeController with
generateSelector, InPlace and hook version v2. Where the real one does damage, so does this one.
Start at :mod:`metahook.simulator.metacontroller.loop`.
"""
