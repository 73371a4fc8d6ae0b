"""The experts: one reactive policy a domain. Each looks at the present facts only, so it is right from any state."""
