"""ScienceWorld: the published simulator, one fresh JVM an episode, the next one started ahead."""

from envs.scienceworld.environment import ScienceWorld

__all__ = ["ScienceWorld"]
