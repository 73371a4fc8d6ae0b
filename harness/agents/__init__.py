"""Agents that play an episode, and what their prompts look like."""
