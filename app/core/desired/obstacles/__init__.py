"""What stands in the way of a child that the spec asks for.

An *occupant* has its name; another route has the host and path of an *exposure*; a *dependency* is not met yet; a field
is *unchangeable*. Each module looks at the request, and tells :mod:`app.core.desired.desired_state` what it found.
"""
