"""STRATA: self-maintaining structured experience graphs, one module for each paragraph of the paper.

In the paper's order: graph, tags, similarity (with incidence and words), retrieval, rendering, reflection (answers are
its schemas, writing puts its drafts into the graph), thresholds, collector, similarity_graph (W), communities, meta,
contrast. Around them: settings and mechanisms (which parts are on, with which numbers), maintenance (what a round does
after reflection), store and serialization, diagnostics, and memory, which is the method as the harness sees it.
"""
