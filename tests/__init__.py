"""The project's tests: units, contracts, real entry points, and records of every schema version."""
