"""Turns Deployments, and what is beside them, into MyResources, and says what they can't have.

The rule of this package: it guesses nothing, and nothing is lost in silence. It writes what it can, lets the operator
make the objects again, and compares: whatever the given ones have and the made ones lack is left out, and said. The
way of a Deployment:

1. kubernetes.stored     it becomes what an API server would store of it, or is refused
2. kubernetes.effective  in one form for one meaning, without defaults
3. translation.leaves    divided into leaves, each for a place in a spec
4. translation.Tree      which take the spec as far as it stays valid
5. neighbours            its Service gives ports; autoscaler, budget and route become fields
6. comparison            the Deployment that the operator makes is compared, and what differs is said
7. conversion            does all this, and writes the MyResource

Each imports those above it, core and api. None of them reads files: the command does, app.cli.import_.
"""
