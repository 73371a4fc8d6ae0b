"""Stand-ins that exist only to inject faults; each says so in its name."""
