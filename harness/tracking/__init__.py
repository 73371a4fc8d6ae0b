"""Mirrors of a run elsewhere. The files are the truth; off unless asked for."""
