"""The ledger: one folder a run, written so that a kill at any instant loses nothing."""
