"""ALFWorld: real games from a folder or archive, or generated ones, each played in a process of its own."""

from envs.alfworld.environment import ALFWorld

__all__ = ["ALFWorld"]
