"""Hydra finds the sweeper here."""
