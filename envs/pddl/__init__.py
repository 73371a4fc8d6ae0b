"""PDDL: four planning domains played in text, AgentBoard's problems from a folder or generated ones."""

from envs.pddl.environment import PDDL

__all__ = ["PDDL"]
