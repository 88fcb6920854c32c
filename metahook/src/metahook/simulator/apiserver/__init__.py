"""The API server: what is stored, who wrote it, and who is told.

The rule of this package: it stores as a kube-apiserver does (defaults, canonical quantities, versions, generations,
server-side apply) and knows neither Metacontroller nor any controller. Start at
:mod:`metahook.simulator.apiserver.store`.
"""
