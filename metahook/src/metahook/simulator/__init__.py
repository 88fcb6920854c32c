"""Plays the cluster: an API server, Metacontroller and Kubernetes' own controllers, in memory, on a virtual clock.

The rule of this package: it plays by what the real ones were seen to do, and knows no MyResource. Same world, same
steps, same history: there is no chance in it, no input or output, and no clock but its own.

Nouns: a *world* holds a *clock*, an *API server* (a store with versions, watches and a *history*), *Metacontroller*
(its queue, claims, customize cache and two ways to apply), and *controllers* (Deployments, ReplicaSets, a kubelet,
garbage collection). *Findings* are what a careless hook did to the world; a *scenario* is steps and expectations.

Imports protocol, to call a controller as Metacontroller would. Start at :mod:`metahook.simulator.world`.
"""
