"""G-Memory: a query graph, a list of insights and condensed trajectories, learned from a stream of tasks."""
