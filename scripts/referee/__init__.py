"""The referee: reference systems as anybody can read them, and how results stand to their values."""
