"""Entry points, and nothing else."""
