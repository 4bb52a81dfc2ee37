"""Oracles, tolerances and bounds shared by the tests; nothing here imports fkeax or JAX."""
