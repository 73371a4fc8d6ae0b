"""Small real text worlds for tests that need an environment but no engine."""
