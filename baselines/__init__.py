"""Memory methods that the papers compare with, one module a method."""
