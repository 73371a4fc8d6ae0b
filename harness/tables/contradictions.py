"""Where STRATA's text contradicts itself, table by table, in our own words: whoever compares figures must know it."""

from __future__ import annotations

from collections.abc import Mapping

AVERAGE = (
    'The paper does not define its "average": the same full system has 75.3 in Table 5 and 72.9 in Tables 2 and 6 to '
    "9, and a single configuration is said to be evaluated five times on four benchmarks. Both of our means are "
    "printed, over streams and over benchmarks (the streams of one benchmark averaged first); the paper's figure "
    "stands in rows of its own."
)
_TOTALS = (
    "Workflows, metas and bridges of the paper's tables read like totals over five streams (112 + 33 + 56 = 201 and "
    "16 + 5 + 8 = 29 would fit); it does not say so."
)
_COLLECTION = (
    "Table 2 puts the system without collection at 72.9 - 2.2 = 70.7, above the 69.8 that Table 7 gives for collection "
    "without protection, while the text has the unbounded store below the bounded configurations: both cannot hold "
    "of one run."
)
_FIVE = (
    "With five streams the losses without contrast edges add up (5 x 6.5 is about 9.1 + 18.0 + 1.8 and 3.6 for "
    "AppWorld's two); with four benchmarks AppWorld would have to gain without them."
)

CONTRADICTIONS: Mapping[str, tuple[str, ...]] = {
    "2": (AVERAGE, _COLLECTION, _FIVE),
    "4": (
        _TOTALS,
        "The text has roughly one workflow for seven tasks; Test-Challenge's own figures give 417 / 33, about one for "
        "thirteen.",
        "Bridge protection is said to fire 1 to 6 times on every benchmark, and ScienceWorld to delete nothing: where "
        "nothing is deleted nothing can be protected.",
        "Its 23 tasks cannot fill ScienceWorld's cap of 24 as we set it (the paper gives no cap): no deletion there "
        "is so by construction.",
    ),
    "5": (AVERAGE,),
    "6": (AVERAGE, _TOTALS),
    "7": (
        AVERAGE,
        _COLLECTION,
        _TOTALS,
        "201 live and 68 deleted workflows add up to exactly the 269 of the run without collection, though what is "
        "deleted changes what later episodes find and hence create.",
        "A regret of 13.2 % is 9 of 68 deletions; 4.8 % is no whole number of 68, so it must be a mean over streams or "
        "seeds.",
    ),
    "8": (
        AVERAGE,
        _TOTALS,
        "By the paper's own account a meta's tags are recomputed from one round's community and can lose tags; the "
        "fault was kept for the reported runs, and is kept here (`memory.meta_tags=accumulated` mends it).",
    ),
    "9": (
        AVERAGE,
        _FIVE,
        "The main text has only heat_and_place covered by the lexicon, an appendix has heat_and_place and "
        "clean_and_place carry contrast edges; heat and cool would pair heat_and_place with cool_and_place.",
        "find-living, the text's clearest case of a wrong direction, lies outside the lexicon of the reported runs.",
        "ALFWorld's 98.6 is above what the per-category figures allow (at most 97.95 with 134 games, 98.4 with 140), "
        "and 89.5 is no mean of three runs of 134.",
        "The paper itself calls ScienceWorld's 23 tasks, with standard deviations of 3.6 to 15, not separable.",
    ),
}
