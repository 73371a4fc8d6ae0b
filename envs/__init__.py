"""The environments: one module each, a folder where an environment really has parts."""
