"""Tables out of run folders: one module a table, found by its name; a small model; writers that agree."""
