"""STRATA: self-maintaining structured experience graphs, one module for each paragraph of the paper."""
