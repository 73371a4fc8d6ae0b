"""One suite for everything that implements the same protocol."""
