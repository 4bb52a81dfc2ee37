"""fkeax beside its peers, against the machine's limits, and how its cost grows: ``python -m benchmarks.run``."""
