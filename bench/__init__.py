"""Measures what it costs: ``make scale``."""
