"""Backbones: language models, what stands in for them, and the one road every call to them takes."""
