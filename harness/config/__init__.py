"""Configuration: checked as a whole before anything runs."""
