"""The types of config values: blocks, the types that they share, and what drawings require."""
