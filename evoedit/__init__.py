"""EvoGraph-Mem: a graph of queries with an insight graph that is edited when an insight fails."""
