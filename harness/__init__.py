"""The harness: run language agents with memory over sequential task streams."""
